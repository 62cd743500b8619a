import type { LoginBegun } from '../../../../../contract/login.ts';
import { get, post } from './api.ts';

const NAME = 'gateway-login';
/** A broker's own pages and checks take their time. */
const FINISH_MS = 60_000;

/** A login that was begun in this tab; it outlives the way to the broker's page and back. */
export interface Begun {
  broker: string;
  state: string;
}

/** Begins one, and keeps what finishing it takes. */
export async function beginLogin(broker: string): Promise<LoginBegun> {
  const login = await post<LoginBegun>('/broker/login', { broker });
  if (login.state !== null) sessionStorage.setItem(NAME, JSON.stringify({ broker, state: login.state } satisfies Begun));
  return login;
}

/** What was begun in this tab; null when nothing was. */
export function begunLogin(): Begun | null {
  const kept = sessionStorage.getItem(NAME);
  return kept === null ? null : (JSON.parse(kept) as Begun);
}

/** Hands over what the broker's page said: the query it came back with, the address it ended at, or its code. */
export async function finishLogin(state: string, said: { callback: string } | { code: string }): Promise<{ message: string }> {
  const answer = await post<{ message: string }>('/broker/login/finish', { state, ...said }, FINISH_MS);
  sessionStorage.removeItem(NAME);
  return answer;
}

export async function supportedBrokers(): Promise<readonly string[]> {
  return (await get<{ brokers: string[] }>('/broker/supported')).brokers;
}

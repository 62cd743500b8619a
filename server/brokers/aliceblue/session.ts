import { createHash } from 'node:crypto';
import type { BrokerEnv } from '../broker.ts';
import type { Api } from './api.ts';

/** The one market data session of a client, on the broker's side. */

/** Makes a session, ending the one there was. Throws when it cannot be made, or is no longer `wanted` when its turn comes. */
export type OpenSession = (wanted: () => boolean) => Promise<void>;

/** Calls of two sockets that open at once come one after the other: mixed, they would end the session just made. */
export function sessionCalls(api: Api): OpenSession {
  let turn: Promise<unknown> = Promise.resolve();
  return (wanted) => {
    const mine = turn.then(() => open(api, wanted));
    turn = mine.catch(() => undefined);
    return mine;
  };
}

async function open(api: Api, wanted: () => boolean): Promise<void> {
  const body = { source: 'API', userId: api.login().account };
  const check = () => {
    if (!wanted()) throw new Error('the market data session is not wanted any more');
  };
  check();
  await api.ask('/profile/invalidateWsSess', body);
  check();
  const made = await api.ask('/profile/createWsSess', body);
  if (!made.success) throw new Error(made.message);
}

/** Address of the price socket. The official SDKs dial it with a slash at the end, which an overridden address has lost. */
export function priceSocketUrl({ feedUrl }: BrokerEnv): string {
  return feedUrl.replace(/\/?$/, '/');
}

/** The first frame: the token twice hashed, the account with the suffix Alice Blue wants of API users. */
export function greeting({ token, account }: { token: string; account: string }): string {
  const user = `${account}_API`;
  return JSON.stringify({ susertoken: sha256(sha256(token)), t: 'c', actid: user, uid: user, source: 'API' });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

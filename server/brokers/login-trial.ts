import { Secret, TOTP } from 'otpauth';
import { z } from 'zod';
import type { BrokerEnv, Connected, LoginCause, LoginFailure, StoredLogin } from './broker.ts';
import type { Client } from './client.ts';
import type { Answer, Refused } from './dialect.ts';
import { failure, issueText, readJson } from './parse.ts';

/** A login tried at the broker. `expired`: it is dead or not ours, so the next way to sign in may be the right one. */
export type Verified = Extract<Connected, { success: true }> | Refused;

/** How one broker tells whose a login is. */
export interface Trial<Login, Profile> {
  ask(): Promise<Answer>;
  /** What is asked for, in messages; the profile unless told. */
  what?: string;
  profile: z.ZodType<Profile>;
  /** The account, what is kept of the login and until when (epoch ms), and the login as it is used from now on; a text says why it is not ours. */
  accept(profile: Profile): { account: string; values: Record<string, string>; until: number; login?: Login } | string;
}

/** Signs in with `login` and asks the broker whose it is. Once that is answered the login is trusted. */
export async function tryLogin<Login, Profile>(
  client: Pick<Client<Login>, 'name' | 'signIn'>,
  login: Login,
  { ask, what = 'profile', profile, accept }: Trial<Login, Profile>,
): Promise<Verified> {
  client.signIn(login);
  const answer = await ask();
  if (!answer.success) return answer;
  const known = profile.safeParse(answer.data);
  if (!known.success) return failure(`${client.name}'s ${what}: ${issueText(known.error)}`);
  const accepted = accept(known.data);
  if (typeof accepted === 'string') return { success: false, message: accepted, expired: true };
  const { account, values, until } = accepted;
  client.signIn(accepted.login ?? login, true);
  return { success: true, account, login: { values, expiresAt: new Date(until).toISOString() }, data: answer.data };
}

export function connected(verified: Verified): Connected {
  return verified.success ? verified : loginFailure(verified.message, verified);
}

/** A sign-in that failed by this answer of the broker. */
export function loginFailure(message: string, answer: Refused): LoginFailure {
  return { success: false, message, cause: causeOf(answer) };
}

/** What speaks of how often, and not of what. */
const tooOften = /\btoo many\b|\brate\b|\bonce (in )?every\b/i;

/** An answer of our own making has no status: a person has to look at it. */
function causeOf({ message, status, unread, unreached }: Refused): LoginCause {
  if (unreached) return 'unreachable';
  if (status === undefined) return 'credentials';
  if (status === 0 || status >= 500 || status === 429 || tooOften.test(message)) return 'broker';
  // The page of a proxy in front of the broker is no refusal, unless it says that nobody may pass.
  return unread && status !== 401 && status !== 403 ? 'broker' : 'credentials';
}

/** The stored login while it lives. */
export function living(stored: StoredLogin | null, { clock }: BrokerEnv): StoredLogin | null {
  return stored && Date.parse(stored.expiresAt) > clock.now() ? stored : null;
}

/** How one broker signs in with a token. */
export interface TokenLogin {
  name: string;
  howTo: string;
  /** The token of the settings, and the name a stored login keeps one under. */
  given: string | undefined;
  key: string;
  /** `until`: when the stored login says that it ends (epoch ms), null for the token of the settings. */
  verify(token: string, until: number | null): Promise<Verified>;
  /** Makes a new token; null where the settings hold nothing to make it of. */
  fresh(): Promise<Connected> | null;
  /** Before `howTo`: what is said where there is no token, and what follows a refused one. */
  wants: string;
  refused?: string;
}

/** Signs in: the stored login while it lives, then the token of the settings, then a fresh one. Only a refusal leads to the next. */
export async function connectByToken(env: BrokerEnv, stored: StoredLogin | null, flow: TokenLogin): Promise<Connected> {
  const kept = living(stored, env);
  const first = kept?.values[flow.key];
  const known = [
    { token: first, until: kept && Date.parse(kept.expiresAt) },
    { token: flow.given === first ? undefined : flow.given, until: null },
  ];
  let refusal = '';
  for (const { token, until } of known) {
    if (!token) continue;
    const checked = await flow.verify(token, until);
    if (checked.success || !checked.expired) return connected(checked);
    refusal = `${flow.name} refused the token (${checked.message})${flow.refused ?? ': '}`;
  }
  return (await flow.fresh()) ?? failure(`${refusal || `${flow.name} ${flow.wants}: `}${flow.howTo}`);
}

/** The six digits an authenticator shows at `now` (epoch ms); null for a secret that is not base32. */
export function oneTimeCode(secret: string, now: number): string | null {
  try {
    return new TOTP({ secret: Secret.fromBase32(secret.replaceAll(/[\s-]/g, '')) }).generate({ timestamp: now });
  } catch {
    return null;
  }
}

const claims = z.looseObject({ exp: z.number().positive().max(9_999_999_999) });

/** When a token says that it ends (epoch ms); null when it does not. */
export function statedEnd(token: string): number | null {
  const stated = claims.safeParse(readJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).data;
  return stated ? stated.exp * 1000 : null;
}

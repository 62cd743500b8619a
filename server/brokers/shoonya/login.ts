import { createHash } from 'node:crypto';
import { nextIstHour } from '../../clock.ts';
import type { BrokerEnv, Connected, Read, StoredLogin } from '../broker.ts';
import { failure, issueText } from '../parse.ts';
import { type Api, createApi, nobody } from './api.ts';
import { profile, session } from './wire.ts';

export const settings = ['USER_ID', 'API_KEY', 'API_SECRET', 'ACCESS_TOKEN', 'AUTH_CODE'] as const;

/** When a token is taken to end that does not say so itself: Shoonya wants a new login every day. */
const EXPIRY_HOUR_IST = 6;
/** A stated end further off than this is none. */
const LONGEST_LIFE_MS = 36 * 3_600_000;

const howToSignIn =
  'run "npm run login -- shoonya" with SHOONYA_USER_ID, SHOONYA_API_KEY and SHOONYA_API_SECRET, or set SHOONYA_ACCESS_TOKEN to a token of today';

/** The page where the account holder signs in; it comes back with `code`. Throws without SHOONYA_API_KEY. */
export function loginUrl(env: BrokerEnv): string {
  const { API_KEY } = env.credentials;
  if (!API_KEY) throw new Error('SHOONYA_API_KEY is not set');
  return `${env.loginUrl}?${new URLSearchParams({ client_id: API_KEY })}`;
}

/** Signs in with what came back on the redirect, in a connection of its own. */
export async function loginByRedirect(env: BrokerEnv, query: Readonly<Record<string, string>>): Promise<Connected> {
  if (!query.code) return failure('Shoonya sent the browser back without a code');
  const api = createApi(env);
  try {
    return await exchange(env, api, query.code);
  } finally {
    await api.close();
  }
}

/** Signs in: the stored login while it lives, then SHOONYA_ACCESS_TOKEN, then SHOONYA_AUTH_CODE; each is tried on the user's details. */
export async function connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<Connected> {
  const { USER_ID, ACCESS_TOKEN, AUTH_CODE } = env.credentials;
  if (!USER_ID) return failure(`SHOONYA_USER_ID is not set: ${howToSignIn}`);
  const tokens = new Map<string, number>();
  const storedEnd = Date.parse(stored?.expiresAt ?? '');
  if (stored?.values.access_token && storedEnd > env.clock.now()) tokens.set(stored.values.access_token, storedEnd);
  if (ACCESS_TOKEN && !tokens.has(ACCESS_TOKEN)) tokens.set(ACCESS_TOKEN, endOf(null, env.clock.now()));
  let refused = '';
  for (const [token, end] of tokens) {
    const checked = await verify(api, USER_ID, token, end);
    if (checked.success || !checked.expired) return checked.success ? checked : failure(checked.message);
    refused = `Shoonya refused the token (${checked.message}): `;
  }
  if (AUTH_CODE) return exchange(env, api, AUTH_CODE);
  return failure(`${refused || 'Shoonya needs a new login every day: '}${howToSignIn}`);
}

/** Ends the login at Shoonya. */
export async function logout(api: Api): Promise<Read> {
  const answer = await api.request('Logout', {}, true);
  if (!answer.success) return failure(answer.message);
  api.signIn(nobody);
  return { success: true, data: answer.body };
}

type Verified = Extract<Connected, { success: true }> | { success: false; message: string; expired: boolean };

async function verify(api: Api, user: string, token: string, end: number): Promise<Verified> {
  api.signIn({ token, user, account: user, trusted: false });
  const answer = await api.request('UserDetails');
  if (!answer.success) return { success: false, message: answer.message, expired: answer.kind === 'expired' };
  const known = profile.safeParse(answer.body);
  if (!known.success) return { success: false, message: `Shoonya's user details: ${issueText(known.error)}`, expired: false };
  const account = known.data.actid;
  api.signIn({ token, user, account, trusted: true });
  const login = { values: { access_token: token }, expiresAt: new Date(end).toISOString() };
  return { success: true, account, login, data: answer.body };
}

/** Trades a code, which works once and is burnt by a failure too, for the day's token. */
async function exchange(env: BrokerEnv, api: Api, code: string): Promise<Connected> {
  const { USER_ID, API_KEY, API_SECRET } = env.credentials;
  if (!USER_ID) return failure('SHOONYA_USER_ID is not set; without it Shoonya refuses a good code');
  if (!API_KEY) return failure('SHOONYA_API_KEY is not set');
  if (!API_SECRET) return failure('SHOONYA_API_SECRET is not set; it is needed to use a code');
  const checksum = createHash('sha256').update(`${API_KEY}${API_SECRET}${code}`).digest('hex');
  api.signIn({ ...nobody, user: USER_ID });
  const answer = await api.request('GenAcsTok', { code, checksum }, true);
  if (!answer.success) return failure(`Shoonya refused the code (${answer.message}); a code works once: ${howToSignIn}`);
  const opened = session.safeParse(answer.body);
  if (!opened.success) return failure(`Shoonya's session: ${issueText(opened.error)}`);
  const { access_token, expires_in } = opened.data;
  const checked = await verify(api, USER_ID, access_token, endOf(Number(expires_in), env.clock.now()));
  return checked.success ? checked : failure(checked.message);
}

/** The end of a token (epoch ms) from the epoch second it states, or else the next 06:00 in India. */
function endOf(statedSeconds: number | null, now: number): number {
  const at = (statedSeconds ?? 0) * 1000;
  return at > now && at < now + LONGEST_LIFE_MS ? at : nextIstHour(now, EXPIRY_HOUR_IST);
}

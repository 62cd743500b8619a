import { nextIstHour } from '../../clock.ts';
import type { BrokerEnv, Connected, Read, StoredLogin } from '../broker.ts';
import { failure, issueText } from '../parse.ts';
import { type Api, createApi } from './api.ts';
import { profile, session } from './wire.ts';

/** Upstox ends every token at 03:30 in India, whenever it was made. */
const EXPIRY_HOUR_IST = 3.5;

/** Where `npm run login` waits unless told otherwise. */
const REDIRECT_URI = 'http://127.0.0.1:5001/';

const howToSignIn =
  'run "npm run login -- upstox" with UPSTOX_API_KEY, UPSTOX_API_SECRET and the UPSTOX_REDIRECT_URI registered for the app, or set UPSTOX_ACCESS_TOKEN to a token of today';

function redirectUri(env: BrokerEnv): string {
  return env.credentials.REDIRECT_URI ?? REDIRECT_URI;
}

/** The page where the account holder signs in; it comes back with `code`. Throws without UPSTOX_API_KEY. */
export function loginUrl(env: BrokerEnv): string {
  if (!env.credentials.API_KEY) throw new Error('UPSTOX_API_KEY is not set');
  const query = { response_type: 'code', client_id: env.credentials.API_KEY, redirect_uri: redirectUri(env) };
  return `${env.loginUrl}?${new URLSearchParams(query)}`;
}

/** Signs in with what came back on the redirect, in a connection of its own. */
export async function loginByRedirect(env: BrokerEnv, query: Readonly<Record<string, string>>): Promise<Connected> {
  if (!query.code) return failure('Upstox sent the browser back without a code');
  const api = createApi(env);
  try {
    return await exchange(env, api, query.code);
  } finally {
    await api.close();
  }
}

/** Signs in: the stored login while it lives, then UPSTOX_ACCESS_TOKEN, then UPSTOX_AUTH_CODE; each is tried on the profile. */
export async function connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<Connected> {
  const { ACCESS_TOKEN, AUTH_CODE } = env.credentials;
  const living = stored && Date.parse(stored.expiresAt) > env.clock.now() ? stored.values.access_token : undefined;
  let refusal = '';
  for (const token of new Set([living, ACCESS_TOKEN])) {
    if (!token) continue;
    const checked = await verify(env, api, token);
    if (checked.success || !checked.expired) return checked.success ? checked : failure(checked.message);
    refusal = `Upstox refused the token (${checked.message}): `;
  }
  if (AUTH_CODE) return exchange(env, api, AUTH_CODE);
  return failure(`${refusal || 'Upstox needs a new login every day: '}${howToSignIn}`);
}

/** Ends the login at Upstox. */
export async function logout(api: Api): Promise<Read> {
  const answer = await api.request({ method: 'DELETE', path: '/v2/logout', mutating: true });
  if (!answer.success) return failure(answer.message);
  api.signIn('', false);
  return answer;
}

type Verified = Extract<Connected, { success: true }> | { success: false; message: string; expired: boolean };

async function verify(env: BrokerEnv, api: Api, token: string): Promise<Verified> {
  api.signIn(token, false);
  const answer = await api.request({ method: 'GET', path: '/v2/user/profile', mutating: false });
  if (!answer.success) return answer;
  const known = profile.safeParse(answer.data);
  if (!known.success) return { success: false, message: `Upstox's profile: ${issueText(known.error)}`, expired: false };
  api.signIn(token, true);
  return {
    success: true,
    account: known.data.user_id,
    login: { values: { access_token: token }, expiresAt: new Date(nextIstHour(env.clock.now(), EXPIRY_HOUR_IST)).toISOString() },
    data: answer.data,
  };
}

/** Trades a code, which works once and is burnt by a failure too, for the day's token. */
async function exchange(env: BrokerEnv, api: Api, code: string): Promise<Connected> {
  const { API_KEY, API_SECRET } = env.credentials;
  if (!API_KEY) return failure('UPSTOX_API_KEY is not set');
  if (!API_SECRET) return failure('UPSTOX_API_SECRET is not set; it is needed to use an authorisation code');
  const keys = { client_id: API_KEY, client_secret: API_SECRET, redirect_uri: redirectUri(env) };
  api.signIn('', false);
  const form = { code, ...keys, grant_type: 'authorization_code' };
  const answer = await api.bare({ method: 'POST', path: '/v2/login/authorization/token', form, mutating: true });
  if (!answer.success) return failure(`Upstox refused the code (${answer.message}); a code works once: ${howToSignIn}`);
  const opened = session.safeParse(answer.data);
  if (!opened.success) return failure(`Upstox's session: ${issueText(opened.error)}`);
  const checked = await verify(env, api, opened.data.access_token);
  return checked.success ? checked : failure(checked.message);
}

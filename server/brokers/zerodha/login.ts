import { createHash } from 'node:crypto';
import { nextIstHour } from '../../clock.ts';
import type { BrokerEnv, Connected, Read, StoredLogin } from '../broker.ts';
import { failure, issueText } from '../parse.ts';
import { type Api, createApi } from './api.ts';
import { profile, session } from './wire.ts';

/** Kite ends every token at 06:00 in India. */
const EXPIRY_HOUR_IST = 6;

const howToSignIn =
  'run "npm run login -- zerodha", or set ZERODHA_ACCESS_TOKEN to a token of today, or ZERODHA_REQUEST_TOKEN together with ZERODHA_API_SECRET';

/** The page where the account holder signs in; it comes back with `request_token`. Throws without ZERODHA_API_KEY. */
export function loginUrl(env: BrokerEnv): string {
  if (!env.credentials.API_KEY) throw new Error('ZERODHA_API_KEY is not set');
  return `${env.loginUrl}?${new URLSearchParams({ v: '3', api_key: env.credentials.API_KEY })}`;
}

/** Signs in with what came back on the redirect, in a connection of its own. */
export async function loginByRedirect(env: BrokerEnv, query: Readonly<Record<string, string>>): Promise<Connected> {
  if (!query.request_token || (query.status ?? 'success') !== 'success')
    return failure('Zerodha sent the browser back without a request token');
  const api = createApi(env);
  try {
    return await exchange(env, api, query.request_token);
  } finally {
    await api.close();
  }
}

/** Signs in: the stored login while it lives, then ZERODHA_ACCESS_TOKEN, then ZERODHA_REQUEST_TOKEN; each is tried on the profile. */
export async function connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<Connected> {
  const { API_KEY, ACCESS_TOKEN, REQUEST_TOKEN } = env.credentials;
  if (!API_KEY) return failure('ZERODHA_API_KEY is not set');
  const living = stored && Date.parse(stored.expiresAt) > env.clock.now() ? stored.values.access_token : undefined;
  let refusal = '';
  for (const token of new Set([living, ACCESS_TOKEN])) {
    if (!token) continue;
    const checked = await verify(env, api, token);
    if (checked.success || !checked.expired) return checked.success ? checked : failure(checked.message);
    refusal = `Zerodha refused the token (${checked.message}); check ZERODHA_API_KEY, or `;
  }
  if (REQUEST_TOKEN) return exchange(env, api, REQUEST_TOKEN);
  return failure(`${refusal || 'Zerodha needs a new login every day: '}${howToSignIn}`);
}

/** Ends the login at Zerodha. */
export async function logout(env: BrokerEnv, api: Api): Promise<Read> {
  const query = { api_key: env.credentials.API_KEY ?? '', access_token: api.token() };
  const answer = await api.request({ method: 'DELETE', path: '/session/token', query, mutating: true });
  if (!answer.success) return failure(answer.message);
  api.signIn('', false);
  return answer;
}

type Verified = Extract<Connected, { success: true }> | { success: false; message: string; expired: boolean };

async function verify(env: BrokerEnv, api: Api, token: string): Promise<Verified> {
  api.signIn(token, false);
  const answer = await api.request({ method: 'GET', path: '/user/profile', mutating: false });
  if (!answer.success) return answer;
  const known = profile.safeParse(answer.data);
  if (!known.success) return { success: false, message: `Zerodha's profile: ${issueText(known.error)}`, expired: false };
  api.signIn(token, true);
  return {
    success: true,
    account: known.data.user_id,
    login: { values: { access_token: token }, expiresAt: new Date(nextIstHour(env.clock.now(), EXPIRY_HOUR_IST)).toISOString() },
    data: answer.data,
  };
}

/** Trades a request token, which works once, for the day's access token. */
async function exchange(env: BrokerEnv, api: Api, requestToken: string): Promise<Connected> {
  const { API_KEY, API_SECRET } = env.credentials;
  if (!API_KEY) return failure('ZERODHA_API_KEY is not set');
  if (!API_SECRET) return failure('ZERODHA_API_SECRET is not set; it is needed to use a request token');
  const checksum = createHash('sha256').update(`${API_KEY}${requestToken}${API_SECRET}`).digest('hex');
  api.signIn('', false);
  const form = { api_key: API_KEY, request_token: requestToken, checksum };
  const answer = await api.request({ method: 'POST', path: '/session/token', form, mutating: true });
  if (!answer.success) {
    return failure(
      `Zerodha refused the request token (${answer.message}); it works once and for a few minutes, with the right ZERODHA_API_SECRET: ${howToSignIn}`,
    );
  }
  const opened = session.safeParse(answer.data);
  if (!opened.success) return failure(`Zerodha's session: ${issueText(opened.error)}`);
  const checked = await verify(env, api, opened.data.access_token);
  return checked.success ? checked : failure(checked.message);
}

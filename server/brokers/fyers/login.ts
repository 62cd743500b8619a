import { createHash } from 'node:crypto';
import { z } from 'zod';
import { nextIstHour } from '../../clock.ts';
import type { BrokerEnv, Connected, Read, StoredLogin } from '../broker.ts';
import { failure, issueText, readJson } from '../parse.ts';
import { type Answer, type Api, createApi } from './api.ts';
import { profile, session } from './wire.ts';

/** When a token ends that does not say so itself: FYERS wants a new login every day. */
const EXPIRY_HOUR_IST = 6;

const howToSignIn =
  'run "npm run login -- fyers", or set FYERS_ACCESS_TOKEN to a token of today, or FYERS_AUTH_CODE together with FYERS_SECRET_KEY';

/** The page where the account holder signs in; it comes back with `auth_code`. Throws without FYERS_APP_ID or FYERS_REDIRECT_URI. */
export function loginUrl(env: BrokerEnv): string {
  const { APP_ID, REDIRECT_URI } = env.credentials;
  if (!APP_ID) throw new Error('FYERS_APP_ID is not set');
  if (!REDIRECT_URI) throw new Error('FYERS_REDIRECT_URI is not set; it is the redirect address registered with the app');
  const query = { client_id: APP_ID, redirect_uri: REDIRECT_URI, response_type: 'code', state: 'broker-gateway' };
  return `${env.loginUrl}?${new URLSearchParams(query)}`;
}

/** Signs in with what came back on the redirect, in a connection of its own. */
export async function loginByRedirect(env: BrokerEnv, query: Readonly<Record<string, string>>): Promise<Connected> {
  if (!query.auth_code || (query.s ?? 'ok') !== 'ok') return failure('FYERS sent the browser back without an auth code');
  const api = createApi(env);
  try {
    return await exchange(env, api, query.auth_code);
  } finally {
    await api.close();
  }
}

/** Signs in: the stored login while it lives, then FYERS_ACCESS_TOKEN, then FYERS_AUTH_CODE; each is tried on the profile. */
export async function connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<Connected> {
  const { APP_ID, ACCESS_TOKEN, AUTH_CODE } = env.credentials;
  if (!APP_ID) return failure('FYERS_APP_ID is not set');
  const living = stored && Date.parse(stored.expiresAt) > env.clock.now() ? stored.values.access_token : undefined;
  let refusal = '';
  for (const token of new Set([living, ACCESS_TOKEN])) {
    if (!token) continue;
    const checked = await verify(env, api, token);
    if (checked.success) return checked.data;
    if (!checked.expired) return failure(checked.message);
    refusal = `FYERS refused the token (${checked.message}); check FYERS_APP_ID, or `;
  }
  if (AUTH_CODE) return exchange(env, api, AUTH_CODE);
  return failure(`${refusal || 'FYERS needs a new login every day: '}${howToSignIn}`);
}

/** Ends the login at FYERS, for this app alone. */
export async function logout(api: Api): Promise<Read> {
  const answer = await api.request({ method: 'POST', path: '/api/v3/logout', json: {}, mutating: true });
  if (!answer.success) return failure(answer.message);
  api.signIn('', false);
  return answer;
}

async function verify(env: BrokerEnv, api: Api, token: string): Promise<Answer<Connected>> {
  api.signIn(token, false);
  const answer = await api.read('/api/v3/profile', 'data');
  if (!answer.success) return answer;
  const known = profile.safeParse(answer.data);
  if (!known.success) return { success: false, message: `FYERS' profile: ${issueText(known.error)}`, expired: false };
  api.signIn(token, true);
  const login = { values: { access_token: token }, expiresAt: new Date(endOf(token, env.clock.now())).toISOString() };
  return { success: true, data: { success: true, account: known.data.fy_id, login, data: answer.data } };
}

const claims = z.looseObject({ exp: z.number() });

/** The end a token states (epoch ms), or the next 06:00 in India when it states none that lies ahead. */
function endOf(token: string, now: number): number {
  const stated = claims.safeParse(readJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).data;
  const at = (stated?.exp ?? 0) * 1000;
  return at > now ? at : nextIstHour(now, EXPIRY_HOUR_IST);
}

/** Trades an auth code, which works once, for the day's access token. */
async function exchange(env: BrokerEnv, api: Api, code: string): Promise<Connected> {
  const { APP_ID, SECRET_KEY } = env.credentials;
  if (!APP_ID) return failure('FYERS_APP_ID is not set');
  if (!SECRET_KEY) return failure('FYERS_SECRET_KEY is not set; it is needed to use an auth code');
  const appIdHash = createHash('sha256').update(`${APP_ID}:${SECRET_KEY}`).digest('hex');
  api.signIn('', false);
  const json = { grant_type: 'authorization_code', appIdHash, code };
  const answer = await api.request({ method: 'POST', path: '/api/v3/validate-authcode', json, mutating: true });
  if (!answer.success) {
    return failure(
      `FYERS refused the auth code (${answer.message}); it works once and for a few minutes, with the right FYERS_SECRET_KEY: ${howToSignIn}`,
    );
  }
  const opened = session.safeParse(answer.data);
  if (!opened.success) return failure(`FYERS' session: ${issueText(opened.error)}`);
  const checked = await verify(env, api, opened.data.access_token);
  return checked.success ? checked.data : failure(checked.message);
}

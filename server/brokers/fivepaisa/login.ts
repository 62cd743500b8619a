import { Secret, TOTP } from 'otpauth';
import { z } from 'zod';
import { nextIstHour } from '../../clock.ts';
import type { BrokerEnv, Connected, Read, StoredLogin } from '../broker.ts';
import { failure, issueText, readJson } from '../parse.ts';
import { type Answer, type Api, createApi } from './api.ts';
import { requestToken, session } from './wire.ts';

/** What a login without a person needs; a browser login needs the first three and REDIRECT_URI. */
const headless = ['USER_KEY', 'ENCRYPTION_KEY', 'USER_ID', 'CLIENT_CODE', 'PIN', 'TOTP_SECRET'] as const;
export const settings = [...headless, 'REDIRECT_URI'] as const;

/** A token lives until 23:59 of its day in India. */
const EXPIRY_HOUR_IST = 23 + 59 / 60;

/** The page where the account holder signs in; it comes back with `RequestToken`. Throws without the settings it needs. */
export function loginUrl(env: BrokerEnv): string {
  const { USER_KEY, REDIRECT_URI } = env.credentials;
  if (!USER_KEY) throw new Error('FIVEPAISA_USER_KEY is not set');
  if (!REDIRECT_URI) throw new Error('FIVEPAISA_REDIRECT_URI is not set; it is where 5paisa sends the browser back to');
  return `${env.loginUrl}?${new URLSearchParams({ VendorKey: USER_KEY, ResponseURL: REDIRECT_URI, State: 'broker-gateway' })}`;
}

/** Signs in with what came back on the redirect, in a connection of its own. */
export async function loginByRedirect(env: BrokerEnv, query: Readonly<Record<string, string>>): Promise<Connected> {
  if (!query.RequestToken) return failure('5paisa sent the browser back without a request token');
  const missing = headless.slice(0, 3).filter((name) => !env.credentials[name]);
  if (missing.length > 0) return failure(notSet(missing));
  const api = createApi(env);
  try {
    return await exchange(env, api, query.RequestToken);
  } finally {
    await api.close();
  }
}

/** Signs in: the stored login while it lives and is the configured client's, else client code, PIN and a code of the authenticator secret. */
export async function connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<Connected> {
  if (stored && env.credentials.USER_KEY && isOurs(env, stored)) {
    const checked = await verify(api, stored);
    if (checked.success || !checked.expired) return checked.success ? checked.connected : failure(checked.message);
  }
  const missing = headless.filter((name) => !env.credentials[name]);
  if (missing.length > 0) return failure(`${notSet(missing)}; or run "npm run login -- fivepaisa"`);
  const { CLIENT_CODE, PIN, TOTP_SECRET = '' } = env.credentials;
  const code = codeOf(TOTP_SECRET, env.clock.now());
  if (code === null) return failure('FIVEPAISA_TOTP_SECRET is not the base32 text that was shown when the authenticator was set up');
  const answer = await api.login('/TOTPLogin', { Email_ID: CLIENT_CODE, TOTP: code, PIN });
  if (!answer.success) return refusedLogin(answer.message);
  const opened = requestToken.safeParse(answer.body);
  return opened.success ? exchange(env, api, opened.data.RequestToken) : refusedLogin(String(answer.body.Message || 'no request token'));
}

/** 5paisa has no call that ends a login: it is forgotten here and ends by itself. */
export async function logout(api: Api): Promise<Read> {
  api.signIn('', '', false);
  return { success: true, message: '5paisa has no logout call: the token is forgotten here and ends at 23:59 in India', data: null };
}

function isOurs(env: BrokerEnv, stored: StoredLogin): boolean {
  const { CLIENT_CODE } = env.credentials;
  const client = stored.values.client ?? '';
  if (!stored.values.token || Date.parse(stored.expiresAt) <= env.clock.now()) return false;
  return !CLIENT_CODE || client.toUpperCase() === CLIENT_CODE.toUpperCase();
}

/** Trades a request token, which works once and for half a minute, for the day's access token. */
async function exchange(env: BrokerEnv, api: Api, token: string): Promise<Connected> {
  const { ENCRYPTION_KEY: EncryKey, USER_ID: UserId, CLIENT_CODE } = env.credentials;
  const answer = await api.login('/GetAccessToken', { RequestToken: token, EncryKey, UserId });
  if (!answer.success) return refusedLogin(answer.message);
  const opened = session.safeParse(answer.body);
  // A refusal comes as a success with an empty token.
  if (!opened.success) return refusedLogin(String(answer.body.Message || issueText(opened.error)));
  const { AccessToken, ClientCode } = opened.data;
  if (CLIENT_CODE && ClientCode.toUpperCase() !== CLIENT_CODE.toUpperCase())
    return failure('5paisa signed in another client than FIVEPAISA_CLIENT_CODE names');
  const { AccessToken: _token, RefreshToken: _refresh, ...profile } = answer.body;
  const expiresAt = new Date(endOf(AccessToken, env.clock.now())).toISOString();
  const values = { token: AccessToken, client: ClientCode, profile: JSON.stringify(profile) };
  const checked = await verify(api, { values, expiresAt });
  return checked.success ? checked.connected : failure(checked.message);
}

type Verified = { success: true; connected: Extract<Connected, { success: true }> } | Extract<Answer, { success: false }>;

async function verify(api: Api, login: StoredLogin): Promise<Verified> {
  const { token = '', client = '', profile = '' } = login.values;
  api.signIn(token, client, false);
  const answer = await api.read('/V4/Margin');
  if (!answer.success) return answer;
  api.signIn(token, client, true);
  return { success: true, connected: { success: true, account: client, login, data: readJson(profile) ?? null } };
}

const claims = z.looseObject({ exp: z.number() });

/** The end of a token (epoch ms): 23:59 in India, or earlier where the token itself says so. */
function endOf(token: string, now: number): number {
  const stated = claims.safeParse(readJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).data;
  const day = nextIstHour(now, EXPIRY_HOUR_IST);
  const at = (stated?.exp ?? 0) * 1000;
  return at > now ? Math.min(at, day) : day;
}

/** The six digits an authenticator shows at `now` (epoch ms); null for a secret that is not base32. */
function codeOf(secret: string, now: number): string | null {
  try {
    return new TOTP({ secret: Secret.fromBase32(secret.replaceAll(/[\s-]/g, '')) }).generate({ timestamp: now });
  } catch {
    return null;
  }
}

function notSet(missing: readonly string[]): string {
  return `Not set: ${missing.map((name) => `FIVEPAISA_${name}`).join(', ')}`;
}

function refusedLogin(message: string) {
  return failure(`5paisa did not sign in (${message}); check ${headless.map((name) => `FIVEPAISA_${name}`).join(', ')}`);
}

import { z } from 'zod';
import { nextIstHour } from '../../clock.ts';
import type { BrokerEnv, Connected, Read, StoredLogin } from '../broker.ts';
import type { Refused } from '../dialect.ts';
import { pageLogin } from '../login-flow.ts';
import { connected, living, loginFailure, oneTimeCode, statedEnd, tryLogin, type Verified } from '../login-trial.ts';
import { failure, issueText, readJson } from '../parse.ts';
import { type Api, createApi } from './api.ts';
import { requestToken, session } from './wire.ts';

/** What a login without a person needs; a browser login needs the first three and REDIRECT_URI. */
const headless = ['USER_KEY', 'ENCRYPTION_KEY', 'USER_ID', 'CLIENT_CODE', 'PIN', 'TOTP_SECRET'] as const;
export const settings = [...headless, 'REDIRECT_URI'] as const;

/** A token lives until 23:59 of its day in India. */
const EXPIRY_HOUR_IST = 23 + 59 / 60;

export const login = pageLogin(
  {
    name: '5paisa',
    prefix: 'FIVEPAISA',
    page: {
      needs: { USER_KEY: '', REDIRECT_URI: '; it is where 5paisa sends the browser back to' },
      query: ({ credentials: { USER_KEY = '', REDIRECT_URI = '' } }, state) => ({
        VendorKey: USER_KEY,
        ResponseURL: REDIRECT_URI,
        State: state,
      }),
      stateIn: 'state',
    },
    code: { called: 'a request token', codeIn: 'RequestToken', inQuery: ({ RequestToken }) => RequestToken },
    createApi,
  },
  async (env, api: Api, token) => {
    const missing = headless.slice(0, 3).filter((name) => !env.credentials[name]);
    return missing.length > 0 ? failure(notSet(missing)) : exchange(env, api, token);
  },
);

/** Signs in: the stored login while it lives and is the configured client's, else client code, PIN and a code of the authenticator secret. */
export async function connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<Connected> {
  const kept = living(stored, env);
  if (kept && env.credentials.USER_KEY && isOurs(env, kept)) {
    const checked = await verify(api, kept);
    if (checked.success || !checked.expired) return connected(checked);
  }
  const missing = headless.filter((name) => !env.credentials[name]);
  if (missing.length > 0) return failure(`${notSet(missing)}; or run "npm run login -- fivepaisa"`);
  const { CLIENT_CODE, PIN, TOTP_SECRET = '' } = env.credentials;
  const code = oneTimeCode(TOTP_SECRET, env.clock.now());
  if (code === null) return failure('FIVEPAISA_TOTP_SECRET is not the base32 text that was shown when the authenticator was set up');
  const answer = await api.step('/TOTPLogin', { Email_ID: CLIENT_CODE, TOTP: code, PIN });
  if (!answer.success) return refusedLogin(answer.message, answer);
  const opened = requestToken.safeParse(answer.data);
  return opened.success
    ? exchange(env, api, opened.data.RequestToken)
    : refusedLogin(env.redactor.hide(String(answer.data.Message || 'no request token')));
}

/** 5paisa has no call that ends a login: it is forgotten here and ends by itself. */
export async function logout(api: Api): Promise<Read> {
  api.signOut();
  return { success: true, message: '5paisa has no logout call: the token is forgotten here and ends at 23:59 in India', data: null };
}

function isOurs({ credentials: { CLIENT_CODE } }: BrokerEnv, { values: { token, client = '' } }: StoredLogin): boolean {
  return Boolean(token) && (!CLIENT_CODE || client.toUpperCase() === CLIENT_CODE.toUpperCase());
}

/** Trades a request token, which works once and for half a minute, for the day's access token. */
async function exchange(env: BrokerEnv, api: Api, token: string): Promise<Connected> {
  const { ENCRYPTION_KEY: EncryKey, USER_ID: UserId, CLIENT_CODE } = env.credentials;
  env.redactor.learn(token);
  const answer = await api.step('/GetAccessToken', { RequestToken: token, EncryKey, UserId });
  if (!answer.success) return refusedLogin(answer.message, answer);
  const opened = session.safeParse(answer.data);
  // A refusal comes as a success with an empty token.
  if (!opened.success) return refusedLogin(env.redactor.hide(String(answer.data.Message || issueText(opened.error))));
  const { AccessToken, ClientCode } = opened.data;
  if (CLIENT_CODE && ClientCode.toUpperCase() !== CLIENT_CODE.toUpperCase())
    return failure('5paisa signed in another client than FIVEPAISA_CLIENT_CODE names');
  const { AccessToken: _token, RefreshToken: _refresh, ...profile } = answer.data;
  const expiresAt = new Date(endOf(AccessToken, env.clock.now())).toISOString();
  const values = { token: AccessToken, client: ClientCode, profile: JSON.stringify(profile) };
  return connected(await verify(api, { values, expiresAt }));
}

/** Tries a login on the margin: 5paisa tells the profile at sign-in alone, so it is kept with the login. */
async function verify(api: Api, { values, expiresAt }: StoredLogin): Promise<Verified> {
  const { token = '', client = '', profile = '' } = values;
  const accept = () => ({ account: client, values, until: Date.parse(expiresAt) });
  const checked = await tryLogin(api, { token, client }, { ask: () => api.read('/V4/Margin'), profile: z.unknown(), accept });
  return checked.success ? { ...checked, data: readJson(profile) ?? null } : checked;
}

/** The end of a token (epoch ms): 23:59 in India, or earlier where the token itself says so. */
function endOf(token: string, now: number): number {
  const day = nextIstHour(now, EXPIRY_HOUR_IST);
  const at = statedEnd(token) ?? 0;
  return at > now ? Math.min(at, day) : day;
}

function notSet(missing: readonly string[]): string {
  return `Not set: ${missing.map((name) => `FIVEPAISA_${name}`).join(', ')}`;
}

function refusedLogin(message: string, answer?: Refused) {
  const told = `5paisa did not sign in (${message}); check ${headless.map((name) => `FIVEPAISA_${name}`).join(', ')}`;
  return answer ? loginFailure(told, answer) : failure(told);
}

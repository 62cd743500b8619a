import { Secret, TOTP } from 'otpauth';
import { nextIstHour } from '../../clock.ts';
import type { BrokerEnv, Connected, Read, StoredLogin } from '../broker.ts';
import { failure, issueText } from '../parse.ts';
import type { Api } from './api.ts';
import { profile, session } from './wire.ts';

/** Everything a login needs; no person has to be there. */
export const settings = ['API_KEY', 'CLIENT_ID', 'PIN', 'TOTP_SECRET'] as const;

const USER = '/rest/secure/angelbroking/user/v1';
/** A session lives until midnight in India. */
const EXPIRY_HOUR_IST = 0;

/** Signs in: the stored login while it lives and is the configured client's, else client code, PIN and a code of the authenticator secret. */
export async function connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<Connected> {
  const missing = settings.filter((name) => !env.credentials[name]);
  if (missing.length > 0) return failure(`Not set: ${missing.map((name) => `ANGELONE_${name}`).join(', ')}`);
  const living = stored && Date.parse(stored.expiresAt) > env.clock.now() ? stored : null;
  if (living?.values.jwt) {
    const checked = await verify(env, api, living.values);
    if (checked.success || !checked.stale) return checked.success ? checked : failure(checked.message);
  }
  return signIn(env, api);
}

/** Ends the login at Angel One. */
export async function logout(env: BrokerEnv, api: Api): Promise<Read> {
  const json = { clientcode: env.credentials.CLIENT_ID };
  const answer = await api.request({ method: 'POST', path: `${USER}/logout`, json, mutating: true });
  if (!answer.success) return failure(answer.message);
  api.signIn({ jwt: '', feed: '' }, false);
  return answer;
}

async function signIn(env: BrokerEnv, api: Api): Promise<Connected> {
  const { CLIENT_ID: clientcode, PIN: password, TOTP_SECRET: secret = '' } = env.credentials;
  const totp = codeOf(secret, env.clock.now());
  if (totp === null) return failure('ANGELONE_TOTP_SECRET is not the base32 text that was shown when the authenticator was set up');
  api.signIn({ jwt: '', feed: '' }, false);
  const path = '/rest/auth/angelbroking/user/v1/loginByPassword';
  const answer = await api.request({ method: 'POST', path, json: { clientcode, password, totp }, mutating: true });
  if (!answer.success) {
    return failure(`Angel One did not sign in (${answer.message}); check ${settings.map((name) => `ANGELONE_${name}`).join(', ')}`);
  }
  const opened = session.safeParse(answer.data);
  if (!opened.success) return failure(`Angel One's session: ${issueText(opened.error)}`);
  const { jwtToken: jwt, feedToken: feed } = opened.data;
  const checked = await verify(env, api, { jwt, ...(feed === null ? {} : { feed }) });
  return checked.success ? checked : failure(checked.message);
}

/** `stale`: the login is dead or another client's, so a new one is needed. */
type Verified = Extract<Connected, { success: true }> | { success: false; message: string; stale: boolean };

async function verify(env: BrokerEnv, api: Api, values: Record<string, string>): Promise<Verified> {
  const tokens = { jwt: values.jwt ?? '', feed: values.feed ?? '' };
  api.signIn(tokens, false);
  const answer = await api.request({ method: 'GET', path: `${USER}/getProfile`, mutating: false });
  if (!answer.success) return { success: false, message: answer.message, stale: answer.expired };
  const known = profile.safeParse(answer.data);
  if (!known.success) return { success: false, message: `Angel One's profile: ${issueText(known.error)}`, stale: false };
  const { clientcode } = known.data;
  if (clientcode.toUpperCase() !== env.credentials.CLIENT_ID?.toUpperCase())
    return { success: false, message: 'The login is not that of ANGELONE_CLIENT_ID', stale: true };
  api.signIn(tokens, true);
  return {
    success: true,
    account: clientcode,
    login: { values, expiresAt: new Date(nextIstHour(env.clock.now(), EXPIRY_HOUR_IST)).toISOString() },
    data: answer.data,
  };
}

/** The six digits an authenticator shows at `now` (epoch ms); null for a secret that is not base32. */
function codeOf(secret: string, now: number): string | null {
  try {
    return new TOTP({ secret: Secret.fromBase32(secret.replaceAll(/[\s-]/g, '')) }).generate({ timestamp: now });
  } catch {
    return null;
  }
}

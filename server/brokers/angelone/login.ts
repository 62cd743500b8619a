import { nextIstHour } from '../../clock.ts';
import type { BrokerEnv, Connected, Read, StoredLogin } from '../broker.ts';
import { connected, living, loginFailure, oneTimeCode, tryLogin } from '../login-trial.ts';
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
  const kept = living(stored, env);
  if (kept?.values.jwt) {
    const checked = await verify(env, api, kept.values);
    if (checked.success || !checked.expired) return connected(checked);
  }
  return signIn(env, api);
}

/** Ends the login at Angel One. */
export function logout(env: BrokerEnv, api: Api): Promise<Read> {
  return api.logout({ method: 'POST', path: `${USER}/logout`, json: { clientcode: env.credentials.CLIENT_ID } });
}

async function signIn(env: BrokerEnv, api: Api): Promise<Connected> {
  const { CLIENT_ID: clientcode, PIN: password, TOTP_SECRET: secret = '' } = env.credentials;
  const totp = oneTimeCode(secret, env.clock.now());
  if (totp === null) return failure('ANGELONE_TOTP_SECRET is not the base32 text that was shown when the authenticator was set up');
  api.signOut();
  const path = '/rest/auth/angelbroking/user/v1/loginByPassword';
  const answer = await api.ask({ method: 'POST', path, json: { clientcode, password, totp } }, true);
  if (!answer.success) {
    const message = `Angel One did not sign in (${answer.message}); check ${settings.map((name) => `ANGELONE_${name}`).join(', ')}`;
    return loginFailure(message, answer);
  }
  const opened = session.safeParse(answer.data);
  if (!opened.success) return failure(`Angel One's session: ${issueText(opened.error)}`);
  const { jwtToken: jwt, feedToken: feed } = opened.data;
  return connected(await verify(env, api, { jwt, ...(feed === null ? {} : { feed }) }));
}

function verify({ clock, credentials }: BrokerEnv, api: Api, values: Record<string, string>) {
  const { jwt = '', feed = '' } = values;
  return tryLogin(
    api,
    { jwt, feed },
    {
      ask: () => api.get(`${USER}/getProfile`),
      profile,
      accept: ({ clientcode }) =>
        clientcode.toUpperCase() === credentials.CLIENT_ID?.toUpperCase()
          ? { account: clientcode, values, until: nextIstHour(clock.now(), EXPIRY_HOUR_IST) }
          : 'The login is not that of ANGELONE_CLIENT_ID',
    },
  );
}

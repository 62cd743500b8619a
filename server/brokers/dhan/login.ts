import { parseIst } from '../../clock.ts';
import type { BrokerEnv, Connected, StoredLogin } from '../broker.ts';
import { CallError, createHttp } from '../http.ts';
import { connectByToken, connected, loginFailure, oneTimeCode, tryLogin } from '../login-trial.ts';
import { failure } from '../parse.ts';
import type { Api } from './api.ts';
import { problem, problemText, profile, session } from './wire.ts';

/** The longest a token lives. */
const LIFE_MS = 86_400_000;

const howTo = 'set DHAN_PIN and DHAN_TOTP_SECRET, or DHAN_ACCESS_TOKEN to a token made at web.dhan.co in the last 24 hours';

/** Signs in: the stored login while it lives, then DHAN_ACCESS_TOKEN, then PIN and TOTP; each is tried on the profile. */
export async function connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<Connected> {
  const { CLIENT_ID: client, PIN: pin, TOTP_SECRET: secret, ACCESS_TOKEN } = env.credentials;
  if (!client) return failure(`DHAN_CLIENT_ID is not set; beside it ${howTo}`);
  return connectByToken(env, stored, {
    name: 'Dhan',
    howTo,
    wants: 'needs a login',
    given: ACCESS_TOKEN,
    key: 'access_token',
    verify: (token, until) => verify(env, api, { client, token }, until),
    fresh: () => (pin && secret ? byTotp(env, api, { client, pin, secret }) : null),
  });
}

function verify({ clock }: BrokerEnv, api: Api, login: { client: string; token: string }, until: number | null) {
  return tryLogin(api, login, {
    ask: () => api.get('/profile'),
    profile,
    accept({ dhanClientId, tokenValidity }) {
      // Another account's token is as good as none: the next way to sign in may be the right one.
      if (dhanClientId !== login.client) return 'it belongs to another client than DHAN_CLIENT_ID';
      const end = [until, validity(tokenValidity)].find((at) => at !== null && at > clock.now());
      return { account: dhanClientId, values: { access_token: login.token }, until: end ?? clock.now() + LIFE_MS };
    },
  });
}

/** Makes a new token with PIN and TOTP. */
async function byTotp(env: BrokerEnv, api: Api, given: { client: string; pin: string; secret: string }): Promise<Connected> {
  const totp = oneTimeCode(given.secret, env.clock.now());
  if (totp === null) return failure('DHAN_TOTP_SECRET is not the base32 text Dhan shows when TOTP is set up');
  env.redactor.learn(totp);
  const http = createHttp({ origin: env.loginUrl, localAddress: env.localAddress, clock: env.clock, log: env.log, held: env.held });
  try {
    const query = { dhanClientId: given.client, pin: given.pin, totp };
    const reply = await http.call({ method: 'POST', path: '/app/generateAccessToken', query, mutating: true });
    const body = reply.json();
    const opened = session.safeParse(body);
    if (reply.status !== 200 || !opened.success) {
      const told = problem.safeParse(body).data;
      const said = told ? env.redactor.hide(problemText(told)) : `HTTP ${reply.status}`;
      const message = `Dhan gave no token (${said}): check DHAN_CLIENT_ID, DHAN_PIN and DHAN_TOTP_SECRET, and that TOTP is set up at Dhan; wait two minutes between tries`;
      return loginFailure(message, { success: false, message: said, status: reply.status, unread: body === undefined });
    }
    const login = { client: given.client, token: opened.data.accessToken };
    return connected(await verify(env, api, login, parseIst(opened.data.expiryTime ?? '')));
  } catch (error) {
    if (error instanceof CallError)
      return loginFailure(error.message, { success: false, message: error.message, status: 0, unreached: !error.sent });
    throw error;
  } finally {
    await http.close();
  }
}

/** `30/03/2025 15:37`, IST -> epoch ms. */
function validity(text: string | null): number | null {
  const match = /^(\d\d)\/(\d\d)\/(\d{4}) (\d\d:\d\d)$/.exec(text ?? '');
  return match ? parseIst(`${match[3]}-${match[2]}-${match[1]} ${match[4]}`) : null;
}

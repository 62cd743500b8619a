import { nextIstHour } from '../../clock.ts';
import type { BrokerEnv, Read } from '../broker.ts';
import { dayLogin } from '../login-flow.ts';
import { tryLogin } from '../login-trial.ts';
import { type Api, createApi, TOKEN_PATH } from './api.ts';
import { profile, session } from './wire.ts';

/** Upstox ends every token at 03:30 in India, whenever it was made. */
const EXPIRY_HOUR_IST = 3.5;

/** Where `npm run login` waits unless told otherwise. */
const REDIRECT_URI = 'http://127.0.0.1:5001/';

export const { connect, login } = dayLogin({
  name: 'Upstox',
  prefix: 'UPSTOX',
  howTo:
    'run "npm run login -- upstox" with UPSTOX_API_KEY, UPSTOX_API_SECRET and the UPSTOX_REDIRECT_URI registered for the app, or set UPSTOX_ACCESS_TOKEN to a token of today',
  wants: 'needs a new login every day',
  token: 'ACCESS_TOKEN',
  key: 'access_token',
  page: {
    needs: { API_KEY: '' },
    query: ({ credentials: { API_KEY = '', REDIRECT_URI: back = REDIRECT_URI } }, state) => ({
      response_type: 'code',
      client_id: API_KEY,
      redirect_uri: back,
      state,
    }),
    stateIn: 'state',
  },
  code: {
    called: 'a code',
    codeIn: 'code',
    inQuery: ({ code }) => code,
    inSettings: ({ AUTH_CODE }) => AUTH_CODE,
    needs: () => ({ API_KEY: '', API_SECRET: '; it is needed to use an authorisation code' }),
    trade({ credentials: { API_KEY = '', API_SECRET = '', REDIRECT_URI: back = REDIRECT_URI } }, api, code) {
      const form = { code, client_id: API_KEY, client_secret: API_SECRET, redirect_uri: back, grant_type: 'authorization_code' };
      return api.ask({ method: 'POST', path: TOKEN_PATH, form }, true);
    },
    // It is burnt by a failure too.
    refused: (message) => `code (${message}); a code works once`,
    session,
    open: (env, api, { access_token }) => verify(env, api, access_token),
  },
  createApi,
  verify,
});

/** Ends the login at Upstox. */
export function logout(api: Api): Promise<Read> {
  return api.logout({ method: 'DELETE', path: '/v2/logout' });
}

function verify(env: BrokerEnv, api: Api, token: string) {
  const until = () => nextIstHour(env.clock.now(), EXPIRY_HOUR_IST);
  return tryLogin(api, token, {
    ask: () => api.get('/v2/user/profile'),
    profile,
    accept: ({ user_id }) => ({ account: user_id, values: { access_token: token }, until: until() }),
  });
}

import { createHash } from 'node:crypto';
import { nextIstHour } from '../../clock.ts';
import type { BrokerEnv, Read } from '../broker.ts';
import { dayLogin } from '../login-flow.ts';
import { tryLogin } from '../login-trial.ts';
import { type Api, createApi } from './api.ts';
import { profile, session } from './wire.ts';

/** Kite ends every token at 06:00 in India. */
const EXPIRY_HOUR_IST = 6;

export const { connect, login } = dayLogin({
  name: 'Zerodha',
  prefix: 'ZERODHA',
  howTo:
    'run "npm run login -- zerodha", or set ZERODHA_ACCESS_TOKEN to a token of today, or ZERODHA_REQUEST_TOKEN together with ZERODHA_API_SECRET',
  wants: 'needs a new login every day',
  refused: '; check ZERODHA_API_KEY, or ',
  needs: { API_KEY: '' },
  token: 'ACCESS_TOKEN',
  key: 'access_token',
  page: {
    needs: { API_KEY: '' },
    // Kite has no state of its own: what redirect_params holds comes back in the query.
    query: ({ credentials }, state) => ({ v: '3', api_key: credentials.API_KEY ?? '', redirect_params: `state=${state}` }),
    stateIn: 'state',
  },
  code: {
    called: 'a request token',
    codeIn: 'request_token',
    inQuery: ({ request_token, status = 'success' }) => (status === 'success' ? request_token : undefined),
    inSettings: ({ REQUEST_TOKEN }) => REQUEST_TOKEN,
    needs: () => ({ API_KEY: '', API_SECRET: '; it is needed to use a request token' }),
    trade({ credentials: { API_KEY = '', API_SECRET } }, api, requestToken) {
      const checksum = createHash('sha256').update(`${API_KEY}${requestToken}${API_SECRET}`).digest('hex');
      const form = { api_key: API_KEY, request_token: requestToken, checksum };
      return api.ask({ method: 'POST', path: '/session/token', form }, true);
    },
    refused: (message) => `request token (${message}); it works once and for a few minutes, with the right ZERODHA_API_SECRET`,
    session,
    open: (env, api, { access_token }) => verify(env, api, access_token),
  },
  createApi,
  verify,
});

/** Ends the login at Zerodha. */
export function logout(env: BrokerEnv, api: Api): Promise<Read> {
  const query = { api_key: env.credentials.API_KEY ?? '', access_token: api.login() };
  return api.logout({ method: 'DELETE', path: '/session/token', query });
}

function verify(env: BrokerEnv, api: Api, token: string) {
  const until = () => nextIstHour(env.clock.now(), EXPIRY_HOUR_IST);
  return tryLogin(api, token, {
    ask: () => api.get('/user/profile'),
    profile,
    accept: ({ user_id }) => ({ account: user_id, values: { access_token: token }, until: until() }),
  });
}

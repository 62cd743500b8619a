import { createHash } from 'node:crypto';
import { nextIstHour } from '../../clock.ts';
import type { BrokerEnv, Read } from '../broker.ts';
import { dayLogin } from '../login-flow.ts';
import { statedEnd, tryLogin } from '../login-trial.ts';
import { type Api, createApi } from './api.ts';
import { profile, session } from './wire.ts';

/** When a token ends that does not say so itself: FYERS wants a new login every day. */
const EXPIRY_HOUR_IST = 6;

export const { connect, login } = dayLogin({
  name: 'FYERS',
  prefix: 'FYERS',
  howTo: 'run "npm run login -- fyers", or set FYERS_ACCESS_TOKEN to a token of today, or FYERS_AUTH_CODE together with FYERS_SECRET_KEY',
  wants: 'needs a new login every day',
  refused: '; check FYERS_APP_ID, or ',
  needs: { APP_ID: '' },
  token: 'ACCESS_TOKEN',
  key: 'access_token',
  page: {
    needs: { APP_ID: '', REDIRECT_URI: '; it is the redirect address registered with the app' },
    query: ({ credentials: { APP_ID = '', REDIRECT_URI = '' } }, state) => ({
      client_id: APP_ID,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      state,
    }),
    stateIn: 'state',
  },
  code: {
    called: 'an auth code',
    codeIn: 'auth_code',
    inQuery: ({ auth_code, s = 'ok' }) => (s === 'ok' ? auth_code : undefined),
    inSettings: ({ AUTH_CODE }) => AUTH_CODE,
    needs: () => ({ APP_ID: '', SECRET_KEY: '; it is needed to use an auth code' }),
    trade({ credentials: { APP_ID, SECRET_KEY } }, api, code) {
      const appIdHash = createHash('sha256').update(`${APP_ID}:${SECRET_KEY}`).digest('hex');
      const json = { grant_type: 'authorization_code', appIdHash, code };
      return api.ask({ method: 'POST', path: '/api/v3/validate-authcode', json }, true);
    },
    refused: (message) => `auth code (${message}); it works once and for a few minutes, with the right FYERS_SECRET_KEY`,
    session,
    open: (env, api, { access_token }) => verify(env, api, access_token),
  },
  createApi,
  verify,
});

/** Ends the login at FYERS, for this app alone. */
export function logout(api: Api): Promise<Read> {
  return api.logout({ method: 'POST', path: '/api/v3/logout', json: {} });
}

function verify(env: BrokerEnv, api: Api, token: string) {
  return tryLogin(api, token, {
    ask: () => api.member('/api/v3/profile', 'data'),
    profile,
    accept: ({ fy_id }) => ({ account: fy_id, values: { access_token: token }, until: endOf(token, env.clock.now()) }),
  });
}

/** The end a token states (epoch ms), or the next 06:00 in India when it states none that lies ahead. */
function endOf(token: string, now: number): number {
  const at = statedEnd(token) ?? 0;
  return at > now ? at : nextIstHour(now, EXPIRY_HOUR_IST);
}

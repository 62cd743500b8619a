import { createHash } from 'node:crypto';
import { nextIstHour } from '../../clock.ts';
import type { BrokerEnv } from '../broker.ts';
import { dayLogin } from '../login-flow.ts';
import { tryLogin } from '../login-trial.ts';
import { type Api, createApi, TOKEN_CALL } from './api.ts';
import { profile, session } from './wire.ts';

export const settings = ['USER_ID', 'API_KEY', 'API_SECRET', 'ACCESS_TOKEN', 'AUTH_CODE'] as const;

/** When a token is taken to end that does not say so itself: Shoonya wants a new login every day. */
const EXPIRY_HOUR_IST = 6;
/** A stated end further off than this is none. */
const LONGEST_LIFE_MS = 36 * 3_600_000;

const howTo =
  'run "npm run login -- shoonya" with SHOONYA_USER_ID, SHOONYA_API_KEY and SHOONYA_API_SECRET, or set SHOONYA_ACCESS_TOKEN to a token of today';

export const { connect, login } = dayLogin({
  name: 'Shoonya',
  prefix: 'SHOONYA',
  howTo,
  wants: 'needs a new login every day',
  needs: { USER_ID: `: ${howTo}` },
  token: 'ACCESS_TOKEN',
  key: 'access_token',
  page: { needs: { API_KEY: '' }, query: ({ credentials }) => ({ client_id: credentials.API_KEY ?? '' }) },
  code: {
    called: 'a code',
    codeIn: 'code',
    inQuery: ({ code }) => code,
    inSettings: ({ AUTH_CODE }) => AUTH_CODE,
    needs: () => ({
      USER_ID: '; without it Shoonya refuses a good code',
      API_KEY: '',
      API_SECRET: '; it is needed to use a code',
    }),
    trade({ credentials: { USER_ID: user = '', API_KEY, API_SECRET } }, api, code) {
      const checksum = createHash('sha256').update(`${API_KEY}${API_SECRET}${code}`).digest('hex');
      api.signIn({ token: '', user, account: '' });
      return api.request(TOKEN_CALL, { code, checksum }, true);
    },
    // It is burnt by a failure too.
    refused: (message) => `code (${message}); a code works once`,
    session,
    open: (env, api, { access_token, expires_in }) => verify(env, api, access_token, endOf(Number(expires_in), env.clock.now())),
  },
  createApi,
  verify,
});

function verify(env: BrokerEnv, api: Api, token: string, until: number | null) {
  const user = env.credentials.USER_ID ?? '';
  return tryLogin(
    api,
    { token, user, account: user },
    {
      ask: () => api.request('UserDetails'),
      what: 'user details',
      profile,
      accept: ({ actid: account }) => ({
        account,
        login: { token, user, account },
        values: { access_token: token },
        until: until ?? endOf(0, env.clock.now()),
      }),
    },
  );
}

/** The end of a token (epoch ms) from the epoch second it states, or else the next 06:00 in India. */
function endOf(statedSeconds: number, now: number): number {
  const at = statedSeconds * 1000;
  return at > now && at < now + LONGEST_LIFE_MS ? at : nextIstHour(now, EXPIRY_HOUR_IST);
}

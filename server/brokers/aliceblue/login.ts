import { createHash } from 'node:crypto';
import type { BrokerEnv, Read } from '../broker.ts';
import { dayLogin } from '../login-flow.ts';
import { statedEnd, tryLogin } from '../login-trial.ts';
import { failure } from '../parse.ts';
import { type Api, createApi } from './api.ts';
import { isOk, profile, session } from './wire.ts';

/** How long a token is kept that does not say when it ends. Alice Blue may refuse any earlier: that is seen when it does. */
const UNSAID_LIFE_MS = 24 * 3_600_000;

const howTo =
  'run "npm run login -- aliceblue" with ALICEBLUE_APP_CODE and ALICEBLUE_API_SECRET of an approved app, or set ALICEBLUE_USER_SESSION to a token that lives';

export const { connect, login } = dayLogin({
  name: 'Alice Blue',
  prefix: 'ALICEBLUE',
  howTo,
  wants: 'needs a login through its page',
  token: 'USER_SESSION',
  key: 'user_session',
  page: { needs: { APP_CODE: '' }, query: ({ credentials }) => ({ appcode: credentials.APP_CODE ?? '' }) },
  code: {
    called: 'authCode and userId',
    codeIn: 'authCode',
    inQuery: ({ authCode, userId }) => (authCode && userId ? { authCode, userId } : undefined),
    inSettings: ({ AUTH_CODE: authCode, USER_ID: userId = '' }) => (authCode ? { authCode, userId } : undefined),
    needs: ({ userId }) => ({
      ...(userId ? {} : { USER_ID: '; it is needed to use ALICEBLUE_AUTH_CODE' }),
      API_SECRET: '; it is needed to use an authorisation code',
    }),
    trade: ({ credentials }, api, { userId, authCode }) =>
      api.trade(createHash('sha256').update(`${userId}${authCode}${credentials.API_SECRET}`).digest('hex')),
    refused: (message) => `code (${message})`,
    session,
    async open(env, api, { status, reason, token }) {
      if (isOk(status) && token) return verify(env, api, token);
      return failure(
        `Alice Blue refused the code (${env.redactor.hide(reason ?? status)}); it needs the right ALICEBLUE_API_SECRET: ${howTo}`,
      );
    },
  },
  createApi,
  verify,
});

export async function logout(api: Api): Promise<Read> {
  api.signOut();
  return failure(
    'Alice Blue has no logout call; the token lives on until it ends by itself, so end the app in the ANT portal if it leaked',
  );
}

function verify(env: BrokerEnv, api: Api, token: string) {
  return tryLogin(
    api,
    { token, account: '' },
    {
      ask: () => api.one('/profile/'),
      profile,
      accept: ({ clientId: account }) => ({
        account,
        login: { token, account },
        values: { user_session: token },
        until: statedEnd(token) ?? env.clock.now() + UNSAID_LIFE_MS,
      }),
    },
  );
}

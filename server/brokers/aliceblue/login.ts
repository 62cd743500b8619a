import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { BrokerEnv, Connected, Read, StoredLogin } from '../broker.ts';
import { failure, issueText, readJson } from '../parse.ts';
import { type Api, createApi } from './api.ts';
import { isOk, profile, session } from './wire.ts';

/** How long a token is kept that does not say when it ends. */
const UNSAID_LIFE_MS = 24 * 3_600_000;

const howToSignIn =
  'run "npm run login -- aliceblue" with ALICEBLUE_APP_CODE and ALICEBLUE_API_SECRET of an approved app, or set ALICEBLUE_USER_SESSION to a token that lives';

/** The page where the account holder signs in; it comes back with `authCode` and `userId`. Throws without ALICEBLUE_APP_CODE. */
export function loginUrl(env: BrokerEnv): string {
  if (!env.credentials.APP_CODE) throw new Error('ALICEBLUE_APP_CODE is not set');
  return `${env.loginUrl}?${new URLSearchParams({ appcode: env.credentials.APP_CODE })}`;
}

/** Signs in with what came back on the redirect, in a connection of its own. */
export async function loginByRedirect(env: BrokerEnv, query: Readonly<Record<string, string>>): Promise<Connected> {
  if (!query.authCode || !query.userId) return failure('Alice Blue sent the browser back without authCode and userId');
  const api = createApi(env);
  try {
    return await exchange(env, api, query.userId, query.authCode);
  } finally {
    await api.close();
  }
}

/** Signs in: the stored login while it lives, then ALICEBLUE_USER_SESSION, then ALICEBLUE_AUTH_CODE; each is tried on the profile. */
export async function connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<Connected> {
  const { USER_SESSION, USER_ID, AUTH_CODE } = env.credentials;
  const living = stored && Date.parse(stored.expiresAt) > env.clock.now() ? stored.values.user_session : undefined;
  let refusal = '';
  for (const token of new Set([living, USER_SESSION])) {
    if (!token) continue;
    const checked = await verify(env, api, token);
    if (checked.success || !checked.expired) return checked.success ? checked : failure(checked.message);
    refusal = `Alice Blue refused the token (${checked.message}): `;
  }
  if (AUTH_CODE && !USER_ID) return failure('ALICEBLUE_USER_ID is not set; it is needed to use ALICEBLUE_AUTH_CODE');
  if (AUTH_CODE && USER_ID) return exchange(env, api, USER_ID, AUTH_CODE);
  return failure(`${refusal || 'Alice Blue needs a login through its page: '}${howToSignIn}`);
}

export async function logout(api: Api): Promise<Read> {
  api.signIn({ token: '', account: '', trusted: false });
  return failure(
    'Alice Blue has no logout call; the token lives on until it ends by itself, so end the app in the ANT portal if it leaked',
  );
}

type Verified = Extract<Connected, { success: true }> | { success: false; message: string; expired: boolean };

async function verify(env: BrokerEnv, api: Api, token: string): Promise<Verified> {
  api.signIn({ token, account: '', trusted: false });
  const answer = await api.ask('/profile/');
  if (!answer.success) return answer;
  const known = profile.safeParse(answer.data[0]);
  if (!known.success) return { success: false, message: `Alice Blue's profile: ${issueText(known.error)}`, expired: false };
  const account = known.data.clientId;
  api.signIn({ token, account, trusted: true });
  const expiresAt = new Date(endOf(token) ?? env.clock.now() + UNSAID_LIFE_MS).toISOString();
  return { success: true, account, login: { values: { user_session: token }, expiresAt }, data: answer.data[0] };
}

/** When the token says it ends (epoch ms). Alice Blue may refuse it earlier: that is seen when it does. */
function endOf(token: string): number | null {
  const claims = readJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const until = z.object({ exp: z.int().positive().max(9_999_999_999) }).safeParse(claims).data?.exp;
  return until === undefined ? null : until * 1000;
}

/** Trades the code of the redirect for a token. */
async function exchange(env: BrokerEnv, api: Api, userId: string, authCode: string): Promise<Connected> {
  const { API_SECRET } = env.credentials;
  if (!API_SECRET) return failure('ALICEBLUE_API_SECRET is not set; it is needed to use an authorisation code');
  const checkSum = createHash('sha256').update(`${userId}${authCode}${API_SECRET}`).digest('hex');
  api.signIn({ token: '', account: '', trusted: false });
  const answer = await api.bare('/vendor/getUserDetails', { checkSum });
  if (!answer.success) return failure(`Alice Blue refused the code (${answer.message}): ${howToSignIn}`);
  const opened = session.safeParse(answer.body);
  if (!opened.success) return failure(`Alice Blue's session: ${issueText(opened.error)}`);
  const { stat, emsg, userSession } = opened.data;
  if (!isOk(stat) || !userSession) {
    return failure(`Alice Blue refused the code (${emsg ?? stat}); it needs the right ALICEBLUE_API_SECRET: ${howToSignIn}`);
  }
  const checked = await verify(env, api, userSession);
  return checked.success ? checked : failure(checked.message);
}

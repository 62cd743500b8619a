import { createHash } from 'node:crypto';
import { nextIstHour, parseIst } from '../../clock.ts';
import type { BrokerEnv, Connected, Read, StoredLogin } from '../broker.ts';
import { connectByToken, connected, loginFailure, oneTimeCode, tryLogin } from '../login-trial.ts';
import { failure, issueText } from '../parse.ts';
import { type Api, TOKEN_PATH } from './api.ts';
import { profile, tokenAnswer } from './wire.ts';

/** Groww ends every token at 06:00 in India. */
const EXPIRY_HOUR_IST = 6;

const howTo =
  'set GROWW_API_KEY with GROWW_TOTP_SECRET, or with GROWW_API_SECRET for a key that is approved every day at groww.in/trade-api/api-keys, or set GROWW_ACCESS_TOKEN to a token of today';

/** Signs in: the stored login while it lives, then GROWW_ACCESS_TOKEN, then the API key with its TOTP or its secret. Each token is tried on the profile. */
export function connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<Connected> {
  const { ACCESS_TOKEN, API_KEY, TOTP_SECRET, API_SECRET } = env.credentials;
  return connectByToken(env, stored, {
    name: 'Groww',
    howTo,
    wants: 'needs a login',
    refused: '; ',
    given: ACCESS_TOKEN,
    key: 'access_token',
    verify: (token, until) => verify(api, token, until ?? nextIstHour(env.clock.now(), EXPIRY_HOUR_IST)),
    fresh: () => (API_KEY && (TOTP_SECRET || API_SECRET) ? exchange(env, api, API_KEY) : null),
  });
}

/** Groww has no call that ends a token: it is forgotten here and lives on there until 06:00. */
export async function logout(api: Api): Promise<Read> {
  api.signOut();
  return failure('Groww has no logout call; the token ends at 06:00 IST, or revoke it at groww.in/trade-api/api-keys');
}

/** `until` in epoch ms. */
function verify(api: Api, token: string, until: number) {
  return tryLogin(api, token, {
    ask: () => api.get('/v1/user/detail'),
    profile,
    accept: ({ ucc }) => ({ account: ucc, values: { access_token: token }, until }),
  });
}

/** Trades the API key for the day's token. Groww counts these: 150 in 24 hours. */
async function exchange(env: BrokerEnv, api: Api, key: string): Promise<Connected> {
  const proof = proofOf(env);
  if (!proof) return failure('GROWW_TOTP_SECRET is not a base32 text: copy the secret shown beside the key, not a code of six digits');
  const setting = env.credentials.TOTP_SECRET ? 'GROWW_TOTP_SECRET' : 'GROWW_API_SECRET';
  const headers = { authorization: `Bearer ${key}` };
  const answer = await api.ask({ method: 'POST', path: TOKEN_PATH, headers, json: proof }, true);
  if (!answer.success) return loginFailure(`Groww gave no token (${answer.message}); check GROWW_API_KEY and ${setting}: ${howTo}`, answer);
  const session = tokenAnswer.safeParse(answer.data);
  if (!session.success) return failure(`Groww's login: ${issueText(session.error)}`);
  if (session.data.isActive === false)
    return failure('Groww says this token is not active: approve the key at groww.in/trade-api/api-keys');
  return connected(await verify(api, session.data.token, expiryOf(env.clock.now(), session.data.expiry)));
}

function proofOf(env: BrokerEnv): Record<string, string> | null {
  const now = env.clock.now();
  const { TOTP_SECRET, API_SECRET } = env.credentials;
  if (TOTP_SECRET) {
    const totp = oneTimeCode(TOTP_SECRET, now);
    return totp === null ? null : { key_type: 'totp', totp };
  }
  const timestamp = String(Math.floor(now / 1000));
  return { key_type: 'approval', checksum: createHash('sha256').update(`${API_SECRET}${timestamp}`).digest('hex'), timestamp };
}

/** The time Groww tells has no zone. Read as IST it can only be early, and 06:00 holds in any case. */
function expiryOf(now: number, told: string | null): number {
  const six = nextIstHour(now, EXPIRY_HOUR_IST);
  const at = told === null ? null : parseIst(told);
  return at !== null && at > now ? Math.min(at, six) : six;
}

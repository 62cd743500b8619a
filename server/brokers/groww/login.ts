import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { nextIstHour, parseIst } from '../../clock.ts';
import type { BrokerEnv, Connected, Read, StoredLogin } from '../broker.ts';
import { failure, issueText } from '../parse.ts';
import type { Api } from './api.ts';
import { profile, tokenAnswer } from './wire.ts';

/** Groww ends every token at 06:00 in India. */
const EXPIRY_HOUR_IST = 6;

const howToSignIn =
  'set GROWW_API_KEY with GROWW_TOTP_SECRET, or with GROWW_API_SECRET for a key that is approved every day at groww.in/trade-api/api-keys, or set GROWW_ACCESS_TOKEN to a token of today';

/** Signs in: the stored login while it lives, then GROWW_ACCESS_TOKEN, then the API key with its TOTP or its secret. Each token is tried on the profile. */
export async function connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<Connected> {
  const now = env.clock.now();
  const living = stored && Date.parse(stored.expiresAt) > now ? stored : null;
  const known = [living?.values.access_token, env.credentials.ACCESS_TOKEN];
  let refusal = '';
  for (const token of new Set(known)) {
    if (!token) continue;
    const expiresAt = token === living?.values.access_token ? Date.parse(living.expiresAt) : nextIstHour(now, EXPIRY_HOUR_IST);
    const checked = await verify(api, token, expiresAt);
    if (checked.success || !checked.expired) return checked.success ? checked : failure(checked.message);
    refusal = `Groww refused the token (${checked.message}); `;
  }
  const { API_KEY, TOTP_SECRET, API_SECRET } = env.credentials;
  if (API_KEY && (TOTP_SECRET || API_SECRET)) return exchange(env, api, API_KEY);
  return failure(`${refusal || 'Groww needs a login: '}${howToSignIn}`);
}

/** Groww has no call that ends a token: it is forgotten here and lives on there until 06:00. */
export async function logout(api: Api): Promise<Read> {
  api.signIn('', false);
  return failure('Groww has no logout call; the token ends at 06:00 IST, or revoke it at groww.in/trade-api/api-keys');
}

type Verified = Extract<Connected, { success: true }> | { success: false; message: string; expired: boolean };

/** `expiresAt` in epoch ms. */
async function verify(api: Api, token: string, expiresAt: number): Promise<Verified> {
  api.signIn(token, false);
  const answer = await api.ask('/v1/user/detail');
  if (!answer.success) return answer;
  const user = profile.safeParse(answer.data);
  if (!user.success) return { success: false, message: `Groww's profile: ${issueText(user.error)}`, expired: false };
  api.signIn(token, true);
  const login = { values: { access_token: token }, expiresAt: new Date(expiresAt).toISOString() };
  return { success: true, account: user.data.ucc, login, data: answer.data };
}

/** Trades the API key for the day's token. Groww counts these: 150 in 24 hours. */
async function exchange(env: BrokerEnv, api: Api, key: string): Promise<Connected> {
  const proof = proofOf(env);
  if (!proof) return failure('GROWW_TOTP_SECRET is not a base32 text: copy the secret shown beside the key, not a code of six digits');
  const setting = env.credentials.TOTP_SECRET ? 'GROWW_TOTP_SECRET' : 'GROWW_API_SECRET';
  const answer = await api.obtain(key, proof);
  if (!answer.success) return failure(`Groww gave no token (${answer.message}); check GROWW_API_KEY and ${setting}: ${howToSignIn}`);
  const session = tokenAnswer.safeParse(answer.data);
  if (!session.success) return failure(`Groww's login: ${issueText(session.error)}`);
  if (session.data.isActive === false)
    return failure('Groww says this token is not active: approve the key at groww.in/trade-api/api-keys');
  const checked = await verify(api, session.data.token, expiryOf(env.clock.now(), session.data.expiry));
  return checked.success ? checked : failure(checked.message);
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

function oneTimeCode(secret: string, now: number): string | null {
  try {
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now });
  } catch {
    return null;
  }
}

/** The time Groww tells has no zone. Read as IST it can only be early, and 06:00 holds in any case. */
function expiryOf(now: number, told: string | null): number {
  const six = nextIstHour(now, EXPIRY_HOUR_IST);
  const at = told === null ? null : parseIst(told);
  return at !== null && at > now ? Math.min(at, six) : six;
}

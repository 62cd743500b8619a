import { Secret, TOTP } from 'otpauth';
import { parseIst } from '../../clock.ts';
import type { BrokerEnv, Connected, StoredLogin } from '../broker.ts';
import { CallError, createHttp } from '../http.ts';
import { failure, issueText } from '../parse.ts';
import type { Api } from './api.ts';
import { problem, problemText, profile, session } from './wire.ts';

/** The longest a token lives. */
const LIFE_MS = 86_400_000;

const howToSignIn = 'set DHAN_PIN and DHAN_TOTP_SECRET, or DHAN_ACCESS_TOKEN to a token made at web.dhan.co in the last 24 hours';

/** Signs in: the stored login while it lives, then DHAN_ACCESS_TOKEN, then PIN and TOTP; each is tried on the profile. */
export async function connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<Connected> {
  const { CLIENT_ID, PIN, TOTP_SECRET, ACCESS_TOKEN } = env.credentials;
  if (!CLIENT_ID) return failure(`DHAN_CLIENT_ID is not set; beside it ${howToSignIn}`);
  const living = stored && Date.parse(stored.expiresAt) > env.clock.now() ? stored : null;
  const known = [
    ...(living?.values.access_token ? [{ token: living.values.access_token, until: Date.parse(living.expiresAt) }] : []),
    ...(ACCESS_TOKEN ? [{ token: ACCESS_TOKEN, until: null }] : []),
  ];
  let refusal = '';
  for (const { token, until } of known) {
    const checked = await verify(env, api, CLIENT_ID, token, until);
    if (checked.success || !checked.expired) return checked.success ? checked : failure(checked.message);
    refusal = `Dhan refused the token (${checked.message}): `;
  }
  if (PIN && TOTP_SECRET) return byTotp(env, api, { client: CLIENT_ID, pin: PIN, secret: TOTP_SECRET });
  return failure(`${refusal || 'Dhan needs a login: '}${howToSignIn}`);
}

type Verified = Extract<Connected, { success: true }> | { success: false; message: string; expired: boolean };

async function verify(env: BrokerEnv, api: Api, client: string, token: string, until: number | null): Promise<Verified> {
  api.signIn(client, token, false);
  const answer = await api.read('/profile');
  if (!answer.success) return answer;
  const known = profile.safeParse(answer.data);
  if (!known.success) return { success: false, message: `Dhan's profile: ${issueText(known.error)}`, expired: false };
  // Another account's token is as good as none: the next way to sign in may be the right one.
  if (known.data.dhanClientId !== client)
    return { success: false, message: 'it belongs to another client than DHAN_CLIENT_ID', expired: true };
  api.signIn(client, token, true);
  const expiresAt = [until, validity(known.data.tokenValidity)].find((at) => at !== null && at > env.clock.now());
  return {
    success: true,
    account: client,
    login: { values: { access_token: token }, expiresAt: new Date(expiresAt ?? env.clock.now() + LIFE_MS).toISOString() },
    data: answer.data,
  };
}

/** Makes a new token with PIN and TOTP. */
async function byTotp(env: BrokerEnv, api: Api, given: { client: string; pin: string; secret: string }): Promise<Connected> {
  const totp = oneTimeCode(given.secret, env.clock.now());
  if (totp === null) return failure('DHAN_TOTP_SECRET is not the base32 text Dhan shows when TOTP is set up');
  const http = createHttp({ origin: env.loginUrl, localAddress: env.localAddress, clock: env.clock, log: env.log });
  try {
    const query = { dhanClientId: given.client, pin: given.pin, totp };
    const reply = await http.call({ method: 'POST', path: '/app/generateAccessToken', query, mutating: true });
    const body = reply.json();
    const opened = session.safeParse(body);
    if (reply.status !== 200 || !opened.success) {
      const told = problem.safeParse(body).data;
      const said = told ? problemText(told).replaceAll(given.pin, '***').replaceAll(totp, '***') : `HTTP ${reply.status}`;
      return failure(
        `Dhan gave no token (${said}): check DHAN_CLIENT_ID, DHAN_PIN and DHAN_TOTP_SECRET, and that TOTP is set up at Dhan; wait two minutes between tries`,
      );
    }
    const checked = await verify(env, api, given.client, opened.data.accessToken, parseIst(opened.data.expiryTime ?? ''));
    return checked.success ? checked : failure(checked.message);
  } catch (error) {
    if (error instanceof CallError) return failure(error.message);
    throw error;
  } finally {
    await http.close();
  }
}

function oneTimeCode(secret: string, at: number): string | null {
  try {
    return new TOTP({ secret: Secret.fromBase32(secret.replace(/\s/g, '')) }).generate({ timestamp: at });
  } catch {
    return null;
  }
}

/** `30/03/2025 15:37`, IST -> epoch ms. */
function validity(text: string | null): number | null {
  const match = /^(\d\d)\/(\d\d)\/(\d{4}) (\d\d:\d\d)$/.exec(text ?? '');
  return match ? parseIst(`${match[3]}-${match[2]}-${match[1]} ${match[4]}`) : null;
}

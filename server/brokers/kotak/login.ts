import { z } from 'zod';
import { nextIstHour } from '../../clock.ts';
import type { BrokerEnv, Connected, Read, StoredLogin } from '../broker.ts';
import type { Answer } from '../dialect.ts';
import { living, loginFailure, oneTimeCode } from '../login-trial.ts';
import { failure, issueText, readJson } from '../parse.ts';
import { limits, tradeLogin, viewLogin } from './answers.ts';
import type { Api } from './api.ts';

/** Kotak does not say when a login ends; a new one each day is the practice, and midnight is the earlier side. */
const EXPIRY_HOUR_IST = 0;

export const settings = ['ACCESS_TOKEN', 'MOBILE_NUMBER', 'UCC', 'TOTP_SECRET', 'MPIN'];

const kept = z.object({ token: z.string(), sid: z.string(), base_url: z.string(), ucc: z.string(), profile: z.string() });

/** What sign-in tells of the customer, without what signs calls. */
export type Profile = Record<string, unknown>;
export type SignedIn = { connected: Connected; profile: Profile | null };

/** Signs in: with the stored login while it lives and is of the same customer, else with time code and MPIN. */
export async function connect(env: BrokerEnv, api: Api, stored: StoredLogin | null): Promise<SignedIn> {
  const missing = settings.filter((name) => !env.credentials[name]).map((name) => `KOTAK_${name}`);
  if (missing.length > 0) return refused(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`);
  const values = kept.safeParse(living(stored, env)?.values).data;
  if (values && values.ucc === env.credentials.UCC && isKotakHost(env.apiUrl, values.base_url)) {
    api.signIn({ token: values.token, sid: values.sid, baseUrl: values.base_url });
    const checked = await readLimits(api);
    if (checked.success) return accepted(env, api, values);
    // A host that cannot be reached any more may have moved: a new sign-in names today's.
    if (!checked.expired && !checked.unreached) return refused(checked.message, checked);
  }
  return signIn(env, api);
}

/** The funds report: the read that shows whether a login lives. Its body is one flat object, rupees as text. */
export async function readLimits(api: Api): Promise<Answer> {
  const form = { jData: JSON.stringify({ seg: 'ALL', exch: 'ALL', prod: 'ALL' }) };
  const answer = await api.ask({ method: 'POST', path: '/quick/user/limits', form });
  if (!answer.success) return answer;
  const parsed = limits.safeParse(answer.data);
  return parsed.success ? answer : failure(`funds: ${issueText(parsed.error)}`);
}

/** Kotak has no call that ends a login. */
export async function logout(api: Api): Promise<Read> {
  api.signOut();
  return {
    success: true,
    message: 'The login is forgotten here. Kotak has no call to end it: reset the access token in Kotak Neo to end it there',
    data: null,
  };
}

async function signIn(env: BrokerEnv, api: Api): Promise<SignedIn> {
  const { MOBILE_NUMBER, UCC, MPIN, TOTP_SECRET = '' } = env.credentials;
  const totp = oneTimeCode(TOTP_SECRET, env.clock.now());
  if (totp === null) return refused('KOTAK_TOTP_SECRET is not the base32 text of the TOTP registration');
  const step = (name: string, headers: Record<string, string>, json: unknown) =>
    api.ask({ method: 'POST', path: `/login/1.0/${name}`, headers, json }, true);
  const first = await step('tradeApiLogin', {}, { mobileNumber: MOBILE_NUMBER, ucc: UCC, totp });
  const view = first.success ? viewLogin.safeParse(first.data) : null;
  if (!view?.success)
    return refused(told('the login', first, 'KOTAK_ACCESS_TOKEN, KOTAK_MOBILE_NUMBER, KOTAK_UCC, KOTAK_TOTP_SECRET'), first);
  const headers = { sid: view.data.data.sid, auth: view.data.data.token };
  env.redactor.learn(headers);
  const second = await step('tradeApiValidate', headers, { mpin: MPIN });
  const trade = second.success ? tradeLogin.safeParse(second.data) : null;
  if (!trade?.success) return refused(told('the MPIN step', second, 'KOTAK_MPIN'), second);
  const { token, sid, baseUrl, ucc, ...rest } = trade.data.data;
  if (!isKotakHost(env.apiUrl, baseUrl)) return refused('Kotak named a trading address that is not its own; nothing was sent there');
  const { rid: _request, ...facts } = rest;
  api.signIn({ token, sid, baseUrl });
  return accepted(env, api, { token, sid, base_url: baseUrl, ucc, profile: JSON.stringify({ ucc, baseUrl, ...facts }) });
}

function accepted(env: BrokerEnv, api: Api, values: z.infer<typeof kept>): SignedIn {
  api.trust();
  const expiresAt = new Date(nextIstHour(env.clock.now(), EXPIRY_HOUR_IST)).toISOString();
  const profile = z.record(z.string(), z.unknown()).safeParse(readJson(values.profile)).data ?? { ucc: values.ucc };
  return { connected: { success: true, account: values.ucc, login: { values, expiresAt } }, profile };
}

/** The session goes to Kotak's own hosts alone, or to the very host sign-in went to. */
export function isKotakHost(loginUrl: string, baseUrl: string): boolean {
  const [login, base] = [URL.parse(loginUrl), URL.parse(baseUrl)];
  if (!login || !base || login.protocol !== base.protocol) return false;
  return base.hostname === login.hostname || [login, base].every((url) => url.hostname.endsWith('.kotaksecurities.com'));
}

function told(what: string, answer: Answer, names: string): string {
  if (answer.success) return `Kotak answered ${what} without the tokens it promises`;
  const { code, status = 0 } = answer;
  return code === undefined || status >= 500
    ? `${answer.message}; ${what} was not possible`
    : `Kotak refused ${what} (${answer.message}); check ${names}`;
}

function refused(message: string, answer?: Answer): SignedIn {
  return { connected: answer && !answer.success ? loginFailure(message, answer) : failure(message), profile: null };
}

import type { BrokerEnv, Read, Sent } from '../broker.ts';
import { CallError, createHttp, type Reply } from '../http.ts';
import { failure } from '../parse.ts';
import { type Reading, send } from '../send-once.ts';
import { accountCalls, changedAnswer, isDefinite, isEmpty, isExpired, placedAnswer, refusal, session, success } from './wire.ts';

export type Fields = Readonly<Record<string, string>>;

/** `expired`: Shoonya refused the token itself. `empty`: it says that there is nothing to list. */
export type Answer = { success: true; body: unknown } | { success: false; message: string; kind: 'expired' | 'empty' | 'failed' };

export interface Login {
  token: string;
  user: string;
  account: string;
  /** Shoonya has accepted it: only then does its refusal end a session. */
  trusted: boolean;
}

/** Shoonya's REST interface with the token of one login: a POST by name with one JSON text, all values strings. */
export interface Api {
  login(): Readonly<Login>;
  /** Uses `login` from now on. */
  signIn(login: Login): void;
  /** Asks; a list as well as an object is a success. `once`: the call is not to be repeated. */
  request(name: string, fields?: Fields, once?: boolean): Promise<Answer>;
  /** An object with stat Ok. */
  read(name: string): Promise<Read>;
  /** Places, changes or cancels, once. */
  change(name: 'PlaceOrder' | 'ModifyOrder' | 'CancelOrder', fields: Fields): Promise<Sent>;
  close(): Promise<void>;
}

export const nobody: Login = { token: '', user: '', account: '', trusted: false };

export function createApi(env: BrokerEnv): Api {
  const http = createHttp({ origin: env.apiUrl, localAddress: env.localAddress, clock: env.clock, log: env.log });
  let login = nobody;

  function callOf(name: string, fields: Fields) {
    const who = accountCalls.includes(name) ? { uid: login.user, actid: login.account } : { uid: login.user };
    const headers: Record<string, string> = login.token ? { authorization: `Bearer ${login.token}` } : {};
    return {
      method: 'POST' as const,
      path: `/${name}`,
      headers: { ...headers, 'content-type': 'text/plain' },
      body: bodyOf(name, { ...who, ...fields }),
    };
  }

  /** The refusal in an answer, or null; notes the end of `used`, the login the call went out with. */
  function refusalIn(reply: Reply, used: Login): { text: string; expired: boolean } | null {
    const refused = refusal.safeParse(reply.json());
    if (!refused.success) return null;
    const text = refused.data.emsg ?? `HTTP ${reply.status} without a reason`;
    const expired = isExpired(reply.status, text);
    if (expired && used.trusted) {
      used.trusted = false;
      if (used === login) env.onExpired(text);
    }
    return { text, expired };
  }

  async function request(name: string, fields: Fields = {}, once = false): Promise<Answer> {
    const used = login;
    try {
      const reply = await http.call({ ...callOf(name, fields), mutating: once });
      const refused = refusalIn(reply, used);
      if (refused)
        return { success: false, message: refused.text, kind: refused.expired ? 'expired' : isEmpty(refused.text) ? 'empty' : 'failed' };
      const body = reply.json();
      const told = Array.isArray(body) || (name === 'GenAcsTok' ? session : success).safeParse(body).success;
      if (reply.status === 200 && told) return { success: true, body };
      return { success: false, message: `Shoonya answered HTTP ${reply.status} with a body that cannot be read`, kind: 'failed' };
    } catch (error) {
      if (error instanceof CallError) return { success: false, message: error.message, kind: 'failed' };
      throw error;
    }
  }

  async function read(name: string): Promise<Read> {
    const answer = await request(name);
    if (!answer.success) return failure(answer.message);
    return Array.isArray(answer.body) ? failure(`Shoonya answered ${name} with a list`) : { success: true, data: answer.body };
  }

  async function change(name: 'PlaceOrder' | 'ModifyOrder' | 'CancelOrder', fields: Fields): Promise<Sent> {
    const used = login;
    const id = name === 'PlaceOrder' ? placedAnswer : changedAnswer;
    return send(http, callOf(name, fields), (reply): Reading | null => {
      const refused = refusalIn(reply, used);
      if (refused) return { orderId: '', refused: isDefinite(reply.status, refused.text), message: refused.text };
      const taken = success.safeParse(reply.json());
      return taken.success ? { orderId: id.safeParse(taken.data).data ?? '', refused: false, data: taken.data } : null;
    });
  }

  return {
    login: () => login,
    signIn: (next) => {
      login = { ...next };
    },
    request,
    read,
    change,
    close: () => http.close(),
  };
}

/** The body is cut at every `&`: orders are documented to want it percent-encoded, everything else takes it as a JSON escape. */
function bodyOf(name: string, fields: Fields): string {
  const escaped = name === 'PlaceOrder' || name === 'ModifyOrder' ? '%26' : '\\u0026';
  return `jData=${JSON.stringify(fields).replaceAll('&', escaped)}`;
}

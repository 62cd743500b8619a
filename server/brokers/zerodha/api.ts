import type { BrokerEnv, Read, Sent } from '../broker.ts';
import { CallError, type CallRequest, createHttp, type Reply } from '../http.ts';
import { failure } from '../parse.ts';
import { type Reading, send } from '../send-once.ts';
import { envelope, isDefinite, isExpired, orderAnswer } from './wire.ts';

/** `expired`: Kite refused the token itself. */
export type Answer = { success: true; data: unknown } | { success: false; message: string; expired: boolean };

/** Kite's REST interface with the token of one login. */
export interface Api {
  /** Uses `token` from now on; `trusted` once Kite has accepted it: only then does its refusal end a session. */
  signIn(token: string, trusted: boolean): void;
  token(): string;
  request(request: CallRequest): Promise<Answer>;
  read(path: string, query?: Record<string, string>): Promise<Read>;
  change(method: 'POST' | 'PUT' | 'DELETE', path: string, form?: Record<string, string>): Promise<Sent>;
  close(): Promise<void>;
}

export function createApi(env: BrokerEnv): Api {
  const http = createHttp({ origin: env.apiUrl, localAddress: env.localAddress, clock: env.clock, log: env.log });
  let login = { token: '', trusted: false };

  function headers(): Record<string, string> {
    const authorization = `token ${env.credentials.API_KEY}:${login.token}`;
    return { 'x-kite-version': '3', ...(login.token ? { authorization } : {}) };
  }

  /** Parses an answer and notes the end of `used`, the login the call went out with. */
  function open(reply: Reply, used: typeof login) {
    const body = envelope.safeParse(reply.json()).data;
    if (body?.status === 'error' && isExpired(reply.status, body) && used.trusted) {
      used.trusted = false;
      if (used === login) env.onExpired(body.message);
    }
    return body;
  }

  async function request(call: CallRequest): Promise<Answer> {
    const used = login;
    try {
      const reply = await http.call({ ...call, headers: headers() });
      const body = open(reply, used);
      if (body?.status === 'success' && reply.status === 200 && body.data !== undefined) return { success: true, data: body.data };
      if (body?.status === 'error') return { success: false, message: body.message, expired: isExpired(reply.status, body) };
      return { success: false, message: `Zerodha answered HTTP ${reply.status} with a body that cannot be read`, expired: false };
    } catch (error) {
      if (error instanceof CallError) return { success: false, message: error.message, expired: false };
      throw error;
    }
  }

  async function read(path: string, query: Record<string, string> = {}): Promise<Read> {
    const answer = await request({ method: 'GET', path, query, mutating: false });
    return answer.success ? answer : failure(answer.message);
  }

  async function change(method: 'POST' | 'PUT' | 'DELETE', path: string, form?: Record<string, string>): Promise<Sent> {
    const used = login;
    return send(http, { method, path, headers: headers(), ...(form ? { form } : {}) }, (reply): Reading | null => {
      const body = open(reply, used);
      if (!body) return null;
      if (body.status === 'error') return { orderId: '', refused: isDefinite(reply.status, body), message: body.message };
      return { orderId: orderAnswer.safeParse(body.data).data?.order_id ?? '', refused: false, data: body.data };
    });
  }

  return {
    signIn: (token, trusted) => {
      login = { token, trusted };
    },
    token: () => login.token,
    request,
    read,
    change,
    close: http.close,
  };
}

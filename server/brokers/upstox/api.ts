import type { BrokerEnv, Read, Sent } from '../broker.ts';
import { CallError, type CallRequest, createHttp, type Reply } from '../http.ts';
import { failure } from '../parse.ts';
import { type Reading, send } from '../send-once.ts';
import { changedAnswer, envelope, isDefinite, isExpired, isNotFound, placedAnswer, textOf } from './wire.ts';

export const API_URL = 'https://api.upstox.com';

/** Placing, changing and cancelling have a host of their own; whoever overrides the address means one host for all. */
export function orderUrl(apiUrl: string): string {
  return apiUrl === API_URL ? 'https://api-hft.upstox.com' : apiUrl;
}

/** `expired`: Upstox refused the token itself. `missing`: it does not know the order or the tag. */
export type Answer = { success: true; data: unknown } | { success: false; message: string; expired: boolean; missing: boolean };

type Change = Pick<CallRequest, 'path' | 'query' | 'json'> & { method: 'POST' | 'PUT' | 'DELETE' };

/** Upstox's REST interface with the token of one login. */
export interface Api {
  /** Uses `token` from now on; `trusted` once Upstox has accepted it: only then does its refusal end a session. */
  signIn(token: string, trusted: boolean): void;
  /** The token now used; empty before a login. */
  token(): string;
  request(request: CallRequest): Promise<Answer>;
  /** A body outside the envelope, as the token call answers. */
  bare(request: CallRequest): Promise<Answer>;
  read(path: string, query?: Record<string, string>): Promise<Read>;
  change(change: Change): Promise<Sent>;
  close(): Promise<void>;
}

export function createApi(env: BrokerEnv): Api {
  const options = { localAddress: env.localAddress, clock: env.clock, log: env.log };
  const http = createHttp({ ...options, origin: env.apiUrl });
  const orderHttp = createHttp({ ...options, origin: orderUrl(env.apiUrl) });
  let login = { token: '', trusted: false };

  function headers(path: string): Record<string, string> {
    return {
      ...(login.token ? { authorization: `Bearer ${login.token}` } : {}),
      ...(path.startsWith('/v2/') ? { 'api-version': '2.0' } : {}),
    };
  }

  /** Parses an answer and notes the end of `used`, the login the call went out with. */
  function open(reply: Reply, used: typeof login) {
    const body = envelope.safeParse(reply.json()).data;
    if (body?.status === 'error' && isExpired(reply.status, body) && used.trusted) {
      used.trusted = false;
      if (used === login) env.onExpired(textOf(body));
    }
    return body;
  }

  async function ask(call: CallRequest, payload: (reply: Reply, body: ReturnType<typeof open>) => unknown): Promise<Answer> {
    const used = login;
    try {
      const reply = await http.call({ ...call, headers: headers(call.path) });
      const body = open(reply, used);
      if (body?.status === 'error') {
        return { success: false, message: textOf(body), expired: isExpired(reply.status, body), missing: isNotFound(body) };
      }
      const data = reply.status === 200 ? payload(reply, body) : undefined;
      if (data !== undefined) return { success: true, data };
      return { ...failure(`Upstox answered HTTP ${reply.status} with a body that cannot be read`), expired: false, missing: false };
    } catch (error) {
      if (error instanceof CallError) return { success: false, message: error.message, expired: false, missing: false };
      throw error;
    }
  }

  const request = (call: CallRequest) => ask(call, (_reply, body) => (body?.status === 'success' ? body.data : undefined));

  async function read(path: string, query: Record<string, string> = {}): Promise<Read> {
    const answer = await request({ method: 'GET', path, query, mutating: false });
    return answer.success ? answer : failure(answer.message);
  }

  async function change(call: Change): Promise<Sent> {
    const used = login;
    const algo: Record<string, string> = env.algoId ? { 'x-algo-name': env.algoId } : {};
    const id = call.method === 'POST' ? placedAnswer : changedAnswer;
    return send(orderHttp, { ...call, headers: { ...headers(call.path), ...algo } }, (reply): Reading | null => {
      const body = open(reply, used);
      if (!body) return null;
      if (body.status === 'error') return { orderId: '', refused: isDefinite(reply.status, body), message: textOf(body) };
      return { orderId: id.safeParse(body.data).data ?? '', refused: false, data: body.data };
    });
  }

  return {
    signIn: (token, trusted) => {
      login = { token, trusted };
    },
    token: () => login.token,
    request,
    bare: (call) => ask(call, (reply) => reply.json()),
    read,
    change,
    close: async () => {
      await Promise.all([http.close(), orderHttp.close()]);
    },
  };
}

import type { z } from 'zod';
import type { BrokerEnv, Failure, Read, Sent } from '../broker.ts';
import { CallError, type CallRequest, createHttp, type Reply } from '../http.ts';
import { failure } from '../parse.ts';
import { type Reading, send } from '../send-once.ts';
import { isDefinite, isExpired, open, orderAnswer, socketLogin as socketAnswer } from './wire.ts';

const SOCKET_PATH = '/v1/api/apex/v1/socket/token/create/';

/** `status` is 0 when no answer came; `expired`: Groww refused the token itself. */
export type Answer =
  | { success: true; data: unknown }
  | { success: false; message: string; status: number; code: string | null; expired: boolean };

export type SocketLogin = z.infer<typeof socketAnswer>;

/** Groww's REST interface with the token of one login. */
export interface Api {
  /** Uses `token` from now on; `trusted` once Groww has accepted it: only then does its refusal end a session. */
  signIn(token: string, trusted: boolean): void;
  /** Trades an API key and a proof for a token: the answer as it came, which has no envelope. */
  obtain(key: string, proof: Record<string, string>): Promise<{ success: true; data: unknown } | Failure>;
  ask(path: string, query?: Record<string, string>): Promise<Answer>;
  read(path: string): Promise<Read>;
  change(path: string, json: Record<string, unknown>): Promise<Sent>;
  /** What a socket signs in with, for the public key of its own pair. */
  socketLogin(publicKey: string): Promise<{ success: true; data: SocketLogin } | Failure>;
  close(): Promise<void>;
}

export function createApi(env: BrokerEnv): Api {
  const http = createHttp({ origin: env.apiUrl, localAddress: env.localAddress, clock: env.clock, log: env.log });
  let login = { token: '', trusted: false };

  const headers = (bearer: string) => ({ authorization: `Bearer ${bearer}`, 'x-api-version': '1.0' });

  /** Opens an answer and notes the end of `used`, the login the call went out with. */
  function opened(reply: Reply, used: typeof login) {
    const answer = open(reply);
    const message = answer?.ok ? '' : (answer?.message ?? unreadable(reply));
    if (isExpired(reply.status, message) && used.trusted) {
      used.trusted = false;
      if (used === login) env.onExpired(message);
    }
    return answer;
  }

  async function call(request: CallRequest): Promise<Reply | Extract<Answer, { success: false }>> {
    try {
      return await http.call(request);
    } catch (error) {
      if (error instanceof CallError) return { success: false, message: error.message, status: 0, code: null, expired: false };
      throw error;
    }
  }

  async function ask(path: string, query: Record<string, string> = {}): Promise<Answer> {
    const used = login;
    const reply = await call({ method: 'GET', path, query, headers: headers(used.token), mutating: false });
    if ('success' in reply) return reply;
    const answer = opened(reply, used);
    if (answer?.ok) return { success: true, data: answer.payload };
    const { code, message } = answer ?? { code: null, message: unreadable(reply) };
    return { success: false, message, status: reply.status, code, expired: isExpired(reply.status, message) };
  }

  async function read(path: string): Promise<Read> {
    const answer = await ask(path);
    return answer.success ? answer : failure(answer.message);
  }

  async function obtain(key: string, proof: Record<string, string>): ReturnType<Api['obtain']> {
    const reply = await call({ method: 'POST', path: '/v1/token/api/access', json: proof, headers: headers(key), mutating: true });
    if ('success' in reply) return failure(reply.message);
    if (reply.status === 200) return { success: true, data: reply.json() };
    const answer = open(reply);
    return failure(answer && !answer.ok ? answer.message : unreadable(reply));
  }

  async function change(path: string, json: Record<string, unknown>): Promise<Sent> {
    const used = login;
    return send(http, { method: 'POST', path, json, headers: headers(used.token) }, (reply): Reading | null => {
      const answer = opened(reply, used);
      if (!answer) return null;
      if (!answer.ok) return { orderId: '', refused: isDefinite(reply.status, answer.code), message: answer.message };
      return { orderId: orderAnswer.safeParse(answer.payload).data?.groww_order_id ?? '', refused: false, data: answer.payload };
    });
  }

  /** Groww was seen to redirect this call; on the same host the redirect is followed, once. */
  async function socketLogin(publicKey: string): ReturnType<Api['socketLogin']> {
    const used = login;
    const ask = (path: string) =>
      call({ method: 'POST', path, json: { socketKey: publicKey }, headers: headers(used.token), mutating: true });
    let reply = await ask(SOCKET_PATH);
    const moved = 'headers' in reply && [307, 308].includes(reply.status) ? pathOnHost(env.apiUrl, reply.headers.location ?? '') : null;
    if (moved !== null) reply = await ask(moved);
    if ('success' in reply) return failure(reply.message);
    const answer = opened(reply, used);
    if (answer && !answer.ok) return failure(answer.message);
    const told = socketAnswer.safeParse(answer ? answer.payload : reply.json());
    return reply.status === 200 && told.success ? { success: true, data: told.data } : failure(unreadable(reply));
  }

  return {
    signIn: (token, trusted) => {
      login = { token, trusted };
    },
    obtain,
    ask,
    read,
    change,
    socketLogin,
    close: http.close,
  };
}

/** Where a redirect leads below our address of the API; null when it leads away from it. */
function pathOnHost(apiUrl: string, location: string): string | null {
  const base = new URL(apiUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  const target = URL.parse(location, `${base.origin}${prefix}${SOCKET_PATH}`);
  return target?.origin === base.origin && target.pathname.startsWith(`${prefix}/`)
    ? target.pathname.slice(prefix.length) + target.search
    : null;
}

function unreadable(reply: Reply): string {
  return `Groww answered HTTP ${reply.status} with a body that cannot be read`;
}

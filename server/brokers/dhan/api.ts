import type { BrokerEnv, Sent } from '../broker.ts';
import { CallError, type CallRequest, createHttp, type Reply } from '../http.ts';
import { type Reading, send } from '../send-once.ts';
import { isDefinite, isExpired, orderAnswer, problem, problemText } from './wire.ts';

/** `status` is 0 without an answer; `code` empty without one of Dhan's; `expired`: Dhan refused the token itself. */
export interface Refused {
  success: false;
  message: string;
  status: number;
  code: string;
  expired: boolean;
}
export type Answer = { success: true; data: unknown } | Refused;

/** Dhan's REST interface with the token of one login. */
export interface Api {
  /** Uses `token` from now on; `trusted` once Dhan has accepted it: only then does its refusal end a session. */
  signIn(client: string, token: string, trusted: boolean): void;
  client(): string;
  token(): string;
  read(path: string): Promise<Answer>;
  change(method: 'POST' | 'PUT' | 'DELETE', path: string, json?: unknown): Promise<Sent>;
  close(): Promise<void>;
}

export function createApi(env: BrokerEnv): Api {
  const http = createHttp({ origin: env.apiUrl, localAddress: env.localAddress, clock: env.clock, log: env.log });
  let login = { client: '', token: '', trusted: false };

  /** Parses an answer and notes the end of `used`, the login the call went out with. */
  function open(reply: Reply, used: typeof login) {
    const body = reply.json();
    const told = problem.safeParse(body).data;
    if (told && isExpired(reply.status, told) && used.trusted) {
      used.trusted = false;
      if (used === login) env.onExpired(problemText(told));
    }
    return { body, told };
  }

  function prepared(call: Omit<CallRequest, 'mutating'>): Omit<CallRequest, 'mutating'> {
    return { ...call, headers: { 'access-token': login.token, 'client-id': login.client } };
  }

  async function read(path: string): Promise<Answer> {
    const used = login;
    const refused = { success: false, status: 0, code: '', expired: false } as const;
    try {
      const reply = await http.call({ ...prepared({ method: 'GET', path }), mutating: false });
      const { body, told } = open(reply, used);
      if (reply.status === 200 && body !== undefined && !told) return { success: true, data: body };
      const { status } = reply;
      if (!told) return { ...refused, status, message: `Dhan answered HTTP ${status} with a body that cannot be read` };
      return { ...refused, status, code: told.errorCode ?? '', message: problemText(told), expired: isExpired(status, told) };
    } catch (error) {
      if (error instanceof CallError) return { ...refused, message: error.message };
      throw error;
    }
  }

  async function change(method: 'POST' | 'PUT' | 'DELETE', path: string, json?: unknown): Promise<Sent> {
    const used = login;
    return send(http, prepared({ method, path, json }), (reply): Reading | null => {
      const { body, told } = open(reply, used);
      if (told) return { orderId: '', refused: isDefinite(reply.status, told), message: problemText(told) };
      const answer = orderAnswer.safeParse(body).data;
      if (!answer) return null;
      if (answer.orderStatus !== 'REJECTED') return { orderId: answer.orderId, refused: false, data: body };
      // A placement is refused for certain; of a change it leaves open what the order is now.
      const message = `Dhan rejected order ${answer.orderId}`;
      return { orderId: method === 'POST' ? '' : answer.orderId, refused: true, message, data: body };
    });
  }

  return {
    signIn: (client, token, trusted) => {
      login = { client, token, trusted };
    },
    client: () => login.client,
    token: () => login.token,
    read,
    change,
    close: http.close,
  };
}

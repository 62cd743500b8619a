import type { BrokerEnv, Sent } from '../broker.ts';
import { CallError, createHttp, type Reply } from '../http.ts';
import { type Reading, send } from '../send-once.ts';
import { type Envelope, envelope, isDeadToken, isDefinite, isGood, nothingThere, receipt } from './wire.ts';

export type Body = Record<string, unknown>;
/** `expired`: 5paisa refused the token itself. `empty`: it has no rows to show. */
export type Answer = { success: true; body: Body } | { success: false; message: string; expired: boolean; empty: boolean };

/** 5paisa's REST interface with the token of one login. */
export interface Api {
  /** Uses `token` from now on; `trusted` once 5paisa has accepted it: only then does its refusal end a session. */
  signIn(token: string, client: string, trusted: boolean): void;
  /** Of the newest login; empty texts without one. */
  session(): { token: string; client: string };
  /** A step of the login: no token, never repeated. */
  login(path: string, body: Body): Promise<Answer>;
  read(path: string, body?: Body): Promise<Answer>;
  /** One mutating call; `orderId` is the id it is answered with, `placing`: the answer must not be another order's, and a refusal that names an order is none. */
  change(path: string, body: Body, orderId: string, placing: boolean): Promise<Sent>;
  close(): Promise<void>;
}

export function createApi(env: BrokerEnv): Api {
  const http = createHttp({ origin: env.apiUrl, localAddress: env.localAddress, clock: env.clock, log: env.log });
  let login = { token: '', client: '', trusted: false };

  function request(path: string, used: typeof login, body: Body) {
    const json = { head: { key: env.credentials.USER_KEY }, body: { ClientCode: used.client, ...body } };
    return { method: 'POST', path, headers: { authorization: `Bearer ${used.token}` }, json } as const;
  }

  /** Parses an answer and notes the end of `used`, the login the call went out with. */
  function open(reply: Reply, used: typeof login): { body: Envelope | undefined; expired: boolean } {
    const body = envelope.safeParse(reply.json()).data;
    const expired = reply.status < 500 && isDeadToken(reply.text, body);
    if (expired && used.trusted) {
      used.trusted = false;
      if (used === login) env.onExpired(body?.body?.Message || '5paisa refused the token');
    }
    return { body, expired };
  }

  async function answerTo(call: Parameters<typeof http.call>[0], used: typeof login): Promise<Answer> {
    const failed = { success: false, expired: false, empty: false } as const;
    try {
      const reply = await http.call(call);
      const { body, expired } = open(reply, used);
      if (reply.status === 429) return { ...failed, message: 'Too Many Requests' };
      if (!body && !expired) return { ...failed, message: `5paisa answered HTTP ${reply.status} with a body that cannot be read` };
      if (body?.body && isGood(body) && reply.status === 200) return { success: true, body: body.body };
      const empty =
        reply.status === 200 && body?.head.status === '0' && body.body?.Status === 1 && nothingThere.test(body.body.Message ?? '');
      return { success: false, message: errorText(reply, body), expired, empty };
    } catch (error) {
      if (error instanceof CallError) return { ...failed, message: error.message };
      throw error;
    }
  }

  async function change(path: string, given: Body, orderId: string, placing: boolean): Promise<Sent> {
    const used = login;
    return send(http, request(path, used, given), (reply): Reading | null => {
      const { body, expired } = open(reply, used);
      if (reply.status === 429) return { orderId: '', refused: true, message: 'Too Many Requests' };
      if (!body) return expired ? { orderId: '', refused: true, message: errorText(reply, body) } : null;
      const named = receipt.safeParse(body.body).data;
      const ours = named && (!named.RemoteOrderID || !placing || named.RemoteOrderID === orderId);
      if (isGood(body)) return { orderId: ours ? orderId : '', refused: false, data: body.body };
      const lives = placing && named !== undefined;
      return { orderId: '', refused: reply.status === 200 && isDefinite(body) && !lives, message: errorText(reply, body) };
    });
  }

  return {
    signIn: (token, client, trusted) => {
      login = { token, client, trusted };
    },
    session: () => login,
    login: (path, body) =>
      answerTo(
        { method: 'POST', path, json: { head: { Key: env.credentials.USER_KEY }, body }, mutating: true },
        { ...login, trusted: false },
      ),
    read: (path, body = {}) => {
      const used = login;
      return answerTo({ ...request(path, used, body), mutating: false }, used);
    },
    change,
    close: http.close,
  };
}

function errorText(reply: Reply, body: Envelope | undefined): string {
  const said = body?.body?.Message || (body?.head.status === '0' ? '' : body?.head.reason);
  return said || (body ? `5paisa answered HTTP ${reply.status}, status ${body.head.status}, without a reason` : 'Invalid Token');
}

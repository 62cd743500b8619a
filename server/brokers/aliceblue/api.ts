import type { BrokerEnv, Sent } from '../broker.ts';
import { CallError, createHttp, type Reply } from '../http.ts';
import { type Reading, send } from '../send-once.ts';
import { codesOf, envelope, idOf, isDefinite, isExpired, isOk, namesOrder, textOf } from './wire.ts';

const PREFIX = '/open-api/od/v1';
const ORDER_SOCKET_TOKEN = '/open-api/order-notify/ws/createWsToken';

/** `expired`: Alice Blue refused the token itself. `codes`: what its refusal names. */
export type Answer = { success: true; data: unknown[] } | { success: false; message: string; expired: boolean; codes: string[] };

interface Login {
  token: string;
  /** Client id; empty until the profile told it. */
  account: string;
  /** Alice Blue has accepted the token: only then does its refusal end a session. */
  trusted: boolean;
}

/** Alice Blue's REST interface with the token of one login. Paths stand below its prefix. */
export interface Api {
  login(): Readonly<Login>;
  signIn(login: Login): void;
  /** A POST that changes no order; without `json` a read. */
  ask(path: string, json?: unknown): Promise<Answer>;
  /** What the order update socket wants to see; it does not stand below the prefix. */
  orderSocketToken(): Promise<Answer>;
  /** The token call, which needs no login and has an envelope of its own. */
  bare(path: string, json: unknown): Promise<{ success: true; body: unknown } | { success: false; message: string }>;
  place(json: unknown): Promise<Sent>;
  change(path: string, json: unknown): Promise<Sent>;
  close(): Promise<void>;
}

export function createApi(env: BrokerEnv): Api {
  const http = createHttp({ origin: env.apiUrl, localAddress: env.localAddress, clock: env.clock, log: env.log });
  let login: Login = { token: '', account: '', trusted: false };

  const headers = (): Record<string, string> => (login.token ? { authorization: `Bearer ${login.token}` } : {});

  /** Parses an answer and notes the end of `used`, the login the call went out with. */
  function open(reply: Reply, used: Login) {
    const body = envelope.safeParse(reply.json()).data;
    const expired = isExpired(reply.status, body);
    if (expired && used.trusted) {
      used.trusted = false;
      if (used === login) env.onExpired(body ? textOf(body) : `HTTP ${reply.status}`);
    }
    return { body, expired };
  }

  function said(reply: Reply, body: ReturnType<typeof open>['body']): string {
    return body && !isOk(body.status) ? textOf(body) : `Alice Blue answered HTTP ${reply.status} with a body that cannot be read`;
  }

  async function askAt(path: string, json?: unknown): Promise<Answer> {
    const used = login;
    const way = json === undefined ? ({ method: 'GET', mutating: false } as const) : ({ method: 'POST', json, mutating: true } as const);
    try {
      const reply = await http.call({ ...way, path, headers: headers() });
      const { body, expired } = open(reply, used);
      if (reply.status === 200 && body && isOk(body.status) && Array.isArray(body.result)) return { success: true, data: body.result };
      return { success: false, message: said(reply, body), expired, codes: reply.status === 200 && body ? codesOf(body) : [] };
    } catch (error) {
      if (error instanceof CallError) return { success: false, message: error.message, expired: false, codes: [] };
      throw error;
    }
  }

  async function bare(path: string, json: unknown): ReturnType<Api['bare']> {
    try {
      const reply = await http.call({ method: 'POST', path: PREFIX + path, json, mutating: true });
      const body = reply.json();
      if (reply.status === 200 && body !== undefined) return { success: true, body };
      return { success: false, message: said(reply, envelope.safeParse(body).data) };
    } catch (error) {
      if (error instanceof CallError) return { success: false, message: error.message };
      throw error;
    }
  }

  function orderCall(path: string, json: unknown, changes: boolean): Promise<Sent> {
    const used = login;
    return send(http, { method: 'POST', path: PREFIX + path, json, headers: headers() }, (reply): Reading | null => {
      const { body, expired } = open(reply, used);
      if (!body) return expired ? { orderId: '', refused: true, message: said(reply, body) } : null;
      const id = idOf(body);
      if (id) return { orderId: id, refused: false, data: body.result };
      const refused = !namesOrder(body) && isDefinite(reply.status, body, changes);
      return { orderId: '', refused, message: refused || !isOk(body.status) ? textOf(body) : undefined };
    });
  }

  return {
    login: () => login,
    signIn: (next) => {
      login = { ...next };
    },
    ask: (path, json) => askAt(PREFIX + path, json),
    orderSocketToken: () => askAt(ORDER_SOCKET_TOKEN),
    bare,
    place: (json) => orderCall('/orders/placeorder', json, false),
    change: (path, json) => orderCall(path, json, true),
    close: http.close,
  };
}

import type { BrokerEnv, Sent } from '../broker.ts';
import { type Client, createClient } from '../client.ts';
import type { Answer, Dialect } from '../dialect.ts';
import { type Envelope, envelope, isDeadToken, isDefinite, isGood, nothingThere, receipt } from './wire.ts';

export type Body = Record<string, unknown>;

export interface Login {
  token: string;
  client: string;
}

/** 5paisa's REST interface with the token of one login. What an answer brings is its `body`. */
export interface Api extends Omit<Client<Login, Body>, 'read' | 'change'> {
  /** A step of the login: no token, never repeated. */
  step(path: keyof typeof steps, body: Body): Promise<Answer<Body>>;
  /** `readTimeoutMs`: how long this answer may take, where it has longer than others. */
  read(path: string, body?: Body, readTimeoutMs?: number): Promise<Answer<Body>>;
  /** One mutating call; `orderId` is the id it is answered with. A placement must not be answered with another order's. */
  change(path: string, body: Body, orderId: string): Promise<Sent>;
}

const PLACE = '/V1/PlaceOrderRequest';
const steps = { '/TOTPLogin': true, '/GetAccessToken': true } as const;

const dialect: Dialect<Login, Body> = {
  name: '5paisa',
  nobody: { token: '', client: '' },
  headers: ({ token }, _env, { path }): Record<string, string> => (Object.hasOwn(steps, path) ? {} : { authorization: `Bearer ${token}` }),
  read({ status, text, json }, { path }) {
    if (status === 429) return { success: false, message: 'Too Many Requests', definite: true };
    const body = envelope.safeParse(json()).data;
    if (body?.body && isGood(body)) return { success: true, data: body.body };
    const dead = status < 500 && isDeadToken(text, body);
    const expired = dead && !Object.hasOwn(steps, path);
    if (!body) return dead ? { success: false, message: 'Invalid Token', expired, definite: true } : null;
    // A refused placement that names an order contradicts itself: it is not believed.
    const lives = path === PLACE && receipt.safeParse(body.body).success;
    return {
      success: false,
      message: errorText(status, body),
      expired,
      empty: status === 200 && body.head.status === '0' && body.body?.Status === 1 && nothingThere.test(body.body.Message ?? ''),
      definite: status === 200 && isDefinite(body) && !lives,
    };
  },
};

export function createApi(env: BrokerEnv): Api {
  const client = createClient(env, dialect);
  const key = env.credentials.USER_KEY;

  function callOf(path: string, body: Body) {
    const json = { head: { key }, body: { ClientCode: client.login().client, ...body } };
    return { method: 'POST', path, json } as const;
  }

  return {
    ...client,
    step: (path, body) => client.ask({ method: 'POST', path, json: { head: { Key: key }, body } }, true),
    read: (path, body = {}, readTimeoutMs) => client.ask({ ...callOf(path, body), ...(readTimeoutMs && { timeoutMs: readTimeoutMs }) }),
    change: (path, given, orderId) =>
      client.change(callOf(path, given), (body) => {
        const named = receipt.safeParse(body).data;
        const ours = named && (!named.RemoteOrderID || path !== PLACE || named.RemoteOrderID === orderId);
        return { orderId: ours ? orderId : '' };
      }),
  };
}

function errorText(status: number, { head, body }: Envelope): string {
  const said = body?.Message || (head.status === '0' ? '' : head.reason);
  return said || `5paisa answered HTTP ${status}, status ${head.status}, without a reason`;
}

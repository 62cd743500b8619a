import type { BrokerEnv, Sent } from '../broker.ts';
import { type Client, createClient } from '../client.ts';
import { type Answer, type Dialect, unreadable } from '../dialect.ts';
import { codesOf, envelope, idOf, isDefinite, isExpired, isOk, namesOrder, textOf } from './wire.ts';

const PREFIX = '/open-api/od/v1';
const ORDER_SOCKET_TOKEN = '/open-api/order-notify/ws/createWsToken';
const CODE_TRADE = `${PREFIX}/vendor/getUserDetails`;
const PLACE = `${PREFIX}/orders/placeorder`;
const orderCalls = [PLACE, `${PREFIX}/orders/modify`, `${PREFIX}/orders/cancel`];

interface Login {
  token: string;
  /** Client id; empty until the profile told it. */
  account: string;
}

/** Alice Blue's REST interface with the token of one login. Paths stand below its prefix. */
export interface Api extends Omit<Client<Login, unknown[]>, 'ask' | 'get' | 'read' | 'change' | 'logout'> {
  /** A POST that changes no order; without `json` a read. The one code of a refusal under HTTP 200 is its `code`. */
  ask(path: string, json?: unknown): Promise<Answer<unknown[]>>;
  /** A POST that changes nothing at all. */
  question(path: string, json: unknown): Promise<Answer<unknown[]>>;
  /** The first of what is asked for, undefined where there is none. */
  one(path: string): Promise<Answer>;
  /** What the order update socket wants to see; it does not stand below the prefix. */
  orderSocketToken(): Promise<Answer<unknown[]>>;
  /** Trades the proof of a code for a session. */
  trade(checkSum: string): Promise<Answer>;
  place(json: unknown): Promise<Sent>;
  change(path: string, json: unknown): Promise<Sent>;
}

/** Seen where an account has no order updates: a good answer without a body. */
const noOrderFeed = { success: false, message: 'Alice Blue has no order updates for this account', empty: true } as const;

const dialect: Dialect<Login, unknown[]> = {
  name: 'Alice Blue',
  nobody: { token: '', account: '' },
  headers: ({ token }): Record<string, string> => (token ? { authorization: `Bearer ${token}` } : {}),
  read({ status, text, json }, { path }) {
    if (path === ORDER_SOCKET_TOKEN && status === 200 && text.trim() === '') return noOrderFeed;
    // The token call has an envelope of its own.
    if (path === CODE_TRADE && status === 200 && json() !== undefined) return { success: true, data: [json()] };
    const body = envelope.safeParse(json()).data;
    const expired = isExpired(status, body);
    const broken = unreadable(dialect.name, status);
    if (!body) return expired ? { success: false, message: broken, expired, definite: true } : null;
    const [isOrder, good] = [orderCalls.includes(path), isOk(body.status)];
    const orderId = isOrder ? idOf(body) : '';
    if (good && !expired && Array.isArray(body.result) && (orderId || !isOrder)) return { success: true, data: body.result };
    const definite = isOrder && !namesOrder(body) && isDefinite(status, body, path !== PLACE);
    if (isOrder && good && !expired && !definite) return null;
    const [code = '', ...others] = status === 200 ? codesOf(body) : [];
    const message = good && !definite ? broken : textOf(body);
    return { success: false, message, expired, definite, orderId, code: others.length > 0 ? '' : code };
  },
};

export function createApi(env: BrokerEnv): Api {
  const client = createClient(env, dialect);

  function askAt(path: string, json?: unknown): Promise<Answer<unknown[]>> {
    return json === undefined ? client.ask({ method: 'GET', path }) : client.ask({ method: 'POST', path, json }, true);
  }

  async function first(asked: Promise<Answer<unknown[]>>): Promise<Answer> {
    const answer = await asked;
    return answer.success ? { success: true, data: answer.data[0] } : answer;
  }

  const change: Api['change'] = (path, json) =>
    client.change({ method: 'POST', path: PREFIX + path, json }, (result) => ({ orderId: idOf({ ...ok, result }) }));

  return {
    ...client,
    ask: (path, json) => askAt(PREFIX + path, json),
    question: (path, json) => client.ask({ method: 'POST', path: PREFIX + path, json }),
    one: (path) => first(askAt(PREFIX + path)),
    orderSocketToken: () => askAt(ORDER_SOCKET_TOKEN),
    trade: (checkSum) => first(askAt(CODE_TRADE, { checkSum })),
    place: (json) => change('/orders/placeorder', json),
    change,
  };
}

const ok = { status: 'Ok', message: null, emsg: null };

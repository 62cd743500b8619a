import { Pool } from 'undici';
import { practiceCredentials } from '../server/exchange/host.ts';

/** One share at the market, in the broker's words where they matter. */
export interface Order {
  symbol: string;
  side: 'BUY' | 'SELL';
  /** Idempotency key at the gateway, tag at the broker. */
  key: string;
}

const { API_KEY, ACCESS_TOKEN } = practiceCredentials('zerodha');
const headers = { 'x-kite-version': '3', authorization: `token ${API_KEY}:${ACCESS_TOKEN}`, accept: 'application/json' };
const formType = { 'content-type': 'application/x-www-form-urlencoded' };

/** The pool a careful caller would use: the gateway's own towards a broker has the same settings. */
export function createPool(origin: string): Pool {
  return new Pool(origin, { pipelining: 1, keepAliveTimeout: 50_000, headersTimeout: 0, bodyTimeout: 0 });
}

/** The steps an order's record goes through; each must be durable before what follows it. */
export type Step = 'CLAIMED' | 'SENDING' | 'ACCEPTED' | 'DONE';

/** Writes a step of an order down. */
export type Note = (key: string, step: Step) => Promise<void>;

/**
 * The three calls one order needs: positions, place, order book, and nothing around them but what `note` writes down. Throws unless the order filled.
 */
export function createUpstream(origin: string, note?: Note): (order: Order) => Promise<void> {
  const pool = createPool(origin);

  async function call(method: 'GET' | 'POST', path: string, form?: Record<string, string>): Promise<string> {
    const body = form && { body: new URLSearchParams(form).toString() };
    const answer = await pool.request({ method, path, headers: form ? { ...headers, ...formType } : headers, ...body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text;
  }

  return async ({ symbol, side, key }) => {
    await note?.(key, 'CLAIMED');
    const positions: { data: { net: unknown[] } } = JSON.parse(await call('GET', '/portfolio/positions'));
    if (!Array.isArray(positions.data.net)) throw new Error('no positions');
    await note?.(key, 'SENDING');
    const placed: { data: { order_id: string } } = JSON.parse(await call('POST', '/orders/regular', placeForm(symbol, side, key)));
    await note?.(key, 'ACCEPTED');
    const book: { data: { order_id: string; status: string }[] } = JSON.parse(await call('GET', '/orders'));
    const row = book.data.find(({ order_id }) => order_id === placed.data.order_id);
    if (row?.status !== 'COMPLETE') throw new Error(`the order is ${row?.status ?? 'not in the book'}`);
    await note?.(key, 'DONE');
  };
}

function placeForm(symbol: string, side: string, tag: string): Record<string, string> {
  return {
    exchange: 'NSE',
    tradingsymbol: symbol,
    transaction_type: side,
    order_type: 'MARKET',
    product: 'MIS',
    quantity: '1',
    validity: 'DAY',
    market_protection: '-1',
    tag: tag.slice(-16),
  };
}

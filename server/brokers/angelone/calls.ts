import type { Broker, BrokerChange, BrokerEnv, BrokerOrder, PositionRow, Sent } from '../broker.ts';
import { numberToken, soundAlike } from '../instrument.ts';
import { Refusal, translate } from '../parse.ts';
import { refusable } from '../send-once.ts';
import type { Api } from './api.ts';
import { changeBody, placeBody, shows } from './order.ts';
import { type BookedOrder, bookedOrder } from './rows.ts';
import { orderName, varieties } from './wire.ts';

export const ORDER_BOOK = '/order/v1/getOrderBook';
/** A change shows within a few moments; the details of one order may be read ten times a second. */
const CONFIRM_PAUSES_MS = [50, 150, 300, 500, 500];
const CONFIRM_MS = 2_000;

/** The orders seen so far, and how each is read again. */
function createSeen(api: Api) {
  /** How Angel One names an order: the variety it files it under and the id that `details` asks for. */
  const names = new Map<string, { variety: string; unique: string | null }>();

  function learn(rows: readonly unknown[]): void {
    for (const row of rows) {
      const name = orderName.safeParse(row).data;
      if (name) names.set(name.orderid, { variety: name.variety, unique: name.uniqueorderid });
    }
  }

  /** The order as Angel One has it booked now; null when it is not shown or cannot be read. */
  async function booked(orderId: string): Promise<BookedOrder | null> {
    const unique = names.get(orderId)?.unique;
    if (unique) {
      const details = await api.read(`/order/v1/details/${encodeURIComponent(unique)}`);
      const row = details.success ? bookedOrder.safeParse(details.data).data : undefined;
      if (row?.orderid === orderId) return row;
    }
    const book = await api.read(ORDER_BOOK);
    if (!book.success || !Array.isArray(book.data)) return null;
    learn(book.data);
    return book.data.map((row) => bookedOrder.safeParse(row).data).find((row) => row?.orderid === orderId) ?? null;
  }

  /** With the book unreadable NORMAL is still tried: under a wrong variety Angel One refuses. */
  async function varietyOf(orderId: string): Promise<string> {
    return (names.get(orderId) ?? (await booked(orderId)))?.variety ?? varieties.NORMAL;
  }

  return { learn, booked, varietyOf };
}

export interface OrderCalls extends Pick<Broker, 'placeOrder' | 'modifyOrder' | 'cancelOrder'> {
  /** Rows of an order book, as they came: a later call finds its order by them. */
  learn(rows: readonly unknown[]): void;
  /** The positions: an order for the token of one must bear its symbol. */
  hold(rows: readonly PositionRow[]): void;
}

export function orderCalls(env: BrokerEnv, api: Api): OrderCalls {
  const { learn, booked, varietyOf } = createSeen(api);

  /** Symbols of the positions by exchange and token. */
  let held: ReadonlyMap<string, string> = new Map();

  /** Success may be answered to a change that did nothing: it counts once the order shows it, or cannot be changed any more. */
  async function confirmed(sent: Sent, orderId: string, body: Record<string, string>): Promise<Sent> {
    const until = env.clock.mono() + CONFIRM_MS;
    for (const pauseMs of CONFIRM_PAUSES_MS) {
      await env.clock.sleep(pauseMs);
      if (env.clock.mono() > until) break;
      const row = await booked(orderId);
      if (row && (['FILLED', 'REJECTED', 'CANCELLED'].includes(row.state) || shows(row, body))) return sent;
    }
    return { ...sent, fate: 'unknown', message: 'Angel One answered success to the change, but the order does not show it' };
  }

  async function placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    const body = placeBody(order, tag, env.clock.now(), env);
    const heldAs = held.get(`${order.exchange} ${numberToken(order.token)}`) ?? order.symbol;
    if (!soundAlike(heldAs, order.symbol))
      throw new Refusal(`symbol: token ${order.token} is held as ${heldAs}, not ${order.symbol}; nothing was sent`);
    const { sent } = await api.change('placeOrder', body);
    if (sent.fate === 'accepted') learn([Object.assign({}, body, sent.data)]);
    return sent;
  }

  async function modifyOrder(change: BrokerChange): Promise<Sent> {
    translate(varieties, 'variety', change.variety);
    const order = await booked(change.orderid);
    if (!order)
      throw new Refusal(`order_id: ${change.orderid} is not in Angel One's order book, or the book cannot be read; nothing was changed`);
    const body = changeBody(change, order);
    const first = await api.change('modifyOrder', body);
    // The book files after-market orders under AMO, a variety that requests may no longer name: this refusal is definite.
    const again = order.variety === 'AMO' && first.code === 'AB1008';
    const { sent } = again ? await api.change('modifyOrder', { ...body, variety: varieties.NORMAL }) : first;
    return sent.fate === 'accepted' ? confirmed(sent, change.orderid, body) : sent;
  }

  async function cancelOrder(orderid: string): Promise<Sent> {
    const variety = await varietyOf(orderid);
    const first = await api.change('cancelOrder', { variety, orderid });
    // Another request only where the first was definitely refused as filed elsewhere; after the catch-all AB1007 the caller is told.
    const again = variety === 'AMO' && first.code === 'AB1008' && first.sent.fate === 'rejected';
    return again ? (await api.change('cancelOrder', { variety: varieties.NORMAL, orderid })).sent : first.sent;
  }

  return {
    learn,
    hold(rows) {
      held = new Map(rows.map((row) => [`${row.exchange} ${row.token}`, row.symbol]));
    },
    placeOrder: (order, tag) => refusable(() => placeOrder(order, tag)),
    modifyOrder: (change) => refusable(() => modifyOrder(change)),
    cancelOrder,
  };
}

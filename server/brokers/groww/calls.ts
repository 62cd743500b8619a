import type { Clock } from '../../clock.ts';
import type { Broker, BrokerChange, BrokerEnv, BrokerOrder, Listing, OrderRow, Sent } from '../broker.ts';
import { failure, issueText, Refusal } from '../parse.ts';
import { refusable } from '../send-once.ts';
import type { Api } from './api.ts';
import type { Detail } from './lists.ts';
import { changeBody, placeBody } from './order.ts';
import { type Of, stopLimit } from './protect.ts';
import { orderAnswer, orderTypes, type Segment, segmentOf } from './wire.ts';

/** The segments orders are sent to. */
export const tradedSegments: readonly Segment[] = ['CASH', 'FNO'];

interface Priced<Body> {
  body: Omit<Body, 'price'> & { price?: number };
  /** What became of the order type, for the answer's message. */
  note?: string;
}

/** A body as it goes out: an SL-M of ours as SL. */
async function priced<Body extends { order_type: string; trigger_price?: number }>(
  clock: Clock,
  api: Api,
  body: Body,
  of: Of,
): Promise<Priced<Body>> {
  if (body.order_type !== orderTypes['SL-M']) return { body };
  const price = await stopLimit(clock, api, of, body.trigger_price ?? 0);
  return { body: { ...body, order_type: orderTypes.SL, price }, note: `SL-M went to Groww as SL with a limit of ${price}` };
}

function noted(sent: Sent, note: string | undefined): Sent {
  return note !== undefined && sent.fate === 'accepted' ? { ...sent, message: note } : sent;
}

export function orderCalls(
  env: BrokerEnv,
  api: Api,
  orders: () => Promise<Listing<OrderRow>>,
  detail: Detail,
): Pick<Broker, 'placeOrder' | 'modifyOrder' | 'cancelOrder' | 'ordersByTag'> {
  /** The segment behind our own order ids and tags: most calls about one order need it. */
  const segments = new Map<string, Segment>();
  /** Ids of orders placed here as SL-M: their limit follows their trigger. */
  const limitFollows = new Set<string>();

  /** The order as Groww has it now; null when the book does not show it. Throws Refusal when it cannot be read. */
  async function booked(orderId: string): Promise<OrderRow | null> {
    const segment = segments.get(orderId);
    const read = await (segment ? detail(orderId, segment) : orders());
    if (!read.success) throw new Refusal(`order_id: ${orderId} cannot be read (${read.message}); nothing was changed`);
    return read.normalized.find((row) => row.order_id === orderId) ?? null;
  }

  async function placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    const asked = placeBody(order, tag);
    const { body, note } = await priced(env.clock, api, asked, {
      symbol: asked.trading_symbol,
      exchange: order.exchange,
      side: order.transactiontype,
    });
    segments.set(tag, body.segment);
    const sent = await api.change('/v1/order/create', body);
    if (sent.order_id) segments.set(sent.order_id, body.segment);
    if (sent.order_id && note) limitFollows.add(sent.order_id);
    return noted(sent, note);
  }

  async function modifyOrder(change: BrokerChange): Promise<Sent> {
    const row = await booked(change.orderid);
    if (!row) throw new Refusal(`order_id: ${change.orderid} is not in Groww's order book; nothing was changed`);
    const follows =
      limitFollows.has(change.orderid) && row.order_type === 'SL' && change.ordertype === undefined && change.price === undefined;
    const asked = changeBody(follows ? { ...change, ordertype: 'SL-M' } : change, row, segmentOf(row));
    const { body, note } = await priced(env.clock, api, asked, { ...row, side: row.transaction_type });
    return noted(await api.change('/v1/order/modify', body), note);
  }

  /** With the book unreadable CASH is still tried: under a wrong segment Groww finds no order. */
  async function cancelOrder(orderId: string): Promise<Sent> {
    const row = segments.has(orderId) ? null : await booked(orderId).catch(() => null);
    const segment = segments.get(orderId) ?? (row ? segmentOf(row) : 'CASH');
    return api.change('/v1/order/cancel', { segment, groww_order_id: orderId });
  }

  return {
    placeOrder: (order, tag) => refusable(() => placeOrder(order, tag)),
    modifyOrder: (change) => refusable(() => modifyOrder(change)),
    cancelOrder,
    ordersByTag: (tag) => byTag(api, detail, tag, segments.get(tag)),
  };
}

/** Groww looks an order up by reference within one segment; after a restart both are tried. */
async function byTag(api: Api, detail: Detail, tag: string, known: Segment | undefined): Promise<Listing<OrderRow>> {
  for (const segment of known ? [known] : tradedSegments) {
    const answer = await api.get(`/v1/order/status/reference/${encodeURIComponent(tag)}`, { segment });
    if (!answer.success && answer.code === 'GA004') continue;
    if (!answer.success) return failure(answer.message);
    const found = orderAnswer.safeParse(answer.data);
    return found.success ? detail(found.data.groww_order_id, segment) : failure(`order: ${issueText(found.error)}`);
  }
  return { success: true, data: [], normalized: [] };
}

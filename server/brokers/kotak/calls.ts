import type { Clock } from '../../clock.ts';
import type { Broker, BrokerChange, BrokerEnv, BrokerOrder, Sent } from '../broker.ts';
import { Refusal, translate } from '../parse.ts';
import { refusable } from '../send-once.ts';
import { report } from './answers.ts';
import type { Api } from './api.ts';
import { changeFields, type Fields, placeFields } from './order.ts';
import { limitFor } from './protect.ts';
import type { Quote } from './quotes.ts';
import {
  afterMarket,
  type BookedOrder,
  bookedOrder,
  isHeldAfterMarket,
  orderTypes,
  ourExchanges,
  ourOrderTypes,
  segments,
  sides,
} from './wire.ts';

/** A quote older than this does not price an order. */
const FRESH_MS = 5_000;

/** What the order report does not tell of an order placed here. */
interface Placed {
  afterMarket: boolean;
  /** Asked for as SL-M: its limit follows its trigger. */
  limitFollows: boolean;
}

/** What an order type goes out as: Kotak refuses SL-M over its API, and books MARKET as a limit that may lie far from the market. */
const instead: Readonly<Record<string, 'LIMIT' | 'SL'>> = { [orderTypes.MARKET]: 'LIMIT', [orderTypes['SL-M']]: 'SL' };

interface Priced {
  fields: Fields;
  /** What became of the order type, for the answer's message; absent where nothing did. */
  note?: string;
}

/** The fields with a protected limit from a fresh quote, where the caller gave none and Kotak needs one. */
async function withLimit(clock: Clock, quote: Quote, fields: Fields, exchange: string, token: string): Promise<Priced> {
  const becomes = instead[fields.pt ?? ''];
  if (!becomes) return { fields };
  const asked = ourOrderTypes.get(fields.pt ?? '') ?? '';
  const cannot = (why: string) => new Refusal(`order_type: ${asked} ${why}; send ${becomes} with a limit price`);
  const found = await quote(exchange, token).catch((error: Error) => {
    throw cannot(`needs a quote for its protected limit, and there is none (${error.message})`);
  });
  if (!found || clock.now() - found.at > FRESH_MS) throw cannot('needs a quote younger than 5 s for its protected limit');
  const side = fields.tt === sides.BUY ? 'BUY' : 'SELL';
  const option = (fields.es === segments.NFO || fields.es === segments.BFO) && /\d(CE|PE)$/.test(fields.ts ?? '');
  const pr = limitFor({ side, option, trigger: becomes === 'SL' ? (fields.tp ?? '0') : null }, found.quote);
  return { fields: { ...fields, pt: orderTypes[becomes], pr }, note: `${asked} went to Kotak as ${becomes} with a limit of ${pr}` };
}

/** The answer with what became of the order's type. */
function noted(sent: Sent, note: string | undefined): Sent {
  if (note === undefined || sent.fate !== 'accepted') return sent;
  return { ...sent, message: sent.message === undefined ? note : `${sent.message} ${note}` };
}

export function orderCalls({ clock }: BrokerEnv, api: Api, quote: Quote): Pick<Broker, 'placeOrder' | 'modifyOrder' | 'cancelOrder'> {
  const placed = new Map<string, Placed>();

  /** The order as Kotak has it booked now; null when the report does not show it or cannot be read. */
  async function booked(orderId: string): Promise<BookedOrder | null> {
    const answer = await api.get('/quick/user/orders');
    const rows = answer.success ? report.safeParse(answer.data).data?.data : undefined;
    return rows?.map((row) => bookedOrder.safeParse(row).data).find((row) => row?.nOrdNo === orderId) ?? null;
  }

  async function placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    const asked = placeFields(order, tag);
    const limitFollows = asked.pt === orderTypes['SL-M'];
    const { fields, note } = await withLimit(clock, quote, asked, order.exchange, order.token);
    const sent = await api.change('/quick/order/rule/ms/place', fields);
    if (sent.fate === 'accepted') placed.set(sent.order_id, { afterMarket: fields.am === afterMarket.AMO, limitFollows });
    return noted(sent, note);
  }

  async function modifyOrder(change: BrokerChange): Promise<Sent> {
    translate(afterMarket, 'variety', change.variety);
    const row = await booked(change.orderid);
    if (!row) throw new Refusal(`order_id: ${change.orderid} is not in Kotak's order report, or it cannot be read; nothing was changed`);
    const follows = placed.get(change.orderid)?.limitFollows && change.ordertype === undefined && change.price === undefined;
    const asked = changeFields(follows && row.prcTp === orderTypes.SL ? { ...change, ordertype: 'SL-M' } : change, row);
    const exchange = ourExchanges.get(row.exSeg) ?? row.exSeg;
    const { fields, note } = await withLimit(clock, quote, asked, exchange, row.tok ?? '');
    const sent = await api.change('/quick/order/vr/modify', fields);
    return noted(row.fldQty > 0 && sent.fate === 'accepted' ? await checked(sent, Number(fields.qt)) : sent, note);
  }

  /** Whether a quantity sent after a partial fill is the total or the rest is not documented: what Kotak booked is read back. */
  async function checked(sent: Sent, wanted: number): Promise<Sent> {
    const row = await booked(sent.order_id);
    if (row?.qty === wanted) return sent;
    const shown = row ? `Kotak shows a quantity of ${row.qty}, asked for were ${wanted}` : 'the order could not be read back';
    return { ...sent, message: `The order was partly filled and is changed; ${shown}. Look at it before acting.` };
  }

  /** With the report unreadable a regular cancel is still tried: for a held order Kotak refuses it. */
  async function cancelOrder(orderId: string): Promise<Sent> {
    const row = placed.get(orderId)?.afterMarket === false ? null : await booked(orderId);
    const held = row && isHeldAfterMarket(row.ordSt);
    return api.change('/quick/order/cancel', held ? { on: orderId, am: 'YES', ts: row.trdSym } : { on: orderId, am: 'NO' });
  }

  return {
    placeOrder: (order, tag) => refusable(() => placeOrder(order, tag)),
    modifyOrder: (change) => refusable(() => modifyOrder(change)),
    cancelOrder,
  };
}

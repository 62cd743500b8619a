import { Big } from '../../money.ts';
import type { Broker, BrokerChange, BrokerEnv, BrokerOrder, Sent } from '../broker.ts';
import { issueText, Refusal } from '../parse.ts';
import { refusable } from '../send-once.ts';
import type { Api } from './api.ts';
import { changeDraft, type Draft, placeDraft } from './order.ts';
import { limitBeyond } from './protect.ts';
import { type BookedOrder, bookedOrder } from './rows.ts';
import { orderTypes, type QuoteRow, quote } from './wire.ts';

/** A quote older than this does not price an order. */
const FRESH_MS = 5_000;

export interface Quoted {
  row: QuoteRow;
  /** When it was asked for, epoch ms. */
  at: number;
}

/** The quote of an instrument. Throws when there is none that can be read. */
export async function readQuote(env: BrokerEnv, api: Api, exch: string, token: string): Promise<Quoted> {
  const at = env.clock.now();
  const answer = await api.request('GetQuotes', { exch, token });
  if (!answer.success) throw new Error(answer.message);
  const row = quote.safeParse(answer.data);
  if (!row.success) throw new Error(`quote: ${issueText(row.error)}`);
  return { row: row.data, at };
}

/** Shoonya blocks MARKET and SL-M over its API: they go out as LIMIT and SL with a limit a little beyond. */
export async function withLimit(
  env: BrokerEnv,
  api: Api,
  { fields, limitFrom }: Draft,
  buying: boolean,
  token: string | null,
): Promise<Draft['fields']> {
  if (!limitFrom) return fields;
  const asked = limitFrom === 'trigger' ? 'SL-M' : 'MARKET';
  const cannot = (why: string) =>
    new Refusal(`order_type: Shoonya blocks ${asked} over its API and no protected limit can be set (${why}); send a limit price`);
  if (!token) throw cannot('no token to ask a quote with');
  const { row, at } = await readQuote(env, api, fields.exch ?? '', token).catch((error: Error) => {
    throw cannot(error.message);
  });
  if (row.exch !== fields.exch || row.tsym !== fields.tsym)
    throw new Refusal(`token: ${token} is ${row.exch} ${row.tsym} at Shoonya, not ${fields.tsym}`);
  if (env.clock.now() - at > FRESH_MS) throw cannot('the quote took longer than 5 s');
  if (!(row.lp > 0)) throw cannot('it has not traded');
  const stop = limitFrom === 'trigger';
  const base = new Big(stop ? (fields.trgprc ?? 0) : row.lp);
  const prc = limitBeyond({ buying, base, field: stop ? 'trigger_price' : 'order_type' }, row);
  return { ...fields, prctyp: stop ? orderTypes.SL : orderTypes.LIMIT, prc };
}

export function orderCalls(env: BrokerEnv, api: Api): Pick<Broker, 'placeOrder' | 'modifyOrder' | 'cancelOrder'> {
  /** The order as Shoonya has it booked now. Throws Refusal when that cannot be told. */
  async function booked(orderId: string): Promise<BookedOrder> {
    const refuse = (why: string) => new Refusal(`order_id: ${orderId} could not be read at Shoonya (${why}); nothing was changed`);
    const answer = await api.request('OrderBook');
    if (!answer.success) throw refuse(answer.message);
    const rows = Array.isArray(answer.data) ? answer.data : [];
    const row = rows.find((each: { norenordno?: unknown } | null) => each?.norenordno === orderId);
    if (!row) throw refuse('it is not in the order book');
    const read = bookedOrder.safeParse(row);
    if (!read.success) throw refuse(issueText(read.error));
    return read.data;
  }

  async function placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    const draft = placeDraft(order, tag, env.algoId);
    return api.change('PlaceOrder', await withLimit(env, api, draft, order.transactiontype === 'BUY', order.token));
  }

  async function modifyOrder(change: BrokerChange): Promise<Sent> {
    const row = await booked(change.orderid);
    const fields = await withLimit(env, api, changeDraft(change, row), row.trantype === 'BUY', row.token);
    return api.change('ModifyOrder', fields);
  }

  return {
    placeOrder: (order, tag) => refusable(() => placeOrder(order, tag)),
    modifyOrder: (change) => refusable(() => modifyOrder(change)),
    cancelOrder: (orderId) => api.change('CancelOrder', { norenordno: orderId }),
  };
}

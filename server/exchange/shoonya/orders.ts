import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import { instruments } from '../instruments.ts';
import type { Instrument, NewOrder, Placed } from '../types.ts';
import { type OrderView, orderLines } from '../views.ts';
import type { Call } from '../wire/emulator.ts';
import type { Operation } from '../wire/faults.ts';
import type { WireReply } from '../wire/message.ts';
import { marginFields } from './account-rows.ts';
import { orderRow, tradeRow } from './rows.ts';
import { invalid, jData, list, notOk, ok, productOf, refused, tradingSymbol, typeOf } from './words.ts';

/** What a caller of the older client leaves out may stand there as null or as the word None. */
const unset = (value: unknown) => (value === null || value === 'None' ? undefined : value);
const price = z.string().regex(/^\d+(\.\d+)?$/);
const quantity = z.string().regex(/^\d+$/);
/** Symbols come percent-encoded in orders, or plain by way of a JSON escape. */
const symbol = z
  .string()
  .min(1)
  .transform((text) => text.replaceAll('%26', '&'));

const shared = {
  uid: z.string().min(1),
  exch: z.enum(['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS']),
  tsym: symbol,
  qty: quantity,
  prc: price,
  prctyp: z.enum(['LMT', 'MKT', 'SL-LMT', 'SL-MKT']),
  trgprc: z.preprocess(unset, price.optional()),
  dscqty: z.preprocess(unset, quantity.default('0')),
};
const PlaceFields = z.object({
  ...shared,
  actid: z.string().min(1),
  prd: z.enum(['I', 'C', 'M']),
  trantype: z.enum(['B', 'S']),
  ret: z.enum(['DAY', 'IOC', 'EOS']),
  amo: z.preprocess(unset, z.string().optional()),
  remarks: z.preprocess(unset, z.string().optional()),
});
/** An order without what only a placement says. */
const MarginFields = PlaceFields.omit({ ret: true, amo: true, remarks: true });
const ModifyFields = z.object({ ...shared, norenordno: z.string().min(1) });
const OneOrder = z.object({ uid: z.string().min(1), norenordno: z.string().min(1) });

const byName = new Map(instruments.map((instrument) => [`${instrument.exchange} ${tradingSymbol(instrument)}`, instrument]));

export interface NorenCall {
  name: string;
  operation: Operation;
  handle(call: Call): WireReply;
}

/** Orders, trades and the margin calculator; every answer tells the time. */
export function orderCalls({ clock }: Exchange): NorenCall[] {
  const calls: readonly (readonly [string, Operation, (call: Call, now: number) => WireReply])[] = [
    ['PlaceOrder', 'place', placeOrder],
    ['ModifyOrder', 'modify', modifyOrder],
    ['CancelOrder', 'cancel', cancelOrder],
    ['OrderBook', 'orders', ({ account }, now) => list(account.orders().map(orderRow).reverse(), now)],
    ['SingleOrdHist', 'orders', single((order) => orderLines(order).reverse())],
    ['SingleOrdStatus', 'orders', single((order) => [order])],
    ['TradeBook', 'trades', ({ account }, now) => list(account.trades().map(tradeRow), now)],
    ['GetOrderMargin', 'funds', orderMargin],
  ];
  return calls.map(([name, operation, answer]) => ({ name, operation, handle: (call) => answer(call, clock.now()) }));
}

function placeOrder({ request, account }: Call, now: number): WireReply {
  const parsed = PlaceFields.safeParse(jData(request));
  if (!parsed.success) return invalid(now);
  const fields = parsed.data;
  if (fields.amo !== undefined && fields.amo !== 'Yes') return notOk(200, 'Invalid Input : Invalid AMO', now);
  const instrument = byName.get(`${fields.exch} ${fields.tsym}`);
  if (!instrument) return refused({ code: 'INSTRUMENT', facts: {} }, now);
  const problem = priceProblem(fields);
  if (problem) return notOk(200, problem, now);
  const placed = account.place(newOrder(fields, instrument));
  return placed.ok ? ok(now, { norenordno: placed.order.orderId }) : refused(placed.refusal, now);
}

function modifyOrder({ request, account }: Call, now: number): WireReply {
  const parsed = ModifyFields.safeParse(jData(request));
  if (!parsed.success) return invalid(now);
  const { norenordno, exch, tsym, prctyp, qty, prc, trgprc } = parsed.data;
  const order = account.order(norenordno);
  if (!order || order.instrument !== byName.get(`${exch} ${tsym}`)) return refused({ code: 'NOT_FOUND', facts: {} }, now);
  const problem = priceProblem(parsed.data);
  if (problem) return notOk(200, problem, now);
  const change = { orderType: typeOf[prctyp], quantity: Number(qty), price: prc, triggerPrice: trgprc ?? '0' };
  return done(account.modify(norenordno, change), now);
}

function cancelOrder({ request, account }: Call, now: number): WireReply {
  const parsed = OneOrder.safeParse(jData(request));
  return parsed.success ? done(account.cancel(parsed.data.norenordno), now) : invalid(now);
}

/** Whether it takes the types that are blocked for orders is not known; its twin for baskets refuses them. */
function orderMargin({ request, account }: Call, now: number): WireReply {
  const parsed = MarginFields.safeParse(jData(request));
  if (!parsed.success) return invalid(now);
  const fields = parsed.data;
  const instrument = byName.get(`${fields.exch} ${fields.tsym}`);
  const problem = priceProblem(fields);
  if (problem) return notOk(200, problem, now);
  const margin = instrument && account.marginFor(newOrder({ ...fields, ret: 'DAY' }, instrument));
  return margin ? ok(now, marginFields(margin.required, account.funds())) : refused({ code: 'INSTRUMENT', facts: {} }, now);
}

function done(outcome: Placed, now: number): WireReply {
  return outcome.ok ? ok(now, { result: outcome.order.orderId }) : refused(outcome.refusal, now);
}

/** `lines`: all states of the order, newest first, or its latest alone. */
function single(lines: (order: OrderView) => OrderView[]) {
  return ({ request, account }: Call, now: number): WireReply => {
    const parsed = OneOrder.safeParse(jData(request));
    if (!parsed.success) return invalid(now);
    const order = account.order(parsed.data.norenordno);
    return order ? list(lines(order).map(orderRow), now) : refused({ code: 'NOT_FOUND', facts: {} }, now);
  };
}

/** What the front end refuses before the order system sees it. */
function priceProblem({ prctyp, prc, trgprc }: Pick<z.infer<typeof ModifyFields>, 'prctyp' | 'prc' | 'trgprc'>): string | null {
  if (prctyp === 'MKT' || prctyp === 'SL-MKT') return `Rejected : ${prctyp} orders are blocked for API users`;
  if (prctyp === 'LMT' && trgprc !== undefined) return `Rejected : Trigger price invalid - ${Number(trgprc).toFixed(2)}`;
  if (prctyp === 'SL-LMT' && !(Number(trgprc) > 0)) return 'Invalid Input : Invalid Trigger Price';
  return Number(prc) > 0 ? null : 'Invalid Input : Invalid Price';
}

function newOrder(fields: z.infer<typeof PlaceFields>, instrument: Instrument): NewOrder {
  return {
    exchange: instrument.exchange,
    symbol: instrument.symbol,
    side: fields.trantype === 'B' ? 'BUY' : 'SELL',
    orderType: typeOf[fields.prctyp],
    product: productOf[fields.prd],
    quantity: Number(fields.qty),
    price: fields.prc,
    triggerPrice: fields.trgprc ?? '0',
    variety: fields.amo === 'Yes' ? 'AMO' : 'NORMAL',
    validity: fields.ret === 'DAY' ? 'DAY' : 'IOC',
    tag: fields.remarks || null,
    details: { disclosed: fields.dscqty },
  };
}

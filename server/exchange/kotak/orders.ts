import { z } from 'zod';
import { Big } from '../../money.ts';
import type { Account } from '../account.ts';
import type { Exchange } from '../exchange.ts';
import type { Instrument, NewOrder } from '../types.ts';
import { type OrderView, orderLines } from '../views.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { json, readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { marginBody } from './account-rows.ts';
import { historyRow, orderRow, tradeRow } from './rows.ts';
import { countOf, exchangeOf, instrumentNamed, notOk, orderTaken, refused, report, type Ways } from './words.ts';

/** Met with a sale of an option: its limit lay so far above the market. */
const FAR_PERCENT = '-9';

const segments = z.enum(['nse_cm', 'bse_cm', 'nse_fo', 'bse_fo', 'mcx_fo', 'cde_fo']);
const types = { MKT: 'MARKET', L: 'LIMIT', SL: 'SL', 'SL-M': 'SL-M' } as const;
const products = { MIS: 'INTRADAY', CNC: 'DELIVERY', NRML: 'CARRYFORWARD' } as const;
const sides = { B: 'BUY', S: 'SELL' } as const;

const decimal = z.string().regex(/^\d+(\.\d+)?$/);
/** The official client leaves some of these out and sends null for others. */
const orZero = decimal.nullish().transform((value) => value ?? '0');
const common = {
  am: z.enum(['YES', 'NO']),
  mp: z.literal('0').nullish(),
  dq: orZero,
  pt: z.enum(['MKT', 'L', 'SL', 'SL-M']),
  pr: z.string().regex(/^(\d+(\.\d+)?)?$/),
  qt: z.string().regex(/^\d+$/),
  tp: orZero,
};
const PlaceFields = z.object({
  ...common,
  es: segments,
  pc: z.enum(['MIS', 'CNC', 'NRML']),
  rt: z.enum(['DAY', 'IOC']),
  ts: z.string().min(1),
  tt: z.enum(['B', 'S']),
  ig: z.string().nullish(),
});
const ModifyFields = z.object({ ...common, no: z.string().min(1), vd: z.enum(['DAY', 'IOC']).optional(), rt: z.string().optional() });
const CancelFields = z.object({ on: z.string().min(1), am: z.enum(['YES', 'NO']).default('NO') });
const MarginFields = z.object({
  exSeg: segments,
  tok: z.string(),
  prc: decimal,
  prcTp: common.pt,
  prod: PlaceFields.shape.pc,
  qty: common.qt,
  trnsTp: PlaceFields.shape.tt,
  trgPrc: orZero,
});

/** Orders, trades and the margin check. */
export function orderRoutes(exchange: Exchange, ways: Ways): Route[] {
  const orders = { method: 'GET', operation: 'orders' } as const;
  return [
    { method: 'POST', path: '/quick/order/rule/ms/place', operation: 'place', handle: (call) => placeOrder(exchange, ways, call) },
    { method: 'POST', path: '/quick/order/vr/modify', operation: 'modify', handle: (call) => modifyOrder(exchange, ways, call) },
    { method: 'POST', path: '/quick/order/cancel', operation: 'cancel', handle: cancelOrder },
    { ...orders, path: '/quick/user/orders', handle: ({ account }) => report('Ok', account.orders().map(orderRow)) },
    { ...orders, path: '/quick/user/orders/:id', handle: oneOrder },
    { method: 'POST', path: '/quick/order/history', operation: 'orders', handle: orderHistory },
    {
      method: 'GET',
      path: '/quick/user/trades',
      operation: 'trades',
      handle: ({ account }) => report('ok', account.trades().map(tradeRow)),
    },
    { method: 'POST', path: '/quick/user/check-margin', operation: 'funds', handle: (call) => marginCheck(exchange, call) },
  ];
}

function placeOrder(exchange: Exchange, ways: Ways, { request, account }: Call): WireReply {
  const parsed = PlaceFields.safeParse(jData(request));
  if (!parsed.success) return badInput(parsed.error);
  const { es, pt, pr, tp, tt, pc, am, rt, ig, dq } = parsed.data;
  const instrument = instrumentNamed(es, parsed.data.ts);
  if (!instrument) return refused({ code: 'INSTRUMENT', facts: {} });
  const quantity = counted(instrument, parsed.data.qt);
  if (quantity === null) return noMultiple(instrument);
  const stopAtMarket = pt === 'SL-M';
  const order: NewOrder = {
    exchange: instrument.exchange,
    symbol: instrument.symbol,
    side: sides[tt],
    orderType: types[pt],
    product: products[pc],
    quantity,
    price: pr || '0',
    triggerPrice: tp,
    variety: am === 'YES' ? 'AMO' : 'NORMAL',
    validity: rt,
    tag: ig || null,
    ...(pt === 'MKT' ? { protectionPercent: protectionPercent(instrument, exchange.quote(instrument).last, ways) } : {}),
    details: { disclosed: dq, ...(stopAtMarket ? { rejection: 'Market order with Algo Id not allowed' } : {}) },
  };
  // Since 2026 the broker accepts such an order and rejects it in the book.
  const placed = (stopAtMarket ? exchange.account('kotak', { rejectByRisk: true }) : account).place(order);
  return placed.ok ? orderTaken(placed.order.orderId) : refused(placed.refusal);
}

/** A quantity of Kotak's in the engine's own count; null where it is no whole number of lots. */
function counted(instrument: Instrument, text: string): number | null {
  const quantity = Number(text) / countOf(instrument).units;
  return Number.isInteger(quantity) ? quantity : null;
}

function noMultiple(instrument: Instrument): WireReply {
  return refused({ code: 'LOT', facts: { lotSize: String(countOf(instrument).lot) } });
}

/** Percent of the last price that a market order becomes a limit at: the broker's published grid. */
function protectionPercent(instrument: Instrument, last: string, { marketOrdersFar }: Ways): string {
  if (marketOrdersFar) return FAR_PERCENT;
  const price = Number(last);
  if (instrument.kind === 'EQ' || instrument.kind === 'FUT') return price < 100 ? '2' : price <= 500 ? '1' : '0.5';
  if (price < 1) return new Big('0.1').div(last).times(100).toFixed();
  if (price < 5) return '10';
  if (price < 10) return '5';
  if (price < 100) return '3';
  return price <= 500 ? '2' : '1';
}

function modifyOrder(exchange: Exchange, ways: Ways, { request, account }: Call): WireReply {
  const parsed = ModifyFields.safeParse(jData(request));
  if (!parsed.success) return badInput(parsed.error);
  const { no, am, pt, pr, tp, qt } = parsed.data;
  const order = orderOf(account, no, am);
  if (!order) return refused({ code: 'NOT_FOUND', facts: {} });
  if (pt === 'SL-M') return notOk(200, 1009, 'Market order with Algo Id not allowed');
  const { instrument } = order;
  const quantity = counted(instrument, qt);
  if (quantity === null) return noMultiple(instrument);
  const changed = account.modify(no, {
    orderType: types[pt],
    quantity,
    price: pr || '0',
    triggerPrice: tp,
    ...(pt === 'MKT' ? { protectionPercent: protectionPercent(instrument, exchange.quote(instrument).last, ways) } : {}),
  });
  return changed.ok ? orderTaken(no) : refused(changed.refusal);
}

function cancelOrder({ request, account }: Call): WireReply {
  const parsed = CancelFields.safeParse(jData(request));
  if (!parsed.success) return badInput(parsed.error);
  const { on, am } = parsed.data;
  if (!orderOf(account, on, am)) return refused({ code: 'NOT_FOUND', facts: {} });
  const cancelled = account.cancel(on);
  return cancelled.ok ? orderTaken(on) : refused(cancelled.refusal);
}

/** The order, when the after-market flag is the one it needs now. */
function orderOf(account: Account, id: string, am: 'YES' | 'NO'): OrderView | undefined {
  const order = account.order(id);
  return order && (order.state === 'AMO_RECEIVED') === (am === 'YES') ? order : undefined;
}

function oneOrder({ account, params }: Call): WireReply {
  const order = account.order(params.id ?? '');
  return report('Ok', order ? [orderRow(order)] : []);
}

function orderHistory({ request, account }: Call): WireReply {
  const parsed = z.object({ nOrdNo: z.string() }).safeParse(jData(request));
  const order = parsed.success ? account.order(parsed.data.nOrdNo) : undefined;
  return report(
    'Ok',
    order
      ? orderLines(order)
          .map((line) => historyRow(line, order))
          .reverse()
      : [],
  );
}

function marginCheck(exchange: Exchange, { request, account }: Call): WireReply {
  const parsed = MarginFields.safeParse(jData(request));
  if (!parsed.success) return badInput(parsed.error);
  const { exSeg, tok, prc, prcTp, prod, qty, trnsTp, trgPrc } = parsed.data;
  const found = exchange.instruments.find((each) => each.exchange === exchangeOf[exSeg] && String(each.exchangeToken) === tok);
  const quantity = found ? counted(found, qty) : null;
  const margin =
    found &&
    quantity !== null &&
    account.marginFor({
      exchange: exchangeOf[exSeg],
      symbol: found.symbol,
      side: sides[trnsTp],
      orderType: types[prcTp],
      product: products[prod],
      quantity,
      price: prc,
      triggerPrice: trgPrc,
    });
  return margin ? json(200, marginBody(margin.required, account.funds())) : refused({ code: 'INSTRUMENT', facts: {} });
}

/** The one form field all bodies travel in; undefined when there is none to read. */
export function jData(request: WireRequest): unknown {
  return readJson(new URLSearchParams(request.body).get('jData') ?? '');
}

function badInput(error: z.ZodError): WireReply {
  return notOk(400, 400, `Invalid input: ${String(error.issues[0]?.path[0] ?? 'jData')}`);
}

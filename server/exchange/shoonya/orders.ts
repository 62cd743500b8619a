import { z } from 'zod';
import type { Account, Exchange, NewOrder } from '../exchange.ts';
import { instruments } from '../instruments.ts';
import type { ExchangeOrder, Instrument, Placed } from '../types.ts';
import type { Call } from '../wire/emulator.ts';
import type { Operation } from '../wire/faults.ts';
import type { WireReply } from '../wire/message.ts';
import * as rows from './rows.ts';
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
  exch: z.enum(['NSE', 'BSE', 'NFO', 'MCX', 'CDS']),
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
const ModifyFields = z.object({ ...shared, norenordno: z.string().min(1) });
const OneOrder = z.object({ uid: z.string().min(1), norenordno: z.string().min(1) });

const byName = new Map(instruments.map((instrument) => [`${instrument.exchange} ${tradingSymbol(instrument)}`, instrument]));

export interface NorenCall {
  name: string;
  operation: Operation;
  handle(call: Call): WireReply;
}

/** Orders and trades. */
export function orderCalls(exchange: Exchange): NorenCall[] {
  const now = () => exchange.clock.now();

  function placeOrder({ request, account }: Call): WireReply {
    const parsed = PlaceFields.safeParse(jData(request));
    if (!parsed.success) return invalid(now());
    const fields = parsed.data;
    if (fields.amo !== undefined && fields.amo !== 'Yes') return notOk(200, 'Invalid Input : Invalid AMO', now());
    const instrument = byName.get(`${fields.exch} ${fields.tsym}`);
    if (!instrument) return refused({ code: 'INSTRUMENT', facts: {} }, now());
    const problem = priceProblem(fields);
    if (problem) return notOk(200, problem, now());
    const placed = account.place(newOrder(fields, instrument));
    return placed.ok ? ok(now(), { norenordno: placed.order.orderId }) : refused(placed.refusal, now());
  }

  function modifyOrder({ request, account }: Call): WireReply {
    const parsed = ModifyFields.safeParse(jData(request));
    if (!parsed.success) return invalid(now());
    const { norenordno, exch, tsym, prctyp, qty, prc, trgprc } = parsed.data;
    const order = account.order(norenordno);
    const instrument = byName.get(`${exch} ${tsym}`);
    if (!order || order.exchange !== exch || order.symbol !== instrument?.symbol) return refused({ code: 'NOT_FOUND', facts: {} }, now());
    const problem = priceProblem(parsed.data);
    if (problem) return notOk(200, problem, now());
    return done(account.modify(norenordno, { orderType: typeOf[prctyp], quantity: Number(qty), price: prc, triggerPrice: trgprc ?? '0' }));
  }

  function cancelOrder({ request, account }: Call): WireReply {
    const parsed = OneOrder.safeParse(jData(request));
    return parsed.success ? done(account.cancel(parsed.data.norenordno)) : invalid(now());
  }

  function done(outcome: Placed): WireReply {
    return outcome.ok ? ok(now(), { result: outcome.order.orderId }) : refused(outcome.refusal, now());
  }

  /** `lines`: all states of the order, newest first, or its latest alone. */
  function single(lines: (order: ExchangeOrder) => unknown[]) {
    return ({ request, account }: Call): WireReply => {
      const parsed = OneOrder.safeParse(jData(request));
      if (!parsed.success) return invalid(now());
      const order = account.order(parsed.data.norenordno);
      return order ? list(lines(order), now()) : refused({ code: 'NOT_FOUND', facts: {} }, now());
    };
  }

  const book = ({ account }: Call) =>
    list(
      account
        .orders()
        .flatMap((order) => rows.orderRow(order))
        .reverse(),
      now(),
    );
  return [
    { name: 'PlaceOrder', operation: 'place', handle: placeOrder },
    { name: 'ModifyOrder', operation: 'modify', handle: modifyOrder },
    { name: 'CancelOrder', operation: 'cancel', handle: cancelOrder },
    { name: 'OrderBook', operation: 'orders', handle: book },
    {
      name: 'SingleOrdHist',
      operation: 'orders',
      handle: single((order) => order.history.flatMap((line) => rows.orderRow(order, line)).reverse()),
    },
    { name: 'SingleOrdStatus', operation: 'orders', handle: single((order) => rows.orderRow(order)) },
    { name: 'TradeBook', operation: 'trades', handle: ({ account }) => list(trades(account), now()) },
  ];
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

function trades(account: Account): unknown[] {
  const orders = new Map(account.orders().map((order) => [order.orderId, order]));
  return account.trades().flatMap((trade) => {
    const order = orders.get(trade.orderId);
    return order ? rows.tradeRow(trade, order) : [];
  });
}

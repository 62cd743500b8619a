import { z } from 'zod';
import type { ExchangeOrder, NewOrder } from '../types.ts';
import { orderLines } from '../views.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { marginRow } from './account-rows.ts';
import { orderRow, tradeRow } from './rows.ts';
import { badInput, failure, refused, success } from './words.ts';

const MOST_MODIFICATIONS = 25;
/** Percent that market protection -1 stands for. */
const AUTOMATIC_PROTECTION = '2';
const orderTypeWords = z.enum(['MARKET', 'LIMIT', 'SL', 'SL-M']);
const varietyOf: Readonly<Record<string, 'NORMAL' | 'AMO'>> = { regular: 'NORMAL', amo: 'AMO' };
const productOf = { MIS: 'INTRADAY', CNC: 'DELIVERY', NRML: 'CARRYFORWARD' } as const;

const decimal = z.string().regex(/^\d+(\.\d+)?$/);
const numeric = z.string().regex(/^\d+$/);

const orderFields = {
  order_type: orderTypeWords,
  quantity: numeric,
  price: decimal.default('0'),
  trigger_price: decimal.default('0'),
  validity: z.enum(['DAY', 'IOC', 'TTL']).default('DAY'),
  validity_ttl: numeric.default('0'),
  disclosed_quantity: numeric.default('0'),
  market_protection: z.string().default('0'),
};

const PlaceForm = z.object({
  ...orderFields,
  exchange: z.enum(['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS']),
  tradingsymbol: z.string().min(1),
  transaction_type: z.enum(['BUY', 'SELL']),
  product: z.enum(['MIS', 'CNC', 'NRML']),
  tag: z.string().max(20).optional(),
});

const ModifyForm = z.object({
  order_type: orderTypeWords.optional(),
  quantity: numeric.optional(),
  price: decimal.optional(),
  trigger_price: decimal.optional(),
  market_protection: z.string().default('0'),
});

const MarginForm = z.array(
  z.object({
    exchange: PlaceForm.shape.exchange,
    tradingsymbol: z.string(),
    transaction_type: PlaceForm.shape.transaction_type,
    product: PlaceForm.shape.product,
    order_type: orderTypeWords,
    quantity: z.int(),
    price: z.number().default(0),
    trigger_price: z.number().default(0),
  }),
);

/** Orders, trades and the margin calculator. */
export function orderRoutes(): Route[] {
  const place = { method: 'POST', path: '/orders/:variety', operation: 'place', handle: placeOrder } as const;
  const modify = { method: 'PUT', path: '/orders/:variety/:order_id', operation: 'modify', handle: modifyOrder } as const;
  const cancel = { method: 'DELETE', path: '/orders/:variety/:order_id', operation: 'cancel', handle: cancelOrder } as const;
  return [
    place,
    modify,
    cancel,
    {
      method: 'GET',
      path: '/orders',
      operation: 'orders',
      handle: ({ account }) => success(account.orders().map((order) => orderRow(order))),
    },
    { method: 'GET', path: '/orders/:order_id', operation: 'orders', handle: orderHistory },
    { method: 'GET', path: '/trades', operation: 'trades', handle: ({ account }) => success(account.trades().map(tradeRow)) },
    { method: 'GET', path: '/orders/:order_id/trades', operation: 'trades', handle: orderTrades },
    { method: 'POST', path: '/margins/orders', operation: 'funds', handle: marginCalculator },
  ];
}

function placeOrder({ request, params, account }: Call): WireReply {
  const variety = varietyOf[params.variety ?? ''];
  if (!variety) return badInput('Invalid `variety`.');
  const given = form(request);
  const parsed = PlaceForm.safeParse(given);
  if (!parsed.success) return fieldProblem(parsed.error, given);
  const fields = parsed.data;
  const protection = readProtection(fields.order_type, fields.market_protection);
  if ('reply' in protection) return protection.reply;
  const order: NewOrder = {
    exchange: fields.exchange,
    symbol: fields.tradingsymbol,
    side: fields.transaction_type,
    orderType: fields.order_type,
    product: productOf[fields.product],
    quantity: Number(fields.quantity),
    price: fields.price,
    triggerPrice: fields.trigger_price,
    variety,
    validity: fields.validity === 'IOC' ? 'IOC' : 'DAY',
    tag: fields.tag || null,
    ...(fields.validity === 'TTL' ? { lifeMs: Number(fields.validity_ttl) * 60_000 } : {}),
    protectionPercent: protection.percent,
    details: {
      validity: fields.validity,
      validityTtl: fields.validity_ttl,
      disclosedQuantity: fields.disclosed_quantity,
      ...(fields.order_type === 'MARKET' ? { marketTags: `mktp mktp:${Number(protection.percent).toFixed(2)}` } : {}),
    },
  };
  const placed = account.place(order);
  return placed.ok ? success({ order_id: placed.order.orderId }) : refused(placed.refusal);
}

/** Percent of protection of a market order, none where none belongs, or the answer to a missing or unreadable one. */
function readProtection(orderType: string | undefined, text: string): { percent?: string } | { reply: WireReply } {
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) {
    return { reply: badInput(`Invalid request (failed to decode market_protection, got: ${text} (expected decimal))`) };
  }
  if (orderType !== 'MARKET' && orderType !== 'SL-M') return {};
  if (value === 0) {
    const message = 'Market orders without market protection are not allowed via API. Please set market protection or use a Limit order.';
    return { reply: badInput(message) };
  }
  if (value === -1) return { percent: AUTOMATIC_PROTECTION };
  return value > 0 && value <= 100 ? { percent: text } : { reply: badInput('Invalid `market_protection`.') };
}

/** The order of the path, when it was placed with the variety of the path. */
function orderOfPath({ params, account }: Call): ExchangeOrder | undefined {
  const order = account.order(params.order_id ?? '');
  return order?.variety === varietyOf[params.variety ?? ''] ? order : undefined;
}

function unknownOrder({ params }: Call): WireReply {
  return refused({ code: 'NOT_FOUND', facts: { orderId: params.order_id ?? '' } });
}

function modifyOrder(call: Call): WireReply {
  const order = orderOfPath(call);
  if (!order) return unknownOrder(call);
  const given = form(call.request);
  const parsed = ModifyForm.safeParse(given);
  if (!parsed.success) return fieldProblem(parsed.error, given);
  const { order_type: orderType, quantity, price, trigger_price: triggerPrice, market_protection: text } = parsed.data;
  if (order.modifications >= MOST_MODIFICATIONS) return failure(400, 'OrderException', 'Maximum allowed order modifications exceeded.');
  const protection = readProtection(orderType, text);
  if ('reply' in protection) return protection.reply;
  const changed = call.account.modify(order.orderId, {
    orderType,
    quantity: quantity === undefined ? undefined : Number(quantity),
    price,
    triggerPrice,
    protectionPercent: protection.percent,
  });
  return changed.ok ? success({ order_id: order.orderId }) : refused(changed.refusal);
}

function cancelOrder(call: Call): WireReply {
  const order = orderOfPath(call);
  if (!order) return unknownOrder(call);
  const cancelled = call.account.cancel(order.orderId);
  return cancelled.ok ? success({ order_id: order.orderId }) : refused(cancelled.refusal);
}

function orderHistory(call: Call): WireReply {
  const order = call.account.order(call.params.order_id ?? '');
  return order ? success(orderLines(order).map((line) => orderRow(line, true))) : unknownOrder(call);
}

function orderTrades(call: Call): WireReply {
  const { account, params } = call;
  if (!account.order(params.order_id ?? '')) return unknownOrder(call);
  const trades = account.trades().filter((trade) => trade.orderId === params.order_id);
  return success(trades.map(tradeRow));
}

function marginCalculator({ request, account }: Call): WireReply {
  const parsed = MarginForm.safeParse(readJson(request.body));
  if (!parsed.success) return badInput('Invalid JSON body.');
  const list = parsed.data.map((order) => {
    const { exchange, tradingsymbol: symbol, transaction_type: side, order_type: orderType, product, quantity } = order;
    const asked: NewOrder = { exchange, symbol, side, orderType, product: productOf[product], quantity, price: String(order.price) };
    return { symbol, exchange, margin: account.marginFor({ ...asked, triggerPrice: String(order.trigger_price) }) };
  });
  const known = list.flatMap(({ symbol, exchange, margin }) => (margin ? [marginRow({ symbol, exchange }, margin.required)] : []));
  return known.length === list.length ? success(known) : refused({ code: 'INSTRUMENT', facts: {} });
}

/** Form fields of a request; the SDK repeats path variables among them, which is harmless. */
export function form(request: WireRequest): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(request.body));
}

function fieldProblem(error: z.ZodError, given: Record<string, string>): WireReply {
  const field = String(error.issues[0]?.path[0] ?? 'request');
  return badInput(given[field] === undefined || given[field] === '' ? `Missing or empty field \`${field}\`` : `Invalid \`${field}\`.`);
}

import { z } from 'zod';
import type { Account } from '../account.ts';
import type { NewOrder } from '../types.ts';
import type { OrderView } from '../views.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { orderMargin } from './account-rows.ts';
import * as rows from './rows.ts';
import { badRequest, failure, notThere, refused, success } from './words.ts';

const DEFAULT_PAGE_SIZE = 25;
const MOST_ORDERS = 100;
const MOST_TRADES = 50;
/** A MARKET or SL_M order goes to the exchange protected by so many percent, as the rules of 2026 want it. */
const PROTECTION = '3';

const typeOf = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', SL_M: 'SL-M' } as const;
const productOf = { MIS: 'INTRADAY', CNC: 'DELIVERY', NRML: 'CARRYFORWARD' } as const;

/** The SDK sends 0 and null where there is no price. */
const price = z.number().min(0).nullish();
const segment = z.enum(['CASH', 'FNO', 'COMMODITY']);
const common = { order_type: z.enum(['MARKET', 'LIMIT', 'SL', 'SL_M']), segment, price, trigger_price: price };

const PlaceBody = z.object({
  ...common,
  quantity: z.int(),
  trading_symbol: z.string().min(1),
  validity: z.literal('DAY'),
  exchange: z.enum(['NSE', 'BSE', 'MCX']),
  product: z.enum(['MIS', 'CNC', 'NRML']),
  transaction_type: z.enum(['BUY', 'SELL']),
  order_reference_id: z.string().regex(/^(?=.{8,20}$)[A-Za-z0-9]+(-[A-Za-z0-9]*){0,2}$/),
});
const ModifyBody = z.object({ ...common, groww_order_id: z.string(), quantity: z.int().nullish() });
const CancelBody = z.object({ groww_order_id: z.string(), segment });
const MarginBody = z.array(
  PlaceBody.pick({
    trading_symbol: true,
    quantity: true,
    exchange: true,
    product: true,
    transaction_type: true,
    order_type: true,
    price: true,
  }),
);

/** Orders, their trades and the margin calculator. */
export function orderRoutes(): Route[] {
  return [
    { method: 'POST', path: '/v1/order/create', operation: 'place', handle: place },
    { method: 'POST', path: '/v1/order/modify', operation: 'modify', handle: modify },
    { method: 'POST', path: '/v1/order/cancel', operation: 'cancel', handle: cancel },
    { method: 'GET', path: '/v1/order/list', operation: 'orders', handle: list },
    { method: 'GET', path: '/v1/order/detail/:id', operation: 'orders', handle: (call) => one(call, byId(call), rows.orderRow) },
    { method: 'GET', path: '/v1/order/status/:id', operation: 'orders', handle: (call) => one(call, byId(call), rows.statusRow) },
    {
      method: 'GET',
      path: '/v1/order/status/reference/:reference',
      operation: 'orders',
      handle: (call) => one(call, byReference(call.account, call.params.reference ?? ''), rows.statusRow),
    },
    { method: 'GET', path: '/v1/order/trades/:id', operation: 'trades', handle: trades },
    { method: 'POST', path: '/v1/margins/detail/orders', operation: 'funds', handle: marginCalculator },
  ];
}

/** The reference of a placing request, read without judging the rest. */
export function referenceOf(request: WireRequest): string | null {
  return z.object({ order_reference_id: z.string() }).safeParse(readJson(request.body)).data?.order_reference_id ?? null;
}

function place({ request, account }: Call): WireReply {
  const parsed = PlaceBody.safeParse(readJson(request.body));
  if (!parsed.success) return fieldProblem(parsed.error);
  const fields = parsed.data;
  const exchange = engineExchange(fields.exchange, fields.segment);
  if (!exchange) return badRequest('Invalid segment.');
  if (byReference(account, fields.order_reference_id)) return failure(400, 'GA007', 'Duplicate order reference id');
  const placed = account.place({
    exchange,
    symbol: fields.trading_symbol,
    side: fields.transaction_type,
    orderType: typeOf[fields.order_type],
    product: productOf[fields.product],
    quantity: fields.quantity,
    price: text(fields.price),
    triggerPrice: text(fields.trigger_price),
    tag: fields.order_reference_id,
    ...(fields.order_type === 'MARKET' || fields.order_type === 'SL_M' ? { protectionPercent: PROTECTION } : {}),
  });
  if (!placed.ok) return refused(placed.refusal);
  const { orderId, tag } = placed.order;
  return success({ groww_order_id: orderId, order_status: 'OPEN', order_reference_id: tag, remark: 'Order placed successfully' });
}

function modify({ request, account }: Call): WireReply {
  const parsed = ModifyBody.safeParse(readJson(request.body));
  if (!parsed.success) return fieldProblem(parsed.error);
  const fields = parsed.data;
  const order = inSegment(account.order(fields.groww_order_id), fields.segment);
  if (!order) return notThere();
  const changed = account.modify(order.orderId, {
    orderType: typeOf[fields.order_type],
    ...(typeof fields.quantity === 'number' ? { quantity: fields.quantity } : {}),
    ...(fields.price ? { price: text(fields.price) } : {}),
    ...(fields.trigger_price ? { triggerPrice: text(fields.trigger_price) } : {}),
  });
  return changed.ok ? success({ groww_order_id: order.orderId, order_status: rows.statusOf(changed.order) }) : refused(changed.refusal);
}

function cancel({ request, account }: Call): WireReply {
  const parsed = CancelBody.safeParse(readJson(request.body));
  if (!parsed.success) return fieldProblem(parsed.error);
  const order = inSegment(account.order(parsed.data.groww_order_id), parsed.data.segment);
  if (!order) return notThere();
  const cancelled = account.cancel(order.orderId);
  if (!cancelled.ok) return refused(cancelled.refusal);
  return success({ groww_order_id: order.orderId, order_status: rows.statusOf(cancelled.order) });
}

/** Newest first. Without a segment the orders of all. */
function list({ request, account }: Call): WireReply {
  const wanted = request.query.get('segment');
  const all = account.orders().filter((order) => wanted === null || inSegment(order, wanted));
  const page = pageOf(request, all.toReversed(), MOST_ORDERS);
  return page ? success({ order_list: page.map(rows.orderRow) }) : badRequest('Invalid page.');
}

function trades(call: Call): WireReply {
  const order = inSegment(byId(call), call.request.query.get('segment'));
  if (!order) return notThere();
  const made = call.account.trades().filter((trade) => trade.orderId === order.orderId);
  const page = pageOf(call.request, made, MOST_TRADES);
  return page ? success({ trade_list: page.map(rows.tradeRow) }) : badRequest('Invalid page.');
}

function marginCalculator({ request, account }: Call): WireReply {
  const parsed = MarginBody.safeParse(readJson(request.body));
  if (!parsed.success) return fieldProblem(parsed.error);
  const [order] = parsed.data;
  const exchange = order && engineExchange(order.exchange, request.query.get('segment'));
  if (!exchange) return badRequest('Invalid segment.');
  const product = productOf[order.product];
  const asked: NewOrder = {
    exchange,
    symbol: order.trading_symbol,
    side: order.transaction_type,
    orderType: typeOf[order.order_type],
    product,
    quantity: order.quantity,
    price: text(order.price),
  };
  const margin = account.marginFor(asked);
  return margin ? success(orderMargin(product, margin.required)) : refused({ code: 'INSTRUMENT', facts: {} });
}

/** One order under its segment, which the call must name. */
function one(call: Call, order: OrderView | undefined, row: (order: OrderView) => unknown): WireReply {
  const wanted = segment.safeParse(call.request.query.get('segment'));
  if (!wanted.success) return badRequest('Invalid segment.');
  const found = inSegment(order, wanted.data);
  return found ? success(row(found)) : notThere();
}

function byId({ account, params }: Call): OrderView | undefined {
  return account.order(params.id ?? '');
}

function byReference(account: Account, reference: string): OrderView | undefined {
  return account.orders().find((order) => order.tag === reference);
}

function inSegment(order: OrderView | undefined, wanted: string | null): OrderView | undefined {
  return order && rows.venueOf[order.exchange]?.segment === wanted ? order : undefined;
}

function engineExchange(exchange: string, wanted: string | null): NewOrder['exchange'] | undefined {
  return (['NSE', 'BSE', 'NFO', 'BFO', 'MCX'] as const).find((name) => {
    const venue = rows.venueOf[name];
    return venue.exchange === exchange && venue.segment === wanted;
  });
}

function pageOf<Row>(request: WireRequest, all: readonly Row[], most: number): Row[] | null {
  const page = Number(request.query.get('page') ?? 0);
  const size = Number(request.query.get('page_size') ?? DEFAULT_PAGE_SIZE);
  if (!Number.isInteger(page) || page < 0 || !Number.isInteger(size) || size < 1 || size > most) return null;
  return all.slice(page * size, (page + 1) * size);
}

function text(value: number | null | undefined): string {
  return String(value ?? 0);
}

function fieldProblem(error: z.ZodError): WireReply {
  const field = error.issues[0]?.path.at(-1);
  return badRequest(field === undefined ? 'Invalid request.' : `Invalid ${String(field).replaceAll('_', ' ')}.`);
}

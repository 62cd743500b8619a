import { z } from 'zod';
import { decimalText } from '../../money.ts';
import { instruments } from '../instruments.ts';
import type { Instrument, NewOrder } from '../types.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { json, readJson, type WireReply } from '../wire/message.ts';
import { credentials } from './login.ts';
import { orderRow, statusOf, tradeRow } from './rows.ts';
import { badInput, cannot, failure, refused, segmentOf } from './words.ts';

const MOST_MODIFICATIONS = 25;
/** Percent by which the broker itself limits a MARKET order. */
const MARKET_PROTECTION = '2';
const productOf = { INTRADAY: 'INTRADAY', CNC: 'DELIVERY', MARGIN: 'CARRYFORWARD' } as const;
const typeOf = { MARKET: 'MARKET', LIMIT: 'LIMIT', STOP_LOSS: 'SL', STOP_LOSS_MARKET: 'SL-M' } as const;

/** Numbers may be written as texts, but an empty text is none. Absent and null are the same. */
const count = z.union([z.int().min(0), z.string().regex(/^\d+$/)]).transform(Number);
const money = z.union([z.number().min(0), z.string().regex(/^\d+(\.\d+)?$/)]).transform((value) => decimalText(Number(value)));

const common = {
  dhanClientId: z.literal(credentials.CLIENT_ID),
  orderType: z.enum(['MARKET', 'LIMIT', 'STOP_LOSS', 'STOP_LOSS_MARKET']),
  validity: z.enum(['DAY', 'IOC']),
};

const Terms = z.object({
  transactionType: z.enum(['BUY', 'SELL']),
  exchangeSegment: z.enum(['NSE_EQ', 'BSE_EQ', 'NSE_FNO', 'BSE_FNO', 'MCX_COMM']),
  productType: z.enum(['INTRADAY', 'CNC', 'MARGIN']),
  securityId: z.string().regex(/^\d+$/),
  quantity: count,
  price: money.nullish(),
  triggerPrice: money.nullish(),
});

const PlaceBody = Terms.extend({
  ...common,
  disclosedQuantity: count.nullish(),
  afterMarketOrder: z.boolean().nullish(),
  amoTime: z.enum(['PRE_OPEN', 'OPEN', 'OPEN_30', 'OPEN_60']).nullish(),
  correlationId: z
    .string()
    .regex(/^[a-zA-Z0-9 _-]{1,25}$/)
    .nullish(),
}).refine(({ disclosedQuantity: shown, quantity }) => !shown || shown >= quantity * 0.3);

const ModifyBody = z.object({
  ...common,
  orderId: z.string(),
  quantity: count.nullish(),
  price: money.nullish(),
  triggerPrice: money.nullish(),
});

const bySecurity = new Map(instruments.map((one) => [`${segmentOf[one.exchange]}:${one.exchangeToken}`, one]));

export function findSecurity(segment: string, securityId: string): Instrument | undefined {
  return bySecurity.get(`${segment}:${securityId}`);
}

/** Orders, trades and the margin calculator. */
export function orderRoutes(): Route[] {
  const everyTrade = ({ account }: Call) => json(200, account.trades().map(tradeRow));
  return [
    { method: 'POST', path: '/v2/orders', operation: 'place', handle: placeOrder },
    { method: 'PUT', path: '/v2/orders/:order_id', operation: 'modify', handle: modifyOrder },
    { method: 'DELETE', path: '/v2/orders/:order_id', operation: 'cancel', handle: cancelOrder },
    { method: 'GET', path: '/v2/orders', operation: 'orders', handle: ({ account }) => json(200, account.orders().map(orderRow)) },
    { method: 'GET', path: '/v2/orders/:order_id', operation: 'orders', handle: oneOrder },
    { method: 'GET', path: '/v2/orders/external/:tag', operation: 'orders', handle: ordersByTag },
    { method: 'GET', path: '/v2/trades', operation: 'trades', handle: everyTrade },
    { method: 'GET', path: '/v2/trades/', operation: 'trades', handle: everyTrade },
    { method: 'GET', path: '/v2/trades/:order_id', operation: 'trades', handle: tradesOfOrder },
    { method: 'POST', path: '/v2/margincalculator', operation: 'funds', handle: marginCalculator },
  ];
}

function acknowledged(status: number, orderId: string, orderStatus: string): WireReply {
  return json(status, { orderId, orderStatus });
}

function placeOrder({ request, account }: Call): WireReply {
  const parsed = PlaceBody.safeParse(readJson(request.body));
  if (!parsed.success || (parsed.data.afterMarketOrder && !parsed.data.amoTime)) return badInput();
  const given = parsed.data;
  const stop = marketStop(given.orderType) ?? stopAtItsLimit(given);
  if (stop) return stop;
  const terms = termsOf(given);
  if (!terms) return refused({ code: 'INSTRUMENT', facts: {} });
  const placed = account.place({
    ...terms,
    orderType: typeOf[given.orderType],
    variety: given.afterMarketOrder ? 'AMO' : 'NORMAL',
    validity: given.validity,
    tag: given.correlationId ?? null,
    ...protection(given.orderType),
    details: { disclosedQuantity: String(given.disclosedQuantity ?? 0) },
  });
  return placed.ok ? acknowledged(200, placed.order.orderId, 'TRANSIT') : refused(placed.refusal);
}

function termsOf(given: z.output<typeof Terms>): Omit<NewOrder, 'orderType'> | null {
  const instrument = findSecurity(given.exchangeSegment, given.securityId);
  if (!instrument) return null;
  const { transactionType: side, quantity, price, triggerPrice } = given;
  const { exchange, symbol } = instrument;
  return {
    exchange,
    symbol,
    side,
    product: productOf[given.productType],
    quantity,
    price: price ?? '0',
    triggerPrice: triggerPrice ?? '0',
  };
}

function protection(orderType: string): { protectionPercent?: string } {
  return orderType === 'MARKET' ? { protectionPercent: MARKET_PROTECTION } : {};
}

/** Since market orders are limited by the broker, a stop without a limit is refused. */
function marketStop(orderType: string): WireReply | null {
  return orderType === 'STOP_LOSS_MARKET' ? failure(400, 'DH-906', 'Stop loss market orders are not accepted, send a limit price') : null;
}

/** A limit has to lie beyond its trigger: one that is the same is refused too. */
function stopAtItsLimit({ orderType, price, triggerPrice }: Pick<z.output<typeof ModifyBody>, 'orderType' | 'price' | 'triggerPrice'>) {
  const same = orderType === 'STOP_LOSS' && Number(price) > 0 && Number(price) === Number(triggerPrice);
  return same ? refused({ code: 'STOP_SIDE', facts: {} }) : null;
}

function modifyOrder({ request, params, account }: Call): WireReply {
  const parsed = ModifyBody.safeParse(readJson(request.body));
  if (!parsed.success || parsed.data.orderId !== params.order_id) return badInput();
  const { orderId, orderType, quantity, price, triggerPrice } = parsed.data;
  const stop = marketStop(orderType) ?? stopAtItsLimit(parsed.data);
  if (stop) return stop;
  if ((account.order(orderId)?.modifications ?? 0) >= MOST_MODIFICATIONS)
    return failure(400, 'DH-906', 'Maximum number of modifications reached');
  const changed = account.modify(orderId, {
    orderType: typeOf[orderType],
    quantity: quantity ?? undefined,
    price: price ?? undefined,
    triggerPrice: triggerPrice ?? undefined,
    ...protection(orderType),
  });
  return changed.ok ? acknowledged(200, orderId, 'TRANSIT') : refused(changed.refusal);
}

function cancelOrder({ params, account }: Call): WireReply {
  const order = account.order(params.order_id ?? '');
  if (order && statusOf(order) === 'TRANSIT') return refused({ code: 'IN_TRANSIT', facts: {} });
  const cancelled = account.cancel(params.order_id ?? '');
  return cancelled.ok ? acknowledged(202, cancelled.order.orderId, 'CANCELLED') : refused(cancelled.refusal);
}

/** An unknown id is answered with an empty list. */
function oneOrder({ params, account }: Call): WireReply {
  const order = account.order(params.order_id ?? '');
  return json(200, order ? [orderRow(order)] : []);
}

/** Orders still on their way to the exchange are not found by their tag. */
function ordersByTag({ params, account }: Call): WireReply {
  const found = account.orders().filter((order) => order.tag === params.tag && statusOf(order) !== 'TRANSIT');
  return found.length === 0 ? cannot(404) : json(200, found.map(orderRow));
}

function tradesOfOrder({ params, account }: Call): WireReply {
  const made = account.trades().filter((trade) => trade.orderId === params.order_id);
  return json(200, made.map(tradeRow));
}

function marginCalculator({ request, account }: Call): WireReply {
  const parsed = Terms.safeParse(readJson(request.body));
  if (!parsed.success) return badInput();
  const terms = termsOf(parsed.data);
  const margin = terms && account.marginFor({ ...terms, orderType: parsed.data.price === '0' ? 'MARKET' : 'LIMIT' });
  if (!margin) return refused({ code: 'INSTRUMENT', facts: {} });
  const totalMargin = Number(margin.required);
  const availableBalance = Number(account.funds().available);
  const insufficientBalance = Math.max(0, totalMargin - availableBalance);
  const parts = { spanMargin: 0, exposureMargin: 0, variableMargin: totalMargin, brokerage: 0, leverage: '1.00' };
  return json(200, { totalMargin, availableBalance, insufficientBalance, ...parts });
}

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Refusal } from '../types.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { rounded } from '../wire/numbers.ts';
import { instrumentOf, orderRow, tradeRow } from './rows.ts';
import { badInput, refused, success } from './words.ts';

/** Percent around the last price a market order may trade in; the broker has published figures for contracts alone. */
const MARKET_PROTECTION = '3';

const typeOf = { 1: 'LIMIT', 2: 'MARKET', 3: 'SL-M', 4: 'SL' } as const;
const productOf = { INTRADAY: 'INTRADAY', CNC: 'DELIVERY', MARGIN: 'CARRYFORWARD' } as const;
const type = z.literal([1, 2, 3, 4]);
const price = z.number().min(0);
const orderId = z.string().min(1);

const PlaceBody = z.object({
  symbol: z.string().min(1),
  qty: z.int(),
  type,
  side: z.literal([1, -1]),
  productType: z.enum(['INTRADAY', 'CNC', 'MARGIN']),
  limitPrice: price,
  stopPrice: price,
  validity: z.enum(['DAY', 'IOC']),
  disclosedQty: z.int().min(0),
  offlineOrder: z.boolean(),
  stopLoss: z.literal(0).optional(),
  takeProfit: z.literal(0).optional(),
  orderTag: z
    .string()
    .regex(/^[A-Za-z0-9]{1,30}$/)
    .refine((tag) => tag !== 'Untagged')
    .optional(),
  isSliceOrder: z.literal(false).default(false),
});

const MarginBody = z.object({
  data: z
    .array(PlaceBody.pick({ symbol: true, qty: true, type: true, side: true, productType: true, limitPrice: true, stopPrice: true }))
    .length(1),
});
const ModifyBody = z.object({ id: orderId, type, limitPrice: price.optional(), stopPrice: price.optional(), qty: z.int().optional() });
const CancelBody = z.object({ id: orderId });

/** Orders and trades. Bodies are JSON whatever the content type says: the official Go client labels them as forms. */
export function orderRoutes(exchange: Exchange): Route[] {
  function orders({ request, account }: Call): WireReply {
    const id = request.query.get('id');
    const list = account.orders().map((order, index) => orderRow(order, exchange.quote(order.instrument), index + 1));
    const orderBook = list.filter((row) => (id === null || row.id === id) && tagFits(request, row.orderTag));
    return id !== null && orderBook.length === 0 ? unknownOrder(id) : success({ orderBook });
  }
  function trades({ request, account }: Call): WireReply {
    const tradeBook = account.trades().map(tradeRow);
    return success({ tradeBook: tradeBook.filter((row) => tagFits(request, row.orderTag)) });
  }
  return [
    { method: 'GET', path: '/api/v3/orders', operation: 'orders', handle: orders },
    { method: 'GET', path: '/api/v3/tradebook', operation: 'trades', handle: trades },
    { method: 'POST', path: '/api/v3/orders/sync', operation: 'place', handle: placeOrder },
    { method: 'PATCH', path: '/api/v3/orders/sync', operation: 'modify', handle: modifyOrder },
    { method: 'DELETE', path: '/api/v3/orders/sync', operation: 'cancel', handle: cancelNamed },
    { method: 'POST', path: '/api/v3/multiorder/margin', operation: 'funds', handle: marginCalculator },
    { method: 'DELETE', path: '/api/v3/orders/:id/sync', operation: 'cancel', handle: (call) => cancelOrder(call, call.params.id ?? '') },
  ];
}

/** The documents print the question mark of `?order_tag=` twice, and the official Go client sends it so. */
function tagFits({ query }: WireRequest, orderTag: string): boolean {
  const wanted = query.get('order_tag') ?? query.get('?order_tag');
  return wanted === null || wanted === orderTag;
}

function placeOrder({ request, account }: Call): WireReply {
  const parsed = PlaceBody.safeParse(readJson(request.body));
  if (!parsed.success) return fieldProblem(parsed.error);
  const { symbol, qty, productType, validity, disclosedQty, offlineOrder, orderTag, ...fields } = parsed.data;
  const instrument = instrumentOf(symbol);
  if (!instrument) return refused({ code: 'INSTRUMENT', facts: {} });
  if (disclosedQty > 0 && instrument.kind !== 'EQ') return badInput('disclosedQty is allowed only for equity');
  if (offlineOrder && validity === 'IOC') return badInput('IOC is not allowed for an offline order');
  const placed = account.place({
    exchange: instrument.exchange,
    symbol: instrument.symbol,
    side: fields.side === 1 ? 'BUY' : 'SELL',
    orderType: typeOf[fields.type],
    product: productOf[productType],
    quantity: qty,
    price: String(fields.limitPrice),
    triggerPrice: String(fields.stopPrice),
    variety: offlineOrder ? 'AMO' : 'NORMAL',
    validity,
    tag: orderTag ?? null,
    ...(fields.type === 2 || fields.type === 3 ? { protectionPercent: MARKET_PROTECTION } : {}),
    details: { disclosedQty: String(disclosedQty), idFyers: randomUUID() },
  });
  if (!placed.ok) return refused(placed.refusal);
  const { orderId: id } = placed.order;
  return success({ id }, 1101, `Order submitted successfully. Your Order Ref. No.${id}`);
}

/** Of one order; the broker takes a basket. What is open already stands in `margin_new_order` as well, as was seen at the broker. */
function marginCalculator({ request, account }: Call): WireReply {
  const parsed = MarginBody.safeParse(readJson(request.body));
  const [order] = parsed.data?.data ?? [];
  if (!order) return badInput('Please provide valid inputs');
  const instrument = instrumentOf(order.symbol);
  const margin =
    instrument &&
    account.marginFor({
      exchange: instrument.exchange,
      symbol: instrument.symbol,
      side: order.side === 1 ? 'BUY' : 'SELL',
      orderType: typeOf[order.type],
      product: productOf[order.productType],
      quantity: order.qty,
      price: String(order.limitPrice),
      triggerPrice: String(order.stopPrice),
    });
  if (!margin) return refused({ code: 'INSTRUMENT', facts: {} });
  const { available, used } = account.funds();
  const total = Number(margin.required);
  return success({ data: { margin_avail: rounded(available), margin_total: total, margin_new_order: rounded(used) + total } });
}

function modifyOrder({ request, account }: Call): WireReply {
  const parsed = ModifyBody.safeParse(readJson(request.body));
  if (!parsed.success) return fieldProblem(parsed.error);
  const { id, type: code, limitPrice, stopPrice, qty } = parsed.data;
  if (code !== 2 && code !== 3 && limitPrice === undefined) return badInput('limitPrice is mandatory for this type');
  if (code >= 3 && stopPrice === undefined) return badInput('stopPrice is mandatory for this type');
  const changed = account.order(id)
    ? account.modify(id, {
        orderType: typeOf[code],
        quantity: qty,
        price: limitPrice === undefined ? undefined : String(limitPrice),
        triggerPrice: stopPrice === undefined ? undefined : String(stopPrice),
        protectionPercent: code === 2 || code === 3 ? MARKET_PROTECTION : undefined,
      })
    : unseen(id);
  return changed.ok ? success({ id }, 1102, 'Successfully modified order') : refused(changed.refusal);
}

function cancelNamed(call: Call): WireReply {
  const parsed = CancelBody.safeParse(readJson(call.request.body));
  return parsed.success ? cancelOrder(call, parsed.data.id) : fieldProblem(parsed.error);
}

function cancelOrder({ account }: Call, id: string): WireReply {
  const cancelled = account.order(id) ? account.cancel(id) : unseen(id);
  return cancelled.ok ? success({ id }, 1103, 'Successfully cancelled order') : refused(cancelled.refusal);
}

/** An order the book does not show yet is not known to a change either. */
function unseen(id: string): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: { code: 'NOT_FOUND', facts: { orderId: id } } };
}

function unknownOrder(id: string): WireReply {
  return refused(unseen(id).refusal);
}

function fieldProblem(error: z.ZodError): WireReply {
  return badInput(`Please provide a valid ${String(error.issues[0]?.path[0] ?? 'JSON body')}`);
}

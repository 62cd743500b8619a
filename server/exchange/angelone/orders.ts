import { z } from 'zod';
import { instruments } from '../instruments.ts';
import type { ExchangeOrder, Instrument } from '../types.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { marginData } from './account-rows.ts';
import { orderRow, tradeRow, tradingSymbol, uniqueOrderId, varietyOf } from './rows.ts';
import { failure, refused, SECURE, success } from './words.ts';

const ORDER = `${SECURE}/order/v1`;
/** Percent by which the broker protects the MARKET orders it turns into LIMIT ones. */
const PROTECTION = '2';
const longestTag = 19;

/** Numbers come as texts or as numbers; an empty or absent one is 0. */
const decimal = z
  .union([z.number(), z.string().regex(/^(\d+(\.\d+)?)?$/)])
  .default(0)
  .transform((value) => String(value || 0));
const typeOf = { MARKET: 'MARKET', LIMIT: 'LIMIT', STOPLOSS_LIMIT: 'SL', STOPLOSS_MARKET: 'SL-M' } as const;
const orderType = z.enum(['MARKET', 'LIMIT', 'STOPLOSS_LIMIT', 'STOPLOSS_MARKET']);
const product = z.enum(['DELIVERY', 'CARRYFORWARD', 'INTRADAY']);
const exchange = z.enum(['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS']);

const PlaceBody = z.object({
  variety: z.string(),
  tradingsymbol: z.string(),
  symboltoken: z.string(),
  transactiontype: z.enum(['BUY', 'SELL']),
  exchange,
  ordertype: orderType,
  producttype: z.string(),
  duration: z.enum(['DAY', 'IOC']),
  price: decimal,
  triggerprice: decimal,
  quantity: decimal,
  ordertag: z.string().default(''),
});

const ModifyBody = z.object({
  variety: z.string(),
  orderid: z.string(),
  ordertype: orderType,
  producttype: z.string().default(''),
  price: decimal,
  triggerprice: decimal.optional(),
  quantity: decimal,
  tradingsymbol: z.string(),
  symboltoken: z.string(),
  exchange,
});

const CancelBody = z.object({ variety: z.string(), orderid: z.string() });

/** A basket of one; the broker takes up to 50. */
const MarginBody = z.object({
  positions: z
    .array(
      z.object({
        exchange,
        qty: z.int().min(1),
        price: z.number().min(0),
        productType: product,
        token: z.string(),
        tradeType: z.enum(['BUY', 'SELL']),
        orderType: orderType.default('LIMIT'),
      }),
    )
    .length(1),
});

/** Orders, trades and the margin calculator. */
export function orderRoutes(): Route[] {
  return [
    { method: 'POST', path: `${ORDER}/placeOrder`, operation: 'place', handle: place },
    { method: 'POST', path: `${ORDER}/modifyOrder`, operation: 'modify', handle: modify },
    { method: 'POST', path: `${ORDER}/cancelOrder`, operation: 'cancel', handle: cancel },
    {
      method: 'GET',
      path: `${ORDER}/getOrderBook`,
      operation: 'orders',
      handle: ({ account }) => list(account.orders().map((order) => orderRow(order, 'book'))),
    },
    { method: 'GET', path: `${ORDER}/details/:unique`, operation: 'orders', limit: 'details', handle: details },
    { method: 'GET', path: `${ORDER}/getTradeBook`, operation: 'trades', handle: ({ account }) => list(account.trades().map(tradeRow)) },
    { method: 'POST', path: `${SECURE}/margin/v1/batch`, operation: 'funds', limit: 'margin', handle: marginCalculator },
  ];
}

function place({ request, account }: Call): WireReply {
  const parsed = PlaceBody.safeParse(bodyOf(request));
  if (!parsed.success) return badField(parsed.error);
  const order = parsed.data;
  const wrong = badVariety(order.variety, order.ordertype);
  if (wrong) return wrong;
  if (order.ordertag.length > longestTag) return failure('AB4008', 'ordertag length should be less than 20 characters');
  const wanted = product.safeParse(order.producttype);
  if (!wanted.success) return failure('AB1012', 'Invalid Product Type');
  const instrument = instrumentAsked(order);
  if (!instrument) return failure('AB1009', 'Symbol Not Found');
  const placed = account.place({
    exchange: instrument.exchange,
    symbol: instrument.symbol,
    side: order.transactiontype,
    orderType: typeOf[order.ordertype],
    product: wanted.data,
    quantity: Number(order.quantity),
    price: order.price,
    triggerPrice: order.triggerprice,
    validity: order.duration,
    tag: order.ordertag || null,
    protectionPercent: PROTECTION,
    details: { variety: order.variety },
  });
  if (!placed.ok) return refused(placed.refusal);
  return success({ script: order.tradingsymbol, ...naming(placed.order) });
}

/** Seen live: a body without the product, or one of a stop without its trigger, is answered with success and changes nothing. */
function modify({ request, account }: Call): WireReply {
  const parsed = ModifyBody.safeParse(bodyOf(request));
  if (!parsed.success) return badField(parsed.error);
  const change = parsed.data;
  const order = account.order(change.orderid);
  if (!order) return failure('AB1013', 'Order not found');
  if (change.variety !== varietyOf(order)) return failure('AB1008', 'Invalid Order Variety');
  if (instrumentAsked(change) !== order.instrument) return failure('AB1009', 'Symbol Not Found');
  const stop = change.ordertype.startsWith('STOPLOSS');
  if (change.producttype === '' || (stop && change.triggerprice === undefined)) return success(naming(order));
  const changed = account.modify(order.orderId, {
    orderType: typeOf[change.ordertype],
    quantity: Number(change.quantity),
    price: change.price,
    triggerPrice: change.triggerprice,
    ...(change.ordertype === 'MARKET' ? { protectionPercent: PROTECTION } : {}),
  });
  return changed.ok ? success(naming(order)) : refused(changed.refusal);
}

function cancel({ request, account }: Call): WireReply {
  const parsed = CancelBody.safeParse(bodyOf(request));
  if (!parsed.success) return badField(parsed.error);
  const order = account.order(parsed.data.orderid);
  if (!order) return failure('AB1013', 'Order not found');
  if (parsed.data.variety !== varietyOf(order)) return failure('AB1008', 'Invalid Order Variety');
  const cancelled = account.cancel(order.orderId);
  return cancelled.ok ? success(naming(order)) : refused(cancelled.refusal);
}

function details({ account, params }: Call): WireReply {
  const order = account.orders().find((each) => uniqueOrderId(each) === params.unique);
  return order ? success(orderRow(order, 'details')) : failure('AB1007', 'Order not found');
}

/** It has no trigger, and a price of 0 stands for none, in the documents beside LIMIT too. */
function marginCalculator({ request, account }: Call): WireReply {
  const parsed = MarginBody.safeParse(bodyOf(request));
  if (!parsed.success) return failure('AB1007', 'Invalid request');
  const [asked] = parsed.data.positions;
  const instrument = instruments.find((each) => each.exchange === asked?.exchange && String(each.exchangeToken) === asked.token);
  const margin =
    asked &&
    instrument &&
    account.marginFor({
      exchange: instrument.exchange,
      symbol: instrument.symbol,
      side: asked.tradeType,
      orderType: asked.price === 0 ? 'MARKET' : 'LIMIT',
      product: asked.productType,
      quantity: asked.qty,
      price: String(asked.price),
    });
  return margin ? success(marginData(instrument, margin.required)) : failure('AB1018', 'Failed to get symbol details');
}

/** An empty book is null, not an empty list. */
function list(found: readonly unknown[]): WireReply {
  return success(found.length > 0 ? found : null);
}

const byName = new Map(instruments.map((each) => [`${each.exchange}:${tradingSymbol(each)}`, each]));

/** What a caller names: symbol and token must mean the same instrument. */
export function instrumentAsked(named: { exchange: string; tradingsymbol: string; symboltoken: string }): Instrument | undefined {
  const found = byName.get(`${named.exchange}:${named.tradingsymbol}`);
  return found && String(found.exchangeToken) === named.symboltoken ? found : undefined;
}

/** The JSON body of a request; the official clients send bodies with GET too, which no route reads. */
export function bodyOf(request: WireRequest): unknown {
  return readJson(request.body);
}

function naming(order: ExchangeOrder): { orderid: string; uniqueorderid: string } {
  return { orderid: order.orderId, uniqueorderid: uniqueOrderId(order) };
}

/** Stops are in a variety of their own. AMO was a variety once and is refused now by a code that may mean anything. */
function badVariety(variety: string, type: string): WireReply | null {
  if (variety === 'AMO') return failure('AB1007', 'AMX error: Invalid variety');
  if (variety === 'ROBO') return failure('AB2002', 'ROBO order is block');
  const fits = variety === (type.startsWith('STOPLOSS') ? 'STOPLOSS' : 'NORMAL');
  return fits ? null : failure('AB1008', 'Invalid Order Variety');
}

/** A field that is missing or no value of its kind; there is no code of its own for most of them. */
function badField(error: z.ZodError): WireReply {
  const field = String(error.issues[0]?.path[0] ?? 'request');
  if (field === 'variety') return failure('AB1008', 'Invalid Order Variety');
  return failure(field === 'tradingsymbol' || field === 'symboltoken' ? 'AB1009' : 'AB1007', `Invalid ${field}`);
}

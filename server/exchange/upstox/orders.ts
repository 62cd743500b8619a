import { z } from 'zod';
import { Big, decimalText } from '../../money.ts';
import type { Instrument, NewOrder, Placed } from '../types.ts';
import { orderLines } from '../views.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { number } from '../wire/numbers.ts';
import { marginRow } from './account-rows.ts';
import { instrumentOfKey, orderRow, tradeRow } from './rows.ts';
import { failure, refused, success } from './words.ts';

/** Percent that market protection -1 stands for. */
const AUTOMATIC_PROTECTION = '2';
const LONGEST_TAG = 40;
const LATENCY = { latency: 12 };
/** The margin calculator has a request limit of its own. */
export const MARGIN = 'margin';

/** Rupees or percent as a JSON number -> decimal text. */
const amount = z.number().min(0).transform(decimalText);

const orderFields = {
  order_type: z.enum(['MARKET', 'LIMIT', 'SL', 'SL-M']),
  validity: z.enum(['DAY', 'IOC']),
  price: amount,
  trigger_price: amount,
  market_protection: z.number().default(-1),
};

const PlaceBody = z.object({
  ...orderFields,
  instrument_token: z.string().min(1),
  quantity: z.int(),
  product: z.enum(['I', 'D']),
  transaction_type: z.enum(['BUY', 'SELL']),
  disclosed_quantity: z.int().min(0),
  is_amo: z.boolean(),
  slice: z.boolean().default(false),
  tag: z.string().max(LONGEST_TAG).nullish(),
});
type PlaceBody = z.infer<typeof PlaceBody>;

const ModifyBody = z.object({
  ...orderFields,
  order_id: z.string().min(1),
  quantity: z.int().optional(),
  disclosed_quantity: z.int().optional(),
});

const MOST_INSTRUMENTS = 20;
const MarginBody = z.object({
  instruments: z
    .array(
      z.object({
        instrument_key: z.string().min(1),
        quantity: z.int(),
        product: z.enum(['I', 'D']),
        transaction_type: z.enum(['BUY', 'SELL']),
        price: amount.default('0'),
      }),
    )
    .min(1),
});
type MarginItem = z.infer<typeof MarginBody>['instruments'][number];

/** What a wrong field is answered with; anything else is plainly invalid input. */
const fieldCodes: Readonly<Record<string, readonly [string, string]>> = {
  instrument_token: ['UDAPI1026', 'The instrument key is required'],
  order_type: ['UDAPI1056', "The 'order_type' is invalid"],
  validity: ['UDAPI1055', "The 'validity' is invalid"],
  product: ['UDAPI1054', "The 'product' is invalid"],
  transaction_type: ['UDAPI1057', "The 'transaction_type' is invalid"],
  tag: ['UDAPI1119', `The tag is longer than ${LONGEST_TAG} characters`],
  order_id: ['UDAPI1023', 'The order id is required'],
};

/** Orders, trades and the margin calculator; v2 answers a placement with one id, v3 with a list. */
export function orderRoutes(): Route[] {
  const places = (['v2', 'v3'] as const).map(
    (version): Route => ({
      method: 'POST',
      path: `/${version}/order/place`,
      operation: 'place',
      handle: (call) => placeOrder(call, (id) => (version === 'v2' ? { order_id: id } : { order_ids: [id] })),
    }),
  );
  const changes = ['v2', 'v3'].flatMap((version): Route[] => [
    { method: 'PUT', path: `/${version}/order/modify`, operation: 'modify', handle: modifyOrder },
    { method: 'DELETE', path: `/${version}/order/cancel`, operation: 'cancel', handle: cancelOrder },
  ]);
  const reads: readonly (readonly [string, Route['operation'], Route['handle']])[] = [
    ['/v2/order/retrieve-all', 'orders', ({ account }) => success(account.orders().map((order) => orderRow(order)))],
    ['/v2/order/details', 'orders', orderDetails],
    ['/v2/order/history', 'orders', orderHistory],
    ['/v2/order/trades/get-trades-for-day', 'trades', ({ account }) => success(account.trades().map(tradeRow))],
    ['/v2/order/trades', 'trades', orderTrades],
  ];
  const margin: Route = { method: 'POST', path: '/v2/charges/margin', operation: 'funds', limit: MARGIN, handle: marginDetails };
  return [...places, ...changes, margin, ...reads.map(([path, operation, handle]): Route => ({ method: 'GET', path, operation, handle }))];
}

function placeOrder({ request, account }: Call, data: (orderId: string) => unknown): WireReply {
  const parsed = PlaceBody.safeParse(readJson(request.body));
  if (!parsed.success) return fieldProblem(parsed.error);
  const body = parsed.data;
  if (body.instrument_token.startsWith('MCX_FO|')) {
    return failure(400, 'UDAPI1161', 'MCX API orders are temporarily disabled. Meanwhile, place commodity orders on NSE (NSCOM).');
  }
  const instrument = instrumentOfKey(body.instrument_token);
  if (!instrument) return refused({ code: 'INSTRUMENT', facts: {} });
  const problem = orderProblem(body);
  if (problem) return problem;
  const placed = account.place(newOrder(body, instrument));
  return placed.ok ? success(data(placed.order.orderId), LATENCY) : refused(placed.refusal);
}

function newOrder(body: PlaceBody, instrument: Instrument): NewOrder {
  return {
    ...terms(body, instrument),
    orderType: body.order_type,
    price: body.price,
    triggerPrice: body.trigger_price,
    variety: body.is_amo ? 'AMO' : 'NORMAL',
    validity: body.validity,
    tag: body.tag || null,
    ...protection(body),
    details: { disclosedQuantity: String(body.disclosed_quantity) },
  };
}

/** Instrument, side, product and quantity, as orders and the margin calculator name them. */
function terms(body: Pick<PlaceBody, 'transaction_type' | 'product' | 'quantity'>, instrument: Instrument) {
  const carried = instrument.kind === 'EQ' ? 'DELIVERY' : 'CARRYFORWARD';
  return {
    exchange: instrument.exchange,
    symbol: instrument.symbol,
    side: body.transaction_type,
    product: body.product === 'I' ? 'INTRADAY' : carried,
    quantity: body.quantity,
  } as const;
}

/** What each instrument needs, and all together: here no order hedges another. */
function marginDetails({ request, account }: Call): WireReply {
  const parsed = MarginBody.safeParse(readJson(request.body));
  if (!parsed.success) return fieldProblem(parsed.error);
  const asked = parsed.data.instruments;
  if (asked.length > MOST_INSTRUMENTS) return failure(400, 'UDAPI1102', `At most ${MOST_INSTRUMENTS} instruments are allowed`);
  const margins = [];
  for (const item of asked) {
    const instrument = instrumentOfKey(item.instrument_key);
    const problem = instrument ? quantityProblem(item, instrument) : failure(400, 'UDAPI1099', 'Invalid instrument key');
    if (!instrument || problem) return problem ?? refused({ code: 'INSTRUMENT', facts: {} });
    const orderType = item.price === '0' ? 'MARKET' : 'LIMIT';
    const margin = account.marginFor({ ...terms(item, instrument), orderType, price: item.price });
    margins.push(marginRow(instrument, margin?.required ?? '0'));
  }
  const total = margins.reduce((sum, { total_margin }) => sum.plus(total_margin), new Big(0));
  return success({ margins, required_margin: number(total), final_margin: number(total) });
}

/** Documented as UDAPI1097, an odd lot was seen to be answered with UDAPI1104. */
function quantityProblem({ quantity }: MarginItem, { lotSize }: Instrument): WireReply | null {
  if (quantity < 1) return failure(400, 'UDAPI1096', 'The quantity should be greater than zero');
  return quantity % lotSize === 0 ? null : failure(400, 'UDAPI1104', 'The quantity should be a multiple of the lot size');
}

/** What is refused before an order id exists. */
function orderProblem(body: PlaceBody): WireReply | null {
  if (body.quantity < 1) return refused({ code: 'QUANTITY', facts: {} });
  if (body.disclosed_quantity !== 0 && body.disclosed_quantity * 10 < body.quantity) {
    return failure(400, 'UDAPI1039', 'The disclosed quantity must be at least 10% of the quantity');
  }
  return priceProblem(body);
}

function priceProblem(body: Pick<PlaceBody, 'order_type' | 'price' | 'trigger_price' | 'market_protection'>): WireReply | null {
  const price = body.price !== '0';
  const trigger = body.trigger_price !== '0';
  if (body.order_type === 'MARKET' && price) return failure(400, 'UDAPI1030', 'The price is not required for a market order');
  if (body.order_type === 'LIMIT' && !price) return failure(400, 'UDAPI1029', 'The price is required');
  if (body.order_type === 'SL' && !price) return failure(400, 'UDAPI1031', 'Price and trigger price are required for SL');
  if (body.order_type === 'SL-M' && price) return failure(400, 'UDAPI1032', 'Only the trigger price is required for SL-M');
  if (body.order_type.startsWith('SL') && !trigger) return failure(400, 'UDAPI1036', 'The trigger price is required');
  return body.order_type === 'MARKET' || body.order_type === 'SL-M' ? protectionProblem(body.market_protection) : null;
}

function protectionProblem(percent: number): WireReply | null {
  if (percent === 0) return failure(400, 'UDAPI1158', 'Market orders are not allowed. Try placing an order with market protection.');
  if (percent > 25) return failure(400, 'UDAPI1159', 'The market protection is above 25%');
  return percent === -1 || (percent >= 1 && Number.isInteger(percent))
    ? null
    : failure(400, 'UDAPI1160', 'The market protection is invalid');
}

function protection(body: Pick<PlaceBody, 'order_type' | 'market_protection'>): { protectionPercent?: string } {
  if (body.order_type !== 'MARKET' && body.order_type !== 'SL-M') return {};
  return { protectionPercent: body.market_protection === -1 ? AUTOMATIC_PROTECTION : decimalText(body.market_protection) };
}

function modifyOrder({ request, account }: Call): WireReply {
  const parsed = ModifyBody.safeParse(readJson(request.body));
  if (!parsed.success) return fieldProblem(parsed.error);
  const body = parsed.data;
  const problem = priceProblem(body);
  if (problem) return problem;
  if (!account.order(body.order_id)) return refused({ code: 'NOT_FOUND', facts: {} });
  const changed = account.modify(body.order_id, {
    orderType: body.order_type,
    quantity: body.quantity,
    price: body.price,
    triggerPrice: body.trigger_price,
    ...protection(body),
  });
  return answerOf(changed, 'UDAPI100041');
}

function cancelOrder({ request, account }: Call): WireReply {
  const id = orderId(request);
  return typeof id === 'string' ? answerOf(account.cancel(id), 'UDAPI100040') : id;
}

function answerOf(done: Placed, finished: string): WireReply {
  if (done.ok) return success({ order_id: done.order.orderId }, LATENCY);
  if (done.refusal.code !== 'FINISHED') return refused(done.refusal);
  return failure(400, finished, `The order is already ${done.refusal.facts.state?.toLowerCase()}`);
}

/** The order id of the query, or the answer to a missing or malformed one. */
function orderId({ query }: WireRequest): string | WireReply {
  const id = query.get('order_id');
  if (!id) return failure(400, 'UDAPI1023', 'The order id is required');
  return /^[A-Za-z0-9-]+$/.test(id) ? id : failure(400, 'UDAPI1010', 'The order id is invalid');
}

function orderDetails({ request, account }: Call): WireReply {
  const id = orderId(request);
  if (typeof id !== 'string') return id;
  const order = account.order(id);
  if (!order) return refused({ code: 'NOT_FOUND', facts: {} });
  const { guid, ...details } = orderRow(order);
  return success(details);
}

/** All lines of the orders that have the id and the tag asked for. */
function orderHistory({ request, account }: Call): WireReply {
  const [id, tag] = [request.query.get('order_id'), request.query.get('tag')];
  if (!id && !tag) return failure(400, 'UDAPI100059', 'Either the order id or the tag is required');
  const found = account.orders().filter((order) => (!id || order.orderId === id) && (!tag || order.tag === tag));
  if (found.length === 0) return refused({ code: 'NOT_FOUND', facts: {} });
  const lines = found.flatMap(orderLines).map((line) => orderRow(line, true));
  return success(lines.map(({ guid, pending_quantity, ...line }) => line));
}

function orderTrades({ request, account }: Call): WireReply {
  const id = orderId(request);
  if (typeof id !== 'string') return id;
  if (!account.order(id)) return refused({ code: 'NOT_FOUND', facts: {} });
  const trades = account.trades().filter((trade) => trade.orderId === id);
  return success(trades.map(tradeRow));
}

function fieldProblem(error: z.ZodError): WireReply {
  const field = String(error.issues[0]?.path.at(-1) ?? '');
  const [code, message] = fieldCodes[field] ?? ['UDAPI100036', `Invalid input${field ? `: ${field}` : ''}`];
  return failure(400, code, message);
}

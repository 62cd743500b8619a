import { z } from 'zod';
import { Big } from '../../money.ts';
import type { ExchangeOrder, Instrument, NewOrder, Placed } from '../types.ts';
import { orderLines } from '../views.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { readJson, type WireReply } from '../wire/message.ts';
import { monthTime } from '../wire/times.ts';
import { marginPart } from './account-rows.ts';
import { instrumentOf, orderRow, tradeRow, unitsOf } from './rows.ts';
import { failure, type Problem, problemOf, success } from './words.ts';

/** What need not be given may be absent, null or "": official SDKs send all three. */
const absent = (value: unknown) => (value === null || value === '' ? undefined : value);
/** Rupees or percent as a JSON number or as text -> decimal text. */
const given = z.preprocess(
  absent,
  z
    .union([z.number().min(0), z.string().regex(/^\d+(\.\d+)?$/)])
    .optional()
    .transform((value) => (value === undefined ? undefined : new Big(String(value)).toFixed())),
);
const amount = given.transform((value) => value ?? '0');
const count = z.union([z.int().min(1), z.string().regex(/^[1-9]\d*$/)]).transform(Number);
const text = (longest: number) => z.preprocess(absent, z.string().max(longest).default(''));
const orderType = z.enum(['MARKET', 'LIMIT', 'SL', 'SLM']);
const ourType = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', SLM: 'SL-M' } as const;
const validity = z.enum(['DAY', 'IOC']);

const PlaceItem = z.looseObject({
  exchange: z.enum(['NSE', 'BSE', 'MCX', 'NFO', 'BFO']),
  instrumentId: z.string().regex(/^\d+$/),
  transactionType: z.enum(['BUY', 'SELL']),
  quantity: count.refine((value) => value <= 50_000_000),
  product: z.enum(['INTRADAY', 'LONGTERM', 'MTF', 'NORMAL', 'NRML']),
  orderComplexity: z.enum(['REGULAR', 'AMO']),
  orderType,
  validity,
  price: amount,
  slTriggerPrice: amount,
  disclosedQuantity: amount,
  marketProtectionPercent: amount,
  deviceId: text(98),
  algoId: text(12),
  orderTag: text(50),
});
type PlaceItem = z.infer<typeof PlaceItem>;

/** The official SDK leaves the validity out, the documents write it with a blank before it. */
const MarginItem = PlaceItem.omit({ validity: true });

const ModifyBody = z.looseObject({
  brokerOrderId: z.string().min(1),
  quantity: z.preprocess(absent, count.optional()),
  orderType: z.preprocess(absent, orderType.optional()),
  price: given,
  slTriggerPrice: given,
  validity: z.preprocess(absent, validity.optional()),
});
const Named = z.looseObject({ brokerOrderId: z.string().min(1) });

/** What a wrong field is answered with. The documents' table is not whole here: EC093 and EC094 are guesses inside its range. */
const fieldCodes: Readonly<Record<string, readonly [string, string]>> = {
  exchange: ['EC090', 'Invalid exchange'],
  orderComplexity: ['EC091', 'Invalid orderComplexity'],
  product: ['EC092', 'Invalid product'],
  transactionType: ['EC093', 'Invalid transactionType'],
  validity: ['EC094', 'Invalid validity'],
  deviceId: ['EC813', 'Invalid deviceId'],
  orderType: ['EC838', 'The order type is not allowed'],
  brokerOrderId: ['EC945', 'brokerOrderId cannot be empty'],
  instrumentId: ['EC946', 'Invalid instrumentId'],
  quantity: ['EC948', 'Invalid quantity'],
  price: ['EC957', 'Invalid price'],
  slTriggerPrice: ['EC959', 'Invalid trigger price'],
  orderTag: ['EC971', 'orderTag is too long'],
  algoId: ['EC972', 'algoId is too long'],
  marketProtectionPercent: ['EC988', 'marketProtectionPercent should be positive'],
};

/** Orders, trades and the margin calculator, below the API's prefix. */
export function orderRoutes(prefix: string): Route[] {
  const get = (path: string, operation: Route['operation'], handle: Route['handle']): Route => ({
    method: 'GET',
    path: prefix + path,
    operation,
    handle,
  });
  const post = (path: string, operation: Route['operation'], handle: Route['handle']): Route => ({
    method: 'POST',
    path: prefix + path,
    operation,
    handle,
  });
  return [
    get('/orders/book', 'orders', ({ account }) => listed(account.orders().map(orderRow), 'EC916', 'orders')),
    get('/orders/trades', 'trades', ({ account }) => listed(account.trades().map(tradeRow), 'EC926', 'trades')),
    post('/orders/history', 'orders', history),
    post('/orders/placeorder', 'place', placeOrders),
    post('/orders/modify', 'modify', modifyOrder),
    post('/orders/cancel', 'cancel', cancelOrder),
    post('/orders/checkMargin', 'funds', checkMargin),
  ];
}

/** Rows, or the code that says there are none. */
export function listed(list: unknown[], empty: string, what: string): WireReply {
  return list.length > 0 ? success(...list) : failure(empty, `No ${what} found`);
}

/** One order of several may be refused while the others are taken: then its place in the result says so. */
function placeOrders(call: Call): WireReply {
  const items = z.array(z.unknown()).min(1).safeParse(readJson(call.request.body)).data;
  if (!items) return failure('EC080', 'Invalid request');
  const done = items.map((item) => placeOne(call, item));
  const [only] = done;
  if (done.length === 1 && only) return answer(only);
  return success(...done.map((each) => ('code' in each ? { status: each.code, message: each.message } : each)));
}

type Done = { requestTime: string; brokerOrderId: string };

function answer(done: Done | Problem): WireReply {
  return 'code' in done ? failure(done.code, done.message) : success(done);
}

function taken({ orderId }: ExchangeOrder, at: number): Done {
  return { requestTime: monthTime(at), brokerOrderId: orderId };
}

function placeOne({ account }: Call, item: unknown): Done | Problem {
  const parsed = PlaceItem.safeParse(item);
  if (!parsed.success) return fieldProblem(parsed.error);
  const wanted = parsed.data;
  const instrument = instrumentOf(wanted.exchange, wanted.instrumentId);
  if (!instrument) return { code: 'EC946', message: 'Invalid instrumentId' };
  const wrong = itemProblem(wanted, instrument);
  if (wrong) return wrong;
  const placed = account.place(newOrder(wanted, instrument));
  return placed.ok ? taken(placed.order, placed.order.receivedAt) : problemOf(placed.refusal);
}

/** What is refused before an order id exists. */
function itemProblem(
  { product, orderComplexity, validity, disclosedQuantity, orderType }: PlaceItem,
  { kind }: Instrument,
): Problem | null {
  const carried = product === 'NORMAL' || product === 'NRML';
  if (kind === 'EQ' && carried) return { code: 'EC807', message: `'product' - '${product}' is not allowed in cash segment.` };
  if (kind !== 'EQ' && !carried && product !== 'INTRADAY')
    return { code: 'EC969', message: "'Product' should be either 'NORMAL' or 'INTRADAY'." };
  const afterMarket = orderComplexity === 'AMO';
  if (afterMarket && validity === 'IOC') return { code: 'EC996', message: 'IOC is not allowed for AMO' };
  if (afterMarket && disclosedQuantity !== '0') return { code: 'EC982', message: 'Disclosed quantity is not allowed for AMO' };
  const option = kind === 'CE' || kind === 'PE';
  return option && orderType === 'MARKET' ? { code: 'EC838', message: 'Market orders are not allowed' } : null;
}

function newOrder(wanted: PlaceItem, instrument: Instrument): NewOrder {
  const kept = instrument.kind === 'EQ' ? 'DELIVERY' : 'CARRYFORWARD';
  const market = wanted.orderType === 'MARKET' || wanted.orderType === 'SLM';
  const protectedBy = market && wanted.marketProtectionPercent !== '0' ? { protectionPercent: wanted.marketProtectionPercent } : {};
  return {
    exchange: instrument.exchange,
    symbol: instrument.symbol,
    side: wanted.transactionType,
    orderType: ourType[wanted.orderType],
    product: wanted.product === 'INTRADAY' ? 'INTRADAY' : kept,
    quantity: wanted.quantity,
    price: market ? '0' : wanted.price,
    triggerPrice: wanted.orderType.startsWith('SL') ? wanted.slTriggerPrice : '0',
    variety: wanted.orderComplexity === 'AMO' ? 'AMO' : 'NORMAL',
    validity: wanted.validity,
    tag: wanted.orderTag || null,
    ...protectedBy,
    details: { algoId: wanted.algoId },
  };
}

function modifyOrder({ request, account }: Call): WireReply {
  const parsed = ModifyBody.safeParse(readJson(request.body));
  if (!parsed.success) return answer(fieldProblem(parsed.error));
  const { brokerOrderId, quantity, orderType: type, price, slTriggerPrice } = parsed.data;
  const order = account.order(brokerOrderId);
  if (!order) return failure('EC979', 'Invalid brokerOrderId');
  const units = unitsOf(order.instrument);
  if (quantity !== undefined && quantity % units !== 0) return failure('EC954', `Quantity should be a multiple of ${units}`);
  const changed = account.modify(brokerOrderId, {
    ...(type && { orderType: ourType[type] }),
    ...(quantity !== undefined && { quantity: quantity / units }),
    ...(price !== undefined && { price }),
    ...(slTriggerPrice !== undefined && { triggerPrice: slTriggerPrice }),
  });
  return answerOf(changed);
}

function cancelOrder({ request, account }: Call): WireReply {
  const named = Named.safeParse(readJson(request.body));
  if (!named.success) return answer(fieldProblem(named.error));
  return answerOf(account.cancel(named.data.brokerOrderId));
}

function answerOf(done: Placed): WireReply {
  return answer(done.ok ? taken(done.order, done.order.updatedAt) : problemOf(done.refusal));
}

function checkMargin({ request, account }: Call): WireReply {
  const parsed = MarginItem.safeParse(readJson(request.body));
  if (!parsed.success) return answer(fieldProblem(parsed.error));
  const wanted: PlaceItem = { ...parsed.data, validity: 'DAY' };
  const instrument = instrumentOf(wanted.exchange, wanted.instrumentId);
  if (!instrument) return failure('EC946', 'Invalid instrumentId');
  const wrong = itemProblem(wanted, instrument);
  if (wrong) return answer(wrong);
  const margin = account.marginFor(newOrder(wanted, instrument));
  return margin ? success(marginPart(margin.required, account.funds())) : failure('EC935', 'Failed to retrieve the single order margin.');
}

/** All lines of one order, newest first. */
function history({ request, account }: Call): WireReply {
  const named = Named.safeParse(readJson(request.body));
  if (!named.success) return answer(fieldProblem(named.error));
  const order = account.order(named.data.brokerOrderId);
  return listed(order ? orderLines(order).toReversed().map(orderRow) : [], 'EC918', 'order history');
}

function fieldProblem(error: z.ZodError): Problem {
  const [code, message] = fieldCodes[String(error.issues[0]?.path[0] ?? '')] ?? ['EC080', 'Invalid request'];
  return { code, message };
}

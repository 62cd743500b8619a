import { z } from 'zod';
import { Big, decimalText } from '../../money.ts';
import type { Account } from '../account.ts';
import type { Exchange } from '../exchange.ts';
import { instruments } from '../instruments.ts';
import type { ExchangeOrder, Instrument, NewOrder } from '../types.ts';
import type { OrderView } from '../views.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { rounded } from '../wire/numbers.ts';
import { orderRow, statusRow, tradeRow } from './rows.ts';
import { answer, badInput, clientCode, dateText, failure, letters, marketRefused, refusalText, refused, scripData } from './words.ts';

/** Numbers may be written as texts. What this operation does not know is left alone: the official SDK sends fields of earlier calls again. */
const count = z.union([z.int().min(0), z.string().regex(/^\d+$/)]).transform(Number);
const money = z
  .union([z.number().min(0), z.string().regex(/^\d+(\.\d+)?$/)])
  .nullish()
  .transform((value) => decimalText(Number(value ?? 0)));

const PlaceBody = z.object({
  Exchange: z.enum(['N', 'B', 'M']),
  ExchangeType: z.enum(['C', 'D', 'U']),
  ScripCode: count.default(0),
  ScripData: z.string().default(''),
  OrderType: z.enum(['Buy', 'Sell', 'B', 'S']),
  Qty: count,
  DisQty: count.default(0),
  Price: money,
  StopLossPrice: money,
  IsIntraday: z.boolean().default(false),
  AHPlaced: z.enum(['Y', 'N']).default('N'),
  iOrderValidity: z.literal([0, 3]).default(0),
  RemoteOrderID: z.string().default(''),
  isMTF: z.literal(false).default(false),
});
/** An absent price counts as 0, and 0 is an order at market. */
const ModifyBody = z.object({ ExchOrderID: z.string().regex(/^\d+$/), Price: money, Qty: count.optional(), StopLossPrice: money });
const CancelBody = z.object({ ExchOrderID: z.string().regex(/^\d+$/) });
const StatusBody = z.object({ OrdStatusReqList: z.array(z.object({ Exch: z.string(), RemoteOrderID: z.string() })) });

const MOST_ORDERS = 50;
const MarginBody = z.object({
  CoverPositions: z.enum(['Y', 'N']),
  Orders: z
    .array(
      z.object({
        Exch: z.enum(['N', 'B', 'M']),
        ExchType: z.enum(['C', 'D', 'U']),
        ScripCode: count.default(0),
        ScripData: z.string().default(''),
        PlaceModifyCancel: z.enum(['P', 'M', 'C']),
        OrderType: z.enum(['B', 'S']),
        Price: money,
        Qty: count,
        IsIntraday: z.boolean(),
      }),
    )
    .min(1),
});

const byCode = new Map(instruments.map((one) => [`${letters[one.exchange].join('')}:${one.exchangeToken}`, one]));
const byData = new Map(instruments.map((one) => [`${letters[one.exchange].join('')}:${scripData(one)}`, one]));

export function findScrip(exchange: string, type: string, code: number, data = ''): Instrument | undefined {
  return byCode.get(`${exchange}${type}:${code}`) ?? byData.get(`${exchange}${type}:${data}`);
}

/** Orders, trades and the margin calculator. */
export function orderRoutes(base: string, exchange: Exchange): Route[] {
  const post = { method: 'POST' } as const;
  return [
    { ...post, path: `${base}/V1/PlaceOrderRequest`, operation: 'place', handle: (call) => placeOrder(exchange, call) },
    { ...post, path: `${base}/V1/ModifyOrderRequest`, operation: 'modify', handle: (call) => modifyOrder(exchange, call) },
    { ...post, path: `${base}/V1/CancelOrderRequest`, operation: 'cancel', handle: (call) => cancelOrder(exchange, call) },
    { ...post, path: `${base}/V3/OrderBook`, operation: 'orders', handle: orderBook },
    { ...post, path: `${base}/V4/OrderBook`, operation: 'orders', handle: orderBook },
    { ...post, path: `${base}/V2/OrderStatus`, operation: 'orders', handle: orderStatus },
    { ...post, path: `${base}/V3/OrderStatus`, operation: 'orders', handle: orderStatus },
    { ...post, path: `${base}/V1/TradeBook`, operation: 'trades', handle: tradeBook },
    { ...post, path: `${base}/MultiOrderMargin`, operation: 'funds', handle: multiOrderMargin },
  ];
}

/** Prices of 0 make a market order: 5paisa takes it, and rejects it in the book. */
function placeOrder(exchange: Exchange, { request, account }: Call): WireReply {
  const parsed = PlaceBody.safeParse(bodyOf(request));
  if (!parsed.success) return badInput(request);
  const given = parsed.data;
  const instrument = findScrip(given.Exchange, given.ExchangeType, given.ScripCode, given.ScripData);
  if (!instrument) return refused(request, refusalText({ code: 'INSTRUMENT', facts: {} }), 2);
  const atMarket = Number(given.Price) === 0;
  const stop = Number(given.StopLossPrice) > 0;
  const asked: NewOrder = {
    ...terms(given, instrument),
    orderType: atMarket ? (stop ? 'SL-M' : 'MARKET') : stop ? 'SL' : 'LIMIT',
    price: given.Price,
    triggerPrice: given.StopLossPrice,
    variety: given.AHPlaced === 'Y' ? 'AMO' : 'NORMAL',
    validity: given.iOrderValidity === 3 ? 'IOC' : 'DAY',
    tag: given.RemoteOrderID || null,
    details: { disclosed: String(given.DisQty) },
  };
  const placed = (atMarket ? exchange.account('fivepaisa', { rejectByRisk: true }) : account).place(asked);
  return placed.ok ? receipt(exchange, request, placed.order, instrument, '0') : refused(request, refusalText(placed.refusal));
}

/** Instrument, side, product and quantity, as orders and the margin calculator name them. */
function terms({ OrderType, IsIntraday, Qty }: { OrderType: string; IsIntraday: boolean; Qty: number }, instrument: Instrument) {
  const kept = instrument.kind === 'EQ' ? 'DELIVERY' : 'CARRYFORWARD';
  return {
    exchange: instrument.exchange,
    symbol: instrument.symbol,
    side: OrderType.startsWith('B') ? 'BUY' : 'SELL',
    product: IsIntraday ? 'INTRADAY' : kept,
    quantity: Qty,
  } as const;
}

/** What all orders need together; here none hedges another, and positions count whether they are to be covered or not. */
function multiOrderMargin({ request, account }: Call): WireReply {
  const parsed = MarginBody.safeParse(bodyOf(request));
  if (!parsed.success) return badInput(request);
  const { Orders } = parsed.data;
  if (Orders.length > MOST_ORDERS) return failure(request, 1, 'One Time PreOrderMarginCalc Limit Exceed.');
  let total = new Big(0);
  for (const given of Orders) {
    const instrument = findScrip(given.Exch, given.ExchType, given.ScripCode, given.ScripData);
    const orderType = Number(given.Price) === 0 ? 'MARKET' : 'LIMIT';
    const margin = instrument && account.marginFor({ ...terms(given, instrument), orderType, price: given.Price });
    if (!margin) return failure(request, 1, refusalText({ code: 'INSTRUMENT', facts: {} }));
    total = total.plus(margin.required);
  }
  return answer(request, { AvailableMargin: rounded(account.funds().available), TotalMarginRequired: rounded(total) });
}

function modifyOrder(exchange: Exchange, { request, account }: Call): WireReply {
  const parsed = ModifyBody.safeParse(bodyOf(request));
  if (!parsed.success) return badInput(request);
  const { ExchOrderID, Price, Qty, StopLossPrice } = parsed.data;
  const order = byExchangeId(account, ExchOrderID);
  if (!order) return refused(request, refusalText({ code: 'NOT_FOUND', facts: {} }));
  if (Number(Price) === 0) return refused(request, marketRefused);
  const changed = account.modify(order.orderId, {
    orderType: Number(StopLossPrice) > 0 ? 'SL' : 'LIMIT',
    quantity: Qty,
    price: Price,
    triggerPrice: StopLossPrice,
  });
  if (!changed.ok) return refused(request, refusalText(changed.refusal));
  return receipt(exchange, request, changed.order, order.instrument, ExchOrderID);
}

function cancelOrder(exchange: Exchange, { request, account }: Call): WireReply {
  const parsed = CancelBody.safeParse(bodyOf(request));
  if (!parsed.success) return badInput(request);
  const order = byExchangeId(account, parsed.data.ExchOrderID);
  if (!order) return refused(request, refusalText({ code: 'NOT_FOUND', facts: {} }));
  const cancelled = account.cancel(order.orderId);
  if (!cancelled.ok) return refused(request, refusalText(cancelled.refusal));
  return receipt(exchange, request, cancelled.order, order.instrument, parsed.data.ExchOrderID);
}

function byExchangeId(account: Account, id: string): OrderView | undefined {
  return account.orders().find((order) => order.exchangeOrderId === id);
}

function receipt({ clock }: Exchange, request: WireRequest, order: ExchangeOrder, instrument: Instrument, ExchOrderID: string): WireReply {
  const [Exch, ExchType] = letters[instrument.exchange];
  const dayMs = 86_400_000;
  const istMs = 19_800_000;
  return answer(request, {
    BrokerOrderID: Number(order.orderId),
    ClientCode: clientCode,
    Exch,
    ExchOrderID,
    ExchType,
    LocalOrderID: 0,
    RMSResponseCode: 1,
    RemoteOrderID: order.tag ?? '',
    ScripCode: instrument.exchangeToken,
    Time: dateText(Math.floor((clock.now() + istMs) / dayMs) * dayMs - istMs),
  });
}

function orderBook({ request, account }: Call): WireReply {
  const OrderBookDetail = account.orders().map(orderRow);
  if (OrderBookDetail.length === 0) return failure(request, 1, 'No Order found for this Client.', { OrderBookDetail });
  return answer(request, { OrderBookDetail });
}

function orderStatus({ request, account }: Call): WireReply {
  const parsed = StatusBody.safeParse(bodyOf(request));
  if (!parsed.success) return badInput(request);
  const OrdStatusResLst = parsed.data.OrdStatusReqList.flatMap(({ Exch, RemoteOrderID }) =>
    account
      .orders()
      .filter((order) => order.tag === RemoteOrderID && letters[order.exchange][0] === Exch)
      .map(statusRow),
  );
  return answer(request, { OrdStatusResLst });
}

function tradeBook({ request, account }: Call): WireReply {
  const TradeBookDetail = account.trades().map(tradeRow);
  // The broker's own slip: an empty trade book comes under the name of the order book.
  if (TradeBookDetail.length === 0) return failure(request, 1, 'No Trade found for this Client.', { OrderBookDetail: [] });
  return answer(request, { Message: '', TradeBookDetail });
}

const Envelope = z.object({
  head: z.looseObject({ key: z.string().optional(), Key: z.string().optional() }),
  body: z.record(z.string(), z.unknown()),
});

/** The app key of a request, under either of its spellings. */
export function keyOf(request: WireRequest): string {
  const head = Envelope.safeParse(readJson(request.body)).data?.head;
  return head?.key ?? head?.Key ?? '';
}

export function bodyOf(request: WireRequest): Record<string, unknown> {
  return Envelope.safeParse(readJson(request.body)).data?.body ?? {};
}

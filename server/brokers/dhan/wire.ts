import { z } from 'zod';
import {
  type Exchange,
  type OrderType,
  type ProductType,
  type TransactionType,
  unitExchanges,
  type Variety,
} from '../../../contract/words.ts';
import { type HoldingRow, type OrderRow, type OrderState, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord, withOrderId } from '../listing.ts';
import { decimal, instrument, istTime, maybeRupees, note, quantity, reversed, rupees, whole, word } from '../parse.ts';
import { mapped, renamed } from '../row-map.ts';

/** Dhan's words for ours. */
export const segments = {
  NSE: 'NSE_EQ',
  BSE: 'BSE_EQ',
  NFO: 'NSE_FNO',
  BFO: 'BSE_FNO',
  MCX: 'MCX_COMM',
  CDS: 'NSE_CURRENCY',
} as const satisfies Record<Exchange, string>;
export const sides = { BUY: 'BUY', SELL: 'SELL' } as const satisfies Record<TransactionType, string>;
export const orderTypes = {
  MARKET: 'MARKET',
  LIMIT: 'LIMIT',
  SL: 'STOP_LOSS',
  'SL-M': 'STOP_LOSS_MARKET',
} as const satisfies Record<OrderType, string>;
export const products = { INTRADAY: 'INTRADAY', DELIVERY: 'CNC', CARRYFORWARD: 'MARGIN' } as const satisfies Record<ProductType, string>;
/** Whether an order is an after-market one; a stop is said by the order type. */
export const varieties = { NORMAL: 'false', STOPLOSS: 'false', AMO: 'true' } as const satisfies Record<Variety, string>;

const states: Readonly<Record<string, OrderState>> = {
  TRANSIT: 'TRANSIT',
  PENDING: 'OPEN',
  PART_TRADED: 'OPEN',
  MODIFIED: 'OPEN',
  TRADED: 'FILLED',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELLED',
  INACTIVE: 'CANCELLED',
  EXPIRED: 'EXPIRED',
};

function stateOf(status: string): OrderState {
  const text = status.trim().toUpperCase();
  return (Object.hasOwn(states, text) ? states[text] : undefined) ?? 'UNKNOWN';
}

/** Order ids are texts of digits; a number that JSON could not carry exactly is none. */
const id = z.union([word, z.int()], { error: 'must be an order id' });
const idText = id.transform(String);

/** What went wrong, in Dhan's three keys; at least one of code and message is there. */
export const problem = z
  .looseObject({ errorType: note, errorCode: note, errorMessage: note })
  .refine((body) => body.errorCode !== null || body.errorMessage !== null);
export type Problem = z.infer<typeof problem>;

export function problemText(told: Problem): string {
  return [told.errorMessage, told.errorCode && `(${told.errorCode})`].filter(Boolean).join(' ');
}

const definite: Readonly<Record<number, readonly string[]>> = {
  400: ['DH-905', 'DH-906', 'DH-907'],
  401: ['DH-901', 'DH-902', 'DH-903'],
  403: ['DH-901', 'DH-902', 'DH-903'],
  429: ['DH-904'],
};

/** Whether an error answer to a placement, change or cancellation says for certain that nothing was done. */
export function isDefinite(status: number, told: Problem): boolean {
  if (isExpired(status, told)) return true;
  if (status < 400 || status > 499) return false;
  if (told.errorCode === 'DH-911' || /invalid ip\b/i.test(told.errorMessage ?? '')) return true;
  return told.errorType !== null && told.errorMessage !== null && (definite[status]?.includes(told.errorCode ?? '') ?? false);
}

/** A dead login shows as 401 DH-901, and as 400 DH-906 with this text. */
export function isExpired(status: number, told: Problem): boolean {
  if (status === 400) return told.errorCode === 'DH-906' && /^invalid token\b/i.test(told.errorMessage ?? '');
  return (status === 401 || status === 403) && told.errorCode === 'DH-901';
}

export const orderAnswer = z.looseObject({ orderId: idText, orderStatus: note });
export const profile = z.looseObject({ dhanClientId: word, tokenValidity: note });
export const funds = z.looseObject({ dhanClientId: word });
export const session = z.looseObject({ accessToken: word, expiryTime: note });
/** What a change must know of the order it means: Dhan does not say what a left-out field does. */
export const bookedOrder = z.looseObject({
  orderId: idText,
  transactionType: z.enum(['BUY', 'SELL']),
  exchangeSegment: word,
  orderType: word,
  validity: word,
  legName: note,
  tradingSymbol: word,
  quantity,
  disclosedQuantity: quantity.nullish(),
  price: decimal,
  triggerPrice: decimal,
});
export type BookedOrder = z.infer<typeof bookedOrder>;

/** The broker's order row with its id under our name too. */
export const withId = withOrderId(z.looseObject({ orderId: idText }).transform(({ orderId }) => orderId));

export const ourExchange = reversed(segments);
export const ourType = reversed(orderTypes);
const product = renamed(reversed(products));
const side = z.enum(['BUY', 'SELL']);
const exchange = renamed(ourExchange);
const name = { symbol: ['tradingSymbol', word], token: ['securityId', instrument], exchange: ['exchangeSegment', exchange] } as const;
/** An IST time; the year 1 stands for never. */
const time = istTime.transform((text) => (text !== null && text > '1970' ? text : null));
/** What Dhan writes itself when an order comes without a tag: client id and epoch ms. */
const madeUpTag = /^\d+-\d{13}$/;

/** Where any row has its name. */
export const rowName: RowName = mapped({
  symbol: ['tradingSymbol', seenWord],
  token: ['securityId', seenToken],
  segment: ['exchangeSegment', seenWord],
  exchange: ['exchange', seenWord],
}).transform(({ segment, ...row }) => ({ ...row, exchange: ourExchange.get(segment || row.exchange) ?? (segment || row.exchange) }));

/** A row of GET /orders -> ours. `onUnknown` hears of status words the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return mapped({
    order_id: ['orderId', idText],
    ...name,
    transaction_type: ['transactionType', side],
    order_type: ['orderType', renamed(ourType)],
    product_type: ['productType', product],
    quantity: ['quantity', quantity],
    filled_quantity: ['filledQty', quantity],
    price: ['price', rupees],
    trigger_price: ['triggerPrice', rupees],
    average_price: ['averageTradedPrice', rupees],
    status: ['orderStatus', word],
    reason: ['omsErrorDescription', note],
    tag: ['correlationId', note],
    placed_at: ['createTime', time],
  }).transform(({ reason, tag, ...row }) => {
    const state = stateOf(row.status);
    if (state === 'UNKNOWN') onUnknown('order status', row.status);
    const ended = ['REJECTED', 'CANCELLED', 'EXPIRED'].includes(state);
    return {
      ...row,
      // Dhan leaves 0 there for a while after a fill.
      average_price: row.filled_quantity > 0 && row.average_price === 0 ? null : row.average_price,
      status: statusOf(state, row.filled_quantity),
      state,
      // On a healthy order this field reads CONFIRMED.
      status_message: ended && reason !== 'CONFIRMED' ? reason : null,
      tag: tag !== null && tag !== 'NA' && !madeUpTag.test(tag) ? tag : null,
      variety: null,
    };
  });
}

const count = quantity.nullish().transform((value) => value ?? null);

/** A row of GET /positions -> ours. It has no last price; where quantities are no units it must say how many one stands for. */
export const positionRow: z.ZodType<PositionRow> = mapped({
  ...name,
  product_type: ['productType', product],
  net_quantity: ['netQty', whole],
  cost: ['costPrice', maybeRupees],
  bought: ['buyAvg', maybeRupees],
  sold: ['sellAvg', maybeRupees],
  boughtQuantity: ['buyQty', count],
  carriedLong: ['carryForwardBuyQty', count],
  carriedShort: ['carryForwardSellQty', count],
  realized_pnl: ['realizedProfit', maybeRupees],
  unrealized_pnl: ['unrealizedProfit', maybeRupees],
  multiplier: ['multiplier', decimal.nullish()],
})
  .refine((row) => row.multiplier || unitExchanges.includes(row.exchange), {
    path: ['multiplier'],
    error: 'is missing: the size of a lot is not known',
  })
  .transform(({ cost, bought, sold, boughtQuantity, carriedLong, carriedShort, multiplier, ...row }) => ({
    ...row,
    average_price: costOf({ net: row.net_quantity, cost, bought, sold, boughtQuantity, carriedLong, carriedShort }),
    last_price: null,
    multiplier: multiplier || 1,
  }));

type Costs = Record<'cost' | 'bought' | 'sold' | 'boughtQuantity' | 'carriedLong' | 'carriedShort', number | null> & { net: number };

/**
 * What one of the net cost: the average of its side. Those averages are marked to market, so of what was carried over `costPrice` tells it, except for
 * a short position that also bought, where it may be what the purchases cost. An average of 0 is none.
 */
function costOf({ net, cost, bought, sold, boughtQuantity, carriedLong, carriedShort }: Costs): number | null {
  if (net === 0) return 0;
  const [average, carried] = net > 0 ? [bought, carriedLong] : [sold, carriedShort];
  const sure = net > 0 || boughtQuantity === 0 ? cost : null;
  return (carried ? sure || average : average || sure) || null;
}

/**
 * A row of GET /holdings -> ours. Its exchange reads ALL: that a share is listed on BSE alone is not told. Only newer rows carry a last price.
 * Whether shares not yet delivered are in `availableQty` is not documented: they count, up to the whole.
 */
export const holdingRow: z.ZodType<HoldingRow> = mapped({
  ...name,
  exchange: ['exchange', exchange],
  isin: ['isin', note],
  quantity: ['totalQty', quantity],
  available: ['availableQty', quantity.nullish()],
  undelivered: ['t1Qty', quantity.nullish()],
  average_price: ['avgCostPrice', maybeRupees],
  last_price: ['lastTradedPrice', maybeRupees],
}).transform(({ available, undelivered, ...row }) => ({
  ...row,
  sellable_quantity: Math.min(row.quantity, (available ?? row.quantity) + (undelivered ?? 0)),
  pnl: null,
}));

/** A row of GET /trades -> ours. */
export const tradeRow: z.ZodType<TradeRow> = mapped({
  trade_id: ['exchangeTradeId', idText],
  order_id: ['orderId', idText],
  ...name,
  transaction_type: ['transactionType', side],
  product_type: ['productType', product],
  quantity: ['tradedQuantity', quantity],
  price: ['tradedPrice', decimal],
  traded_at: ['exchangeTime', time],
});

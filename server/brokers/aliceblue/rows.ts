import { z } from 'zod';
import { unitExchanges } from '../../../contract/words.ts';
import { parseIst } from '../../clock.ts';
import { type HoldingRow, type OrderRow, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord, withOrderId } from '../listing.ts';
import { cost, decimal, instrument, maybeRupees, note, quantity, reversed, rupees, whole, word } from '../parse.ts';
import { mapped, renamed } from '../row-map.ts';
import { plainSymbol } from './symbol.ts';
import { orderId, orderTypes, productOf, stateOf } from './wire.ts';

const listed = { tradingSymbol: word, exchange: word, instrumentId: instrument };

function identity(row: { tradingSymbol: string; exchange: string; instrumentId: string | null }) {
  return { symbol: plainSymbol(row.exchange, row.tradingSymbol), token: row.instrumentId, exchange: row.exchange };
}

/** Where any row has its name. */
export const rowName: RowName = z
  .looseObject({ tradingSymbol: seenWord, exchange: seenWord, instrumentId: seenToken })
  .extend({ nseTradingSymbol: seenWord, nseInstrumentId: seenToken, bseTradingSymbol: seenWord, bseInstrumentId: seenToken })
  .transform(({ nseTradingSymbol: nse, bseTradingSymbol: bse, ...row }) => {
    if (!nse && !bse) return identity(row);
    if (nse) return identity({ tradingSymbol: nse, exchange: 'NSE', instrumentId: row.nseInstrumentId });
    return identity({ tradingSymbol: bse, exchange: 'BSE', instrumentId: row.bseInstrumentId });
  });

/** The broker's order row with its id under our name too. */
export const withId = withOrderId(z.looseObject({ brokerOrderId: orderId }).transform((row) => row.brokerOrderId));

/** Rupees; null where the broker leaves the text empty. */
const price = z.preprocess((value) => (value === '' ? null : value), rupees);
const side = z.enum(['BUY', 'SELL']);
export const ourTypes = reversed(orderTypes);
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** IST, as `2025-05-26 14:27:43` or `26-May-2025 14:27:43`; null for anything else. */
const time = note.transform((text) => {
  const [, day, name = '', rest] = /^(\d{2})-([A-Z][a-z]{2})-(\d{4} .+)$/.exec(text ?? '') ?? [];
  const month = String(months.indexOf(name) + 1).padStart(2, '0');
  const at = parseIst(rest ? `${rest.slice(0, 4)}-${month}-${day}${rest.slice(4)}` : (text ?? ''));
  return at === null ? null : new Date(at).toISOString();
});

const noTag = ['--', 'NA'];
function tagOf(...texts: (string | null)[]): string | null {
  return texts.find((text) => text !== null && !noTag.includes(text)) ?? null;
}

/** What a change must know of the order it means. */
export const bookedOrder = z.looseObject({
  ...listed,
  brokerOrderId: orderId,
  transactionType: side,
  orderType: word,
  validity: word,
  quantity,
  filledQuantity: quantity,
  price,
  slTriggerPrice: maybeRupees,
});
export type BookedOrder = z.infer<typeof bookedOrder>;

const name = { symbol: ['tradingSymbol', word], token: ['instrumentId', instrument], exchange: ['exchange', word] } as const;

/** The name and the product of a row in our words: both go by the exchange. */
function ours<Row extends { symbol: string; exchange: string; product_type: string }>(row: Row): Row {
  return { ...row, symbol: plainSymbol(row.exchange, row.symbol), product_type: productOf(row.product_type, row.exchange) };
}

/** A row of the order book or of an order's history -> ours. `onUnknown` hears of status words the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return mapped({
    order_id: ['brokerOrderId', orderId],
    ...name,
    transaction_type: ['transactionType', side],
    order_type: ['orderType', renamed(ourTypes)],
    product_type: ['product', word],
    quantity: ['quantity', quantity],
    filled_quantity: ['filledQuantity', quantity],
    price: ['price', price],
    trigger_price: ['slTriggerPrice', maybeRupees],
    average_price: ['averageTradedPrice', maybeRupees],
    status: ['orderStatus', word],
    status_message: ['rejectionReason', note.transform((text) => text?.trim() || null)],
    tag: ['orderTag', note],
    remarks: ['remarks', note],
    validity: ['validity', note],
    variety: ['orderComplexity', note],
    placed_at: ['orderTime', time],
  }).transform(({ remarks, validity, ...row }) => {
    const state = stateOf(row.status);
    if (state === 'UNKNOWN') onUnknown('order status', row.status);
    const average_price = row.filled_quantity > 0 ? row.average_price || null : row.average_price;
    return { ...ours(row), average_price, status: statusOf(state, row.filled_quantity), state, tag: tagOf(remarks, row.tag) };
  });
}

/** A position -> ours. There is no last price in it. */
export const positionRow: z.ZodType<PositionRow> = z
  .looseObject({
    ...listed,
    product: word,
    netQuantity: whole,
    netAveragePrice: maybeRupees,
    overnightQuantity: whole.nullish(),
    overnightPrice: cost,
    dayBuyQuantity: quantity.nullish(),
    dayBuyPrice: cost,
    daySellQuantity: quantity.nullish(),
    daySellPrice: cost,
    realizedPnl: maybeRupees,
    multiplier: decimal.nullish(),
  })
  .refine(({ multiplier, exchange }) => typeof multiplier === 'number' || unitExchanges.includes(exchange), {
    path: ['multiplier'],
    error: 'must be a number',
  })
  .transform((row) => ({
    ...identity(row),
    product_type: productOf(row.product, row.exchange),
    net_quantity: row.netQuantity,
    average_price: entryPrice(row),
    last_price: null,
    realized_pnl: row.realizedPnl,
    unrealized_pnl: null,
    multiplier: row.multiplier ?? 1,
  }));

type Prices = Record<'netAveragePrice' | 'overnightPrice' | 'dayBuyPrice' | 'daySellPrice', number | null>;
type Quantities = Partial<Record<'overnightQuantity' | 'dayBuyQuantity' | 'daySellQuantity', number | null | undefined>>;

/** What an open quantity was entered at; where the broker tells no average, the price of today's or of the carried part, whichever is all there is. */
function entryPrice(row: Prices & Quantities & { netQuantity: number }): number | null {
  if (row.netQuantity === 0 || row.netAveragePrice) return row.netAveragePrice;
  const long = row.netQuantity > 0;
  const today = (long ? row.dayBuyQuantity : row.daySellQuantity) ?? 0;
  const carried = (row.overnightQuantity ?? 0) * (long ? 1 : -1);
  if (carried <= 0) return long ? row.dayBuyPrice : row.daySellPrice;
  return today === 0 ? row.overnightPrice : null;
}

/** A holding -> ours, named as on NSE where it trades there. Whether `totalQuantity` is filled varies, so what the depository holds stands in for 0. */
export const holdingRow: z.ZodType<HoldingRow> = z
  .looseObject({
    isin: note,
    nseTradingSymbol: note,
    nseInstrumentId: instrument,
    bseTradingSymbol: note,
    bseInstrumentId: instrument,
    totalQuantity: whole,
    dpQuantity: quantity,
    t1Quantity: quantity,
    sellableQty: quantity.nullish(),
    averageTradedPrice: cost,
    ltp: maybeRupees,
  })
  .transform((row, ctx) => {
    const named = row.nseTradingSymbol
      ? { tradingSymbol: row.nseTradingSymbol, exchange: 'NSE', instrumentId: row.nseInstrumentId }
      : { tradingSymbol: row.bseTradingSymbol, exchange: 'BSE', instrumentId: row.bseInstrumentId };
    const { tradingSymbol } = named;
    if (tradingSymbol === null) {
      ctx.addIssue({ code: 'custom', path: ['nseTradingSymbol'], message: 'must not be empty' });
      return z.NEVER;
    }
    const held = row.totalQuantity === 0 ? row.dpQuantity + row.t1Quantity : row.totalQuantity;
    return {
      ...identity({ ...named, tradingSymbol }),
      isin: row.isin,
      quantity: held,
      // Whether shares not yet delivered are in it is not documented: they count, up to the whole.
      sellable_quantity: Math.min(held, (row.sellableQty ?? held) + row.t1Quantity),
      average_price: row.averageTradedPrice,
      last_price: row.ltp,
      pnl: null,
    };
  });

/** A trade of the day -> ours. */
export const tradeRow: z.ZodType<TradeRow> = mapped({
  trade_id: ['exchangeTradeId', orderId],
  order_id: ['brokerOrderId', orderId],
  ...name,
  transaction_type: ['transactionType', side],
  product_type: ['product', word],
  quantity: ['filledQuantity', quantity],
  price: ['tradedPrice', decimal.refine((value) => value > 0, 'must be above 0')],
  traded_at: ['fillTimestamp', time],
}).transform(ours);

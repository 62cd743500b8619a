import { z } from 'zod';
import { parseIst } from '../../clock.ts';
import { type HoldingRow, type OrderRow, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord, withOrderId } from '../listing.ts';
import { decimal, instrument, note, quantity, reversed, rupees, whole, word } from '../parse.ts';
import { cashExchanges, orderId, orderTypes, productOf, stateOf } from './wire.ts';

/** Trading symbols of shares end in their series in some lists and not in others. */
export function plainSymbol(exchange: string, symbol: string): string {
  return cashExchanges.includes(exchange) ? symbol.replace(/-(EQ|BE|BZ|SM|ST)$/, '') : symbol;
}

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
  slTriggerPrice: price,
});
export type BookedOrder = z.infer<typeof bookedOrder>;

/** A row of the order book or of an order's history -> ours. `onUnknown` hears of status words the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return bookedOrder
    .extend({
      validity: note,
      orderStatus: word,
      rejectionReason: note,
      product: word,
      orderComplexity: note,
      averageTradedPrice: price,
      remarks: note,
      orderTag: note,
      orderTime: time,
    })
    .transform((row) => {
      const state = stateOf(row.orderStatus);
      if (state === 'UNKNOWN') onUnknown('order status', row.orderStatus);
      return {
        order_id: row.brokerOrderId,
        ...identity(row),
        transaction_type: row.transactionType,
        order_type: ourTypes.get(row.orderType) ?? row.orderType,
        product_type: productOf(row.product, row.exchange),
        quantity: row.quantity,
        filled_quantity: row.filledQuantity,
        price: row.price,
        trigger_price: row.slTriggerPrice,
        average_price: row.averageTradedPrice,
        status: statusOf(state, row.filledQuantity),
        state,
        status_message: row.rejectionReason?.trim() || null,
        tag: tagOf(row.remarks, row.orderTag),
        variety: row.orderComplexity,
        placed_at: row.orderTime,
      };
    });
}

/** A position -> ours. There is no last price in it. */
export const positionRow: z.ZodType<PositionRow> = z
  .looseObject({ ...listed, product: word, netQuantity: whole, netAveragePrice: price, realizedPnl: price, multiplier: decimal })
  .transform((row) => ({
    ...identity(row),
    product_type: productOf(row.product, row.exchange),
    net_quantity: row.netQuantity,
    average_price: row.netAveragePrice,
    last_price: null,
    realized_pnl: row.realizedPnl,
    unrealized_pnl: null,
    multiplier: row.multiplier,
  }));

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
    averageTradedPrice: price,
    ltp: price,
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
export const tradeRow: z.ZodType<TradeRow> = z
  .looseObject({
    ...listed,
    exchangeTradeId: orderId,
    brokerOrderId: orderId,
    transactionType: side,
    product: word,
    filledQuantity: quantity,
    tradedPrice: decimal,
    fillTimestamp: time,
  })
  .transform((row) => ({
    trade_id: row.exchangeTradeId,
    order_id: row.brokerOrderId,
    ...identity(row),
    transaction_type: row.transactionType,
    product_type: productOf(row.product, row.exchange),
    quantity: row.filledQuantity,
    price: row.tradedPrice,
    traded_at: row.fillTimestamp,
  }));

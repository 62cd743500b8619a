import { z } from 'zod';
import { type HoldingRow, type OrderRow, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord } from '../listing.ts';
import { averageOf, decimal, instrument, istTime, maybeRupees, note, quantity, whole, word } from '../parse.ts';
import { mapped, type RowMap } from '../row-map.ts';
import { cashExchanges, products, stateOf } from './wire.ts';

/** Trading symbols of cash rows end in their series in some lists and not in others. */
export function plainSymbol(exchange: string, symbol: string): string {
  return cashExchanges.includes(exchange) ? symbol.replace(/-(EQ|BE|BZ|SM|ST)$/, '') : symbol;
}

const name = { symbol: ['trading_symbol', word], token: ['instrument_token', instrument], exchange: ['exchange', word] } as const;

/** Both spellings of the symbol are sent while the older one lives. */
function oneSpelling(raw: unknown): unknown {
  const older = typeof raw === 'object' && raw !== null && !('trading_symbol' in raw) && 'tradingsymbol' in raw;
  return older ? { ...raw, trading_symbol: raw.tradingsymbol } : raw;
}

function row<const Map extends RowMap>(map: Map) {
  return z.preprocess(oneSpelling, mapped({ ...name, ...map }));
}

/** The name and the product of a row in our words: both go by the exchange. */
function ours<Row extends { symbol: string; exchange: string; product_type: string }>(row: Row): Row {
  return { ...row, symbol: plainSymbol(row.exchange, row.symbol), product_type: productOf(row.product_type, row.exchange) };
}

/** Where any row has its name. */
export const rowName: RowName = z
  .looseObject({ trading_symbol: seenWord, tradingsymbol: seenWord, exchange: seenWord, instrument_token: seenToken })
  .transform(({ trading_symbol, tradingsymbol, exchange, instrument_token }) => ({
    symbol: plainSymbol(exchange, trading_symbol || tradingsymbol),
    token: instrument_token,
    exchange,
  }));

function productOf(product: string, exchange: string): string {
  if (product === products.INTRADAY) return 'INTRADAY';
  if (product !== products.DELIVERY) return product;
  return cashExchanges.includes(exchange) ? 'DELIVERY' : 'CARRYFORWARD';
}

const side = z.enum(['BUY', 'SELL']);

/** What a change must know of the order it means, from GET /v2/order/details. */
export const bookedOrder = z.preprocess(
  oneSpelling,
  z.looseObject({
    trading_symbol: word,
    exchange: word,
    instrument_token: instrument,
    order_type: word,
    validity: word,
    price: decimal,
    trigger_price: decimal,
    filled_quantity: quantity,
  }),
);
export type BookedOrder = z.infer<typeof bookedOrder>;

/** A row of the order book or of an order's history -> ours. `onUnknown` hears of status words the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return row({
    order_id: ['order_id', word],
    transaction_type: ['transaction_type', side],
    order_type: ['order_type', word],
    product_type: ['product', word],
    quantity: ['quantity', quantity],
    filled_quantity: ['filled_quantity', quantity],
    price: ['price', maybeRupees],
    trigger_price: ['trigger_price', maybeRupees],
    average_price: ['average_price', maybeRupees],
    status: ['status', word],
    status_message: ['status_message', note],
    tag: ['tag', note],
    variety: ['variety', note],
    placed_at: ['order_timestamp', istTime],
  }).transform((row) => {
    const state = stateOf(row.status);
    if (state === 'UNKNOWN') onUnknown('order status', row.status);
    return { ...ours(row), status: statusOf(state, row.filled_quantity), state };
  });
}

/** A row of the positions, day and carried together -> ours. The average of what was opened today is 0 or null; those of its side are told. */
export const positionRow: z.ZodType<PositionRow> = row({
  product_type: ['product', word],
  net_quantity: ['quantity', whole],
  average_price: ['average_price', maybeRupees],
  bought_at: ['buy_price', maybeRupees],
  sold_at: ['sell_price', maybeRupees],
  last_price: ['last_price', maybeRupees],
  realized_pnl: ['realised', maybeRupees],
  unrealized_pnl: ['unrealised', maybeRupees],
  multiplier: ['multiplier', decimal],
}).transform(({ bought_at, sold_at, ...row }) => {
  const { net_quantity: net, average_price } = row;
  return ours({ ...row, average_price: averageOf(net, average_price, net > 0 ? bought_at : sold_at) });
});

/** A holding -> ours. Whether `quantity` holds the shares of yesterday is not documented: the larger of both counts no share twice. */
export const holdingRow: z.ZodType<HoldingRow> = row({
  isin: ['isin', note],
  quantity: ['quantity', whole],
  yesterdays: ['t1_quantity', quantity],
  used: ['cnc_used_quantity', quantity.nullish()],
  average_price: ['average_price', maybeRupees],
  last_price: ['last_price', maybeRupees],
  pnl: ['pnl', maybeRupees],
}).transform(({ yesterdays, used, ...row }) => {
  const held = Math.max(row.quantity, yesterdays);
  return { ...row, symbol: plainSymbol(row.exchange, row.symbol), quantity: held, sellable_quantity: held - (used ?? 0) };
});

/** A trade of the day -> ours. */
export const tradeRow: z.ZodType<TradeRow> = row({
  trade_id: ['trade_id', word],
  order_id: ['order_id', word],
  transaction_type: ['transaction_type', side],
  product_type: ['product', word],
  quantity: ['quantity', quantity],
  price: ['average_price', decimal],
  traded_at: ['exchange_timestamp', istTime],
}).transform(ours);

import { z } from 'zod';
import { type HoldingRow, type OrderRow, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord } from '../listing.ts';
import { decimal, instrument, istTime, note, quantity, rupees, whole, word } from '../parse.ts';
import { cashExchanges, products, stateOf } from './wire.ts';

/** Trading symbols of cash rows end in their series in some lists and not in others. */
export function plainSymbol(exchange: string, symbol: string): string {
  return cashExchanges.includes(exchange) ? symbol.replace(/-(EQ|BE|BZ|SM|ST)$/, '') : symbol;
}

/** Both spellings of the symbol are sent while the older one lives. */
function row<Shape extends z.ZodRawShape>(shape: Shape) {
  const listed = { trading_symbol: word, exchange: word, instrument_token: instrument };
  return z.preprocess(
    (raw) =>
      typeof raw === 'object' && raw !== null && !('trading_symbol' in raw) && 'tradingsymbol' in raw
        ? { ...raw, trading_symbol: raw.tradingsymbol }
        : raw,
    z.looseObject({ ...listed, ...shape }),
  );
}

function identity({ trading_symbol, exchange, instrument_token }: z.infer<ReturnType<typeof row<Record<never, never>>>>) {
  return { symbol: plainSymbol(exchange, trading_symbol), token: instrument_token, exchange };
}

/** Where any row has its name. */
export const rowName: RowName = z
  .looseObject({ trading_symbol: seenWord, tradingsymbol: seenWord, exchange: seenWord, instrument_token: seenToken })
  .transform((row) => identity({ ...row, trading_symbol: row.trading_symbol || row.tradingsymbol }));

function productOf(product: string, exchange: string): string {
  if (product === products.INTRADAY) return 'INTRADAY';
  if (product !== products.DELIVERY) return product;
  return cashExchanges.includes(exchange) ? 'DELIVERY' : 'CARRYFORWARD';
}

const side = z.enum(['BUY', 'SELL']);

/** What a change must know of the order it means, from GET /v2/order/details. */
export const bookedOrder = row({ order_type: word, validity: word, price: decimal, trigger_price: decimal, filled_quantity: quantity });
export type BookedOrder = z.infer<typeof bookedOrder>;

/** A row of the order book or of an order's history -> ours. `onUnknown` hears of status words the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return row({
    order_id: word,
    status: word,
    status_message: note,
    transaction_type: side,
    order_type: word,
    product: word,
    variety: note,
    quantity,
    filled_quantity: quantity,
    price: rupees,
    trigger_price: rupees,
    average_price: rupees,
    tag: note,
    order_timestamp: istTime,
  }).transform((row) => {
    const state = stateOf(row.status);
    if (state === 'UNKNOWN') onUnknown('order status', row.status);
    return {
      order_id: row.order_id,
      ...identity(row),
      transaction_type: row.transaction_type,
      order_type: row.order_type,
      product_type: productOf(row.product, row.exchange),
      quantity: row.quantity,
      filled_quantity: row.filled_quantity,
      price: row.price,
      trigger_price: row.trigger_price,
      average_price: row.average_price,
      status: statusOf(state, row.filled_quantity),
      state,
      status_message: row.status_message,
      tag: row.tag,
      variety: row.variety,
      placed_at: row.order_timestamp,
    };
  });
}

/** A row of the positions, day and carried together -> ours. */
export const positionRow: z.ZodType<PositionRow> = row({
  product: word,
  quantity: whole,
  average_price: rupees,
  last_price: rupees,
  realised: rupees,
  unrealised: rupees,
  multiplier: decimal,
}).transform((row) => ({
  ...identity(row),
  product_type: productOf(row.product, row.exchange),
  net_quantity: row.quantity,
  average_price: row.average_price,
  last_price: row.last_price,
  realized_pnl: row.realised,
  unrealized_pnl: row.unrealised,
  multiplier: row.multiplier,
}));

/** A holding -> ours. Whether `quantity` holds the shares of yesterday is not documented: the larger of both counts no share twice. */
export const holdingRow: z.ZodType<HoldingRow> = row({
  isin: note,
  quantity: whole,
  t1_quantity: quantity,
  cnc_used_quantity: quantity.nullish(),
  average_price: rupees,
  last_price: rupees,
  pnl: rupees,
}).transform((row) => ({
  ...identity(row),
  isin: row.isin,
  quantity: Math.max(row.quantity, row.t1_quantity),
  sellable_quantity: Math.max(row.quantity, row.t1_quantity) - (row.cnc_used_quantity ?? 0),
  average_price: row.average_price,
  last_price: row.last_price,
  pnl: row.pnl,
}));

/** A trade of the day -> ours. */
export const tradeRow: z.ZodType<TradeRow> = row({
  trade_id: word,
  order_id: word,
  transaction_type: side,
  product: word,
  quantity,
  average_price: decimal,
  exchange_timestamp: istTime,
}).transform((row) => ({
  trade_id: row.trade_id,
  order_id: row.order_id,
  ...identity(row),
  transaction_type: row.transaction_type,
  product_type: productOf(row.product, row.exchange),
  quantity: row.quantity,
  price: row.average_price,
  traded_at: row.exchange_timestamp,
}));

import { z } from 'zod';
import { unitExchanges } from '../../../contract/words.ts';
import { Big } from '../../money.ts';
import { type HoldingRow, type OrderRow, type OrderState, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord, withOrderId } from '../listing.ts';
import { cost, decimal, instrument, maybeRupees, note, quantity, reversed, rupees, whole, word } from '../parse.ts';
import { id, segments } from './wire.ts';

const ourExchanges = new Map([...reversed(segments), ['BU', 'BCD']]);

/** Words are compared without case: the broker writes both "By" and "by". */
const states: ReadonlyMap<string, OrderState> = new Map([
  ['fully executed', 'FILLED'],
  ['rejected by 5p', 'REJECTED'],
  ['rejected by exch', 'REJECTED'],
  ['cancelled', 'CANCELLED'],
  ['ah cancelled', 'CANCELLED'],
  ['pending', 'OPEN'],
  ['modified', 'OPEN'],
  ['placed', 'OPEN'],
  ['sl triggered', 'OPEN'],
  ['ah placed', 'OPEN'],
  ['ah modified', 'OPEN'],
  // Made out by 5paisa; it may have been refused by the exchange or not have reached it yet.
  ['xmitted', 'TRANSIT'],
]);
/** A tag of ours is also the order's id: 5paisa's own ids come late and may change. */
const ourTag = /^[a-z][a-z0-9]{15}$/;

const side = z.enum(['B', 'S'], { error: 'must be B or S' }).transform((value) => (value === 'B' ? 'BUY' : 'SELL'));
const listed = { Exch: word, ExchType: word, ScripCode: instrument };

/** `/Date(1707279047230+0530)/`: epoch milliseconds, the zone is decoration -> epoch ms; null when it is absent or has another form. */
export const epochMs = note.transform((text) => {
  const at = Number(/^\/Date\((\d{12,14})([+-]\d{4})?\)\/$/.exec(text ?? '')?.[1] ?? Number.NaN);
  return Number.isNaN(at) ? null : at;
});
/** The same -> ISO text, UTC. */
const time = epochMs.transform((at) => (at === null ? null : new Date(at).toISOString()));

export function exchangeOf(row: { Exch: string; ExchType: string }): string {
  if (row.Exch === '' || row.ExchType === '') return '';
  return ourExchanges.get(row.Exch + row.ExchType) ?? `${row.Exch} ${row.ExchType}`;
}

/** Where any row has its name. */
export const rowName: RowName = z
  .looseObject({ Exch: seenWord, ExchType: seenWord, ScripName: seenWord, Symbol: seenWord })
  .extend({ ScripCode: seenToken, NseCode: seenToken, BseCode: seenToken })
  .transform((row) => ({
    symbol: row.ScripName || row.Symbol,
    token: row.ScripCode ?? (row.Exch === 'B' ? row.BseCode : row.NseCode),
    exchange: exchangeOf(row),
  }));

function productOf(letter: string, row: { ExchType: string }): string {
  if (letter !== 'D') return letter === 'I' ? 'INTRADAY' : letter;
  return row.ExchType === 'C' ? 'DELIVERY' : 'CARRYFORWARD';
}

/** The exchange's order number, or null while there is none: 5paisa then writes 0 or nothing. */
const exchangeId = z
  .union([z.string(), z.int().min(0)], { error: 'must be an order id' })
  .nullish()
  .transform((value) => (/^0*$/.test(String(value ?? '')) ? null : String(value)));

/** A row of the order book as far as a change must know it. */
export const bookedOrder = z
  .looseObject({
    ...listed,
    BrokerOrderId: id,
    ExchOrderID: exchangeId,
    RemoteOrderID: note,
    ScripName: word,
    BuySell: side,
    Qty: quantity,
    TradedQty: quantity,
    Rate: decimal,
    SLTriggerRate: decimal,
    DisClosedQty: quantity.nullish(),
    AtMarket: note,
  })
  .transform((row) => ({ ...row, orderId: orderIdOf(row) }));
export type BookedOrder = z.infer<typeof bookedOrder>;

/** Our tag, else the exchange's number, else 5paisa's. */
function orderIdOf(row: { RemoteOrderID: string | null; ExchOrderID: string | null; BrokerOrderId: string }): string {
  if (row.RemoteOrderID !== null && ourTag.test(row.RemoteOrderID)) return row.RemoteOrderID;
  return row.ExchOrderID ?? row.BrokerOrderId;
}

/** The broker's order row with its id under our name too. */
export const withId = withOrderId(z.looseObject({ BrokerOrderId: id, ExchOrderID: exchangeId, RemoteOrderID: note }).transform(orderIdOf));

/** What a frame of the order stream names: our order id, null when it does not tell. Trades come without 5paisa's own number. */
export const toldOrder = z
  .looseObject({ RemoteOrderId: note, ExchOrderID: exchangeId, BrokerOrderID: id.nullish() })
  .transform((frame) => orderIdOf({ ...frame, RemoteOrderID: frame.RemoteOrderId, BrokerOrderId: frame.BrokerOrderID ?? '' }) || null);

/** A row of the order book -> ours. `onUnknown` hears of state words the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  const schema = z.looseObject({
    ...listed,
    BrokerOrderId: id,
    ExchOrderID: exchangeId,
    RemoteOrderID: note,
    ScripName: word,
    BuySell: side,
    DelvIntra: word,
    OrderStatus: word,
    Qty: quantity,
    TradedQty: quantity,
    AveragePrice: rupees,
    Rate: rupees,
    SLTriggerRate: rupees,
    SLTriggered: note,
    AtMarket: note,
    Reason: note,
    BrokerOrderTime: time,
  });
  function stateOf(row: z.infer<typeof schema>): OrderState {
    const status = row.OrderStatus.toLowerCase();
    const state = states.get(status) ?? 'UNKNOWN';
    if (state === 'UNKNOWN') onUnknown('order status', row.OrderStatus);
    if (state !== 'OPEN' || status.startsWith('ah ')) return state;
    if (row.ExchOrderID === null) return 'TRANSIT';
    const triggered = row.SLTriggered === 'Y' || status === 'sl triggered' || row.TradedQty > 0;
    return Number(row.SLTriggerRate) > 0 && !triggered ? 'TRIGGER_PENDING' : 'OPEN';
  }
  return schema.transform((row) => {
    const state = stateOf(row);
    const stop = Number(row.SLTriggerRate) > 0;
    return {
      order_id: orderIdOf(row),
      symbol: row.ScripName,
      token: row.ScripCode,
      exchange: exchangeOf(row),
      transaction_type: row.BuySell,
      order_type: row.AtMarket === 'Y' ? (stop ? 'SL-M' : 'MARKET') : stop ? 'SL' : 'LIMIT',
      product_type: productOf(row.DelvIntra, row),
      quantity: row.Qty,
      filled_quantity: row.TradedQty,
      price: row.Rate,
      trigger_price: row.SLTriggerRate,
      // Before the first fill 5paisa may show the order's own price here.
      average_price: row.TradedQty === 0 ? 0 : row.AveragePrice || null,
      status: statusOf(state, row.TradedQty),
      state,
      status_message: row.Reason,
      tag: row.RemoteOrderID,
      variety: null,
      placed_at: row.BrokerOrderTime,
    };
  });
}

/** A row of the trade book -> ours. `orderIds` knows the order of an exchange's order number where the row itself does not name it. */
export function tradeSchema(orderIds: ReadonlyMap<string, string>): z.ZodType<TradeRow> {
  return tradeOrder
    .extend({ ...listed, ExchangeTradeID: id, ScripName: word, BuySell: side, DelvIntra: word, Qty: quantity })
    .extend({ Rate: decimal.refine((value) => value > 0, 'must be above 0') })
    .extend({ ExchangeTradeTime: time })
    .transform((row) => ({
      trade_id: row.ExchangeTradeID,
      order_id: ourTag.test(row.RemoteOrderID ?? '') ? String(row.RemoteOrderID) : (orderIds.get(row.ExchOrderID) ?? row.ExchOrderID),
      symbol: row.ScripName,
      token: row.ScripCode,
      exchange: exchangeOf(row),
      transaction_type: row.BuySell,
      product_type: productOf(row.DelvIntra, row),
      quantity: row.Qty,
      price: row.Rate,
      traded_at: row.ExchangeTradeTime,
    }));
}
/** What a trade row says of its order. */
export const tradeOrder = z.looseObject({ ExchOrderID: id, RemoteOrderID: note });

/** A row of the net positions -> ours. Whether a short is negative is not documented: a row whose day's trades say the opposite is refused. */
export const positionRow: z.ZodType<PositionRow> = z
  .looseObject({
    ...listed,
    ScripName: word,
    OrderFor: word,
    NetQty: whole,
    BodQty: whole,
    BODPositionPrice: cost,
    BuyQty: quantity,
    BuyAvgRate: cost,
    SellQty: quantity,
    SellAvgRate: cost,
    LTP: maybeRupees,
    BookedPL: maybeRupees,
    MTOM: maybeRupees,
    Multiplier: decimal.nullish(),
  })
  .refine((row) => typeof row.Multiplier === 'number' || unitExchanges.includes(exchangeOf(row)), {
    path: ['Multiplier'],
    error: 'must be a number',
  })
  .refine((row) => row.BodQty !== 0 || (row.BuyQty - row.SellQty) * row.NetQty >= 0, {
    path: ['NetQty'],
    error: 'does not agree with BuyQty and SellQty',
  })
  .transform(({ Multiplier: multiplier, ...row }) => ({
    symbol: row.ScripName,
    token: row.ScripCode,
    exchange: exchangeOf(row),
    product_type: productOf(row.OrderFor, row),
    net_quantity: row.NetQty,
    average_price: entryPrice(row),
    last_price: row.LTP,
    // Whether these amounts count the multiplier already is not documented.
    realized_pnl: (multiplier ?? 1) === 1 ? row.BookedPL : null,
    unrealized_pnl: (multiplier ?? 1) === 1 ? row.MTOM : null,
    multiplier: multiplier ?? 1,
  }));

type Entered = Record<'NetQty' | 'BodQty' | 'BuyQty' | 'SellQty', number> &
  Record<'BODPositionPrice' | 'BuyAvgRate' | 'SellAvgRate', number | null>;

/** What the open quantity was entered at, carried part and today's together; null when a price is missing. */
function entryPrice(row: Entered): number | null {
  if (row.NetQty === 0) return 0;
  const [today, rate] = row.NetQty > 0 ? [row.BuyQty, row.BuyAvgRate] : [row.SellQty, row.SellAvgRate];
  const carried = row.BodQty * row.NetQty > 0 ? Math.abs(row.BodQty) : 0;
  if (carried === 0) return rate;
  if (row.BODPositionPrice === null || (today > 0 && rate === null)) return null;
  const value = new Big(row.BODPositionPrice).times(carried).plus(new Big(rate ?? 0).times(today));
  return Number(
    value
      .div(carried + today)
      .round(4)
      .toFixed(),
  );
}

/** A row of the holdings -> ours. */
export const holdingRow: z.ZodType<HoldingRow> = z
  .looseObject({
    Exch: word,
    ExchType: word,
    NseCode: instrument,
    BseCode: instrument,
    Symbol: word,
    Quantity: quantity,
    AvgRate: cost,
    CurrentPrice: maybeRupees,
  })
  .transform((row) => ({
    symbol: row.Symbol,
    token: row.Exch === 'B' ? row.BseCode : row.NseCode,
    exchange: exchangeOf(row),
    isin: null,
    quantity: row.Quantity,
    sellable_quantity: row.Quantity,
    average_price: row.AvgRate,
    last_price: row.CurrentPrice,
    pnl:
      row.AvgRate === null || row.CurrentPrice === null
        ? null
        : Number(new Big(row.CurrentPrice).minus(row.AvgRate).times(row.Quantity).round(4).toFixed()),
  }));

import { z } from 'zod';
import type { Exchange, OrderType, ProductType, TransactionType, Variety } from '../../../contract/words.ts';
import { parseIst } from '../../clock.ts';
import { Big } from '../../money.ts';
import { type HoldingRow, type OrderRow, type OrderState, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord, withOrderId } from '../listing.ts';
import { decimal, instrument, maybeRupees, note, quantity, reversed, whole, word } from '../parse.ts';
import { mapped, renamed } from '../row-map.ts';

/** Kotak Neo's words for ours. */
export const segments = {
  NSE: 'nse_cm',
  BSE: 'bse_cm',
  NFO: 'nse_fo',
  BFO: 'bse_fo',
  MCX: 'mcx_fo',
  CDS: 'cde_fo',
} as const satisfies Record<Exchange, string>;
export const sides = { BUY: 'B', SELL: 'S' } as const satisfies Record<TransactionType, string>;
export const orderTypes = { MARKET: 'MKT', LIMIT: 'L', SL: 'SL', 'SL-M': 'SL-M' } as const satisfies Record<OrderType, string>;
export const products = { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' } as const satisfies Record<ProductType, string>;
/** The after-market flag; a stop is said by the order type alone. */
export const afterMarket = { NORMAL: 'NO', STOPLOSS: 'NO', AMO: 'YES' } as const satisfies Record<Variety, string>;

/** An order being changed or cancelled rests at the exchange; one only requested or validated has not reached it. */
const states: Readonly<Record<string, OrderState>> = {
  complete: 'FILLED',
  traded: 'FILLED',
  rejected: 'REJECTED',
  cancelled: 'CANCELLED',
  'cancelled after market order': 'CANCELLED',
  open: 'OPEN',
  modified: 'OPEN',
  'modify pending': 'OPEN',
  'modify validation pending': 'OPEN',
  'cancel pending': 'OPEN',
  'trigger pending': 'TRIGGER_PENDING',
  'put order req received': 'TRANSIT',
  'validation pending': 'TRANSIT',
  'open pending': 'TRANSIT',
  // Held by the broker until the market opens: it rests, and polling on would learn nothing before then.
  'after market order req received': 'OPEN',
  'modify after market order req received': 'OPEN',
};

export function stateOf(ordSt: string): OrderState {
  const text = ordSt.trim().toLowerCase();
  return (Object.hasOwn(states, text) ? states[text] : undefined) ?? 'UNKNOWN';
}

/** Still held for the next session: changing or cancelling it needs the after-market flag. */
export function isHeldAfterMarket(ordSt: string): boolean {
  return /^(modify )?after market order req received$/i.test(ordSt.trim());
}

/** Text, or a number small enough to have lost no digit. */
export const orderNumber = z.union([word, z.int().transform(String)], { error: 'must be an order number' });

const side = z.enum(['B', 'S']);
export const ourExchanges = reversed(segments);
export const ourProducts = reversed(products);
export const ourOrderTypes = reversed(orderTypes);
export const listed = { trdSym: word, exSeg: word, tok: instrument };

export function identity(row: { trdSym: string; exSeg: string; tok: string | null }) {
  return { symbol: row.trdSym, token: row.tok, exchange: ourExchanges.get(row.exSeg) ?? row.exSeg };
}

/** Holdings name a share of the NSE without its series. */
function seriesName(symbol: string, segment: string, series: string | null): string {
  return segment === segments.NSE && symbol !== '' && !symbol.includes('-') ? `${symbol}-${series ?? 'EQ'}` : symbol;
}

/** Where any row has its name. */
export const rowName: RowName = z
  .looseObject({ trdSym: seenWord, exSeg: seenWord, tok: seenToken })
  .extend({ symbol: seenWord, series: note.catch(null), exchangeSegment: seenWord, exchangeIdentifier: seenToken })
  .transform((row) =>
    identity({
      trdSym: row.trdSym || seriesName(row.symbol, row.exchangeSegment, row.series),
      exSeg: row.exSeg || row.exchangeSegment,
      tok: row.tok ?? row.exchangeIdentifier,
    }),
  );

/** The broker's order row with its id under our name too. */
export const withId = withOrderId(z.looseObject({ nOrdNo: orderNumber }).transform(({ nOrdNo }) => nOrdNo));

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `22-Jan-2025 14:28:01` in India -> ISO text, UTC; null for anything else. */
function kotakTime(text: string | null): string | null {
  const [, day, name = '', year, time] = /^(\d{2})-([A-Z][a-z]{2})-(\d{4}) (\d{2}:\d{2}:\d{2})$/.exec(text?.trim() ?? '') ?? [];
  const month = String(monthNames.indexOf(name) + 1).padStart(2, '0');
  const at = parseIst(`${year}-${month}-${day} ${time}`);
  return at === null ? null : new Date(at).toISOString();
}

/** A reason text; Kotak writes dashes for none. */
const reason = note.transform((text) => (text === null || /^-*$/.test(text.trim()) ? null : text));

/** Our own tag stands alone, or before the time a cancel adds. What a modify puts there was generated and says nothing. */
function tagOf(guiOrdId: string | null): string | null {
  if (guiOrdId === null || guiOrdId.endsWith('-ADMINAPI')) return null;
  return /^([a-z][a-z0-9]{15})-\d+$/i.exec(guiOrdId)?.[1] ?? guiOrdId;
}

const product = renamed(ourProducts);
const name = { symbol: ['trdSym', word], token: ['tok', instrument], exchange: ['exSeg', renamed(ourExchanges)] } as const;
const ourSide = side.transform((text) => (text === 'B' ? 'BUY' : 'SELL'));

/** A row of the order report -> ours. `onUnknown` hears of status words the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return mapped({
    order_id: ['nOrdNo', orderNumber],
    ...name,
    transaction_type: ['trnsTp', ourSide],
    order_type: ['prcTp', renamed(ourOrderTypes)],
    product_type: ['prod', product],
    quantity: ['qty', quantity],
    filled_quantity: ['fldQty', quantity],
    price: ['prc', maybeRupees],
    trigger_price: ['trgPrc', maybeRupees],
    average_price: ['avgPrc', maybeRupees],
    status: ['ordSt', word],
    status_message: ['rejRsn', reason],
    tag: ['GuiOrdId', note.transform(tagOf)],
    placed_at: ['ordEntTm', note.transform(kotakTime)],
  }).transform((row) => {
    const state = stateOf(row.status);
    if (state === 'UNKNOWN') onUnknown('order status', row.status);
    return { ...row, status: statusOf(state, row.filled_quantity), state, variety: null };
  });
}

/** What a change or cancellation must know of the order it means, as Kotak has it booked. */
export const bookedOrder = z.looseObject({
  ...listed,
  nOrdNo: orderNumber,
  ordSt: word,
  trnsTp: side,
  prcTp: word,
  prod: word,
  qty: quantity,
  fldQty: quantity,
  dscQty: quantity.nullish(),
  prc: decimal,
  trgPrc: decimal,
  vldt: note,
});
export type BookedOrder = z.infer<typeof bookedOrder>;

/** When the contract of a row ends, epoch ms, the day itself included; null for what has no end, or none told. */
export function expiryOf(raw: unknown): number | null {
  const seconds = z.looseObject({ exp: quantity }).safeParse(raw).data?.exp;
  return seconds ? seconds * 1_000 + DAY_MS : null;
}
const DAY_MS = 86_400_000;

/** A row of the holdings -> ours. The symbol is written as in orders; `exchangeIdentifier` is the token of orders and quotes. */
export const holdingRow: z.ZodType<HoldingRow> = z
  .looseObject({
    symbol: word,
    series: note,
    exchangeSegment: word,
    exchangeIdentifier: instrument,
    quantity: whole,
    sellableQuantity: quantity.nullish(),
    averagePrice: maybeRupees,
    holdingCost: maybeRupees,
    mktValue: maybeRupees,
  })
  .transform((row) => ({
    symbol: seriesName(row.symbol, row.exchangeSegment, row.series),
    token: row.exchangeIdentifier,
    exchange: ourExchanges.get(row.exchangeSegment) ?? row.exchangeSegment,
    isin: null,
    quantity: row.quantity,
    sellable_quantity: row.sellableQuantity ?? row.quantity,
    average_price: row.averagePrice,
    last_price: null,
    pnl: row.mktValue === null || row.holdingCost === null ? null : Number(new Big(row.mktValue).minus(row.holdingCost).toFixed()),
  }));

/** A row of the trade report -> ours. The quantity of an execution is `fldQty`; `qty` is 0 there. */
export const tradeRow: z.ZodType<TradeRow> = mapped({
  trade_id: ['flId', word],
  order_id: ['nOrdNo', orderNumber],
  ...name,
  transaction_type: ['trnsTp', ourSide],
  product_type: ['prod', product],
  quantity: ['fldQty', quantity],
  price: ['avgPrc', decimal],
  day: ['flDt', note],
  time: ['flTm', note],
}).transform(({ day, time, ...row }) => ({ ...row, traded_at: kotakTime(`${day} ${time}`) }));

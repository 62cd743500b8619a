import { z } from 'zod';
import type { Exchange, OrderType, ProductType, TransactionType, Variety } from '../../../contract/words.ts';
import { type HoldingRow, type OrderRow, type OrderState, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord } from '../listing.ts';
import { averageOf, decimal, instrument, istTime, maybeRupees, note, quantity, reversed, whole, word } from '../parse.ts';
import { mapped, renamed } from '../row-map.ts';

/** Kite's words for ours. */
export const exchanges = { NSE: 'NSE', BSE: 'BSE', NFO: 'NFO', BFO: 'BFO', MCX: 'MCX', CDS: 'CDS' } as const satisfies Record<
  Exchange,
  string
>;
export const sides = { BUY: 'BUY', SELL: 'SELL' } as const satisfies Record<TransactionType, string>;
export const orderTypes = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SL-M' } as const satisfies Record<OrderType, string>;
export const products = { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' } as const satisfies Record<ProductType, string>;
/** A stop is said by the order type, not by the variety. */
export const varieties = { NORMAL: 'regular', STOPLOSS: 'regular', AMO: 'amo' } as const satisfies Record<Variety, string>;

/** An order being changed or cancelled rests at the exchange; one only requested or validated has not reached it. */
const states: Readonly<Record<string, OrderState>> = {
  COMPLETE: 'FILLED',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELLED',
  OPEN: 'OPEN',
  UPDATE: 'OPEN',
  MODIFIED: 'OPEN',
  'NOT MODIFIED': 'OPEN',
  'MODIFY VALIDATION PENDING': 'OPEN',
  'MODIFY PENDING': 'OPEN',
  'CANCEL PENDING': 'OPEN',
  'TRIGGER PENDING': 'TRIGGER_PENDING',
  'PUT ORDER REQ RECEIVED': 'TRANSIT',
  'VALIDATION PENDING': 'TRANSIT',
  'OPEN PENDING': 'TRANSIT',
  // Held by the broker until the market opens: it rests, and polling on would learn nothing before then.
  'AMO REQ RECEIVED': 'OPEN',
};

/** The state behind a status word. Words such as CANCELLED AMO are final by how they begin. */
export function stateOf(status: string): OrderState {
  const text = status.trim().toUpperCase();
  const known = Object.hasOwn(states, text) ? states[text] : undefined;
  if (known) return known;
  if (/^REJECTED\b/.test(text)) return 'REJECTED';
  return /^CANCELLED\b/.test(text) ? 'CANCELLED' : 'UNKNOWN';
}

/** Body of every answer. */
export const envelope = z.discriminatedUnion('status', [
  z.looseObject({ status: z.literal('success'), data: z.unknown() }),
  z.looseObject({ status: z.literal('error'), message: z.string(), error_type: z.string().nullish() }),
]);
export type KiteError = Extract<z.infer<typeof envelope>, { status: 'error' }>;

/** Texts of the refusal of an unregistered address; its type and status differ between sources. */
const addressRefused = /no ips configured|is not allowed to place orders for this app|allowed ips/i;

/** Whether an error answer to a placement, change or cancellation says for certain that nothing was done. */
export function isDefinite(status: number, error: KiteError): boolean {
  if (status === 400 || status === 429) return true;
  if (status === 403 && ['TokenException', 'PermissionException'].includes(error.error_type ?? '')) return true;
  return addressRefused.test(error.message);
}

export function isExpired(status: number, error: KiteError): boolean {
  return status === 403 && error.error_type === 'TokenException';
}

export const orderAnswer = z.looseObject({ order_id: word });
export const profile = z.looseObject({ user_id: word });
export const session = z.looseObject({ user_id: word, access_token: word });
export const netPositions = z.looseObject({ net: z.array(z.unknown()) });
export const lastPrices = z.record(z.string(), z.looseObject({ last_price: decimal }));
/** What a change or cancellation must know of the order it means. */
export const bookedOrder = z.looseObject({ order_id: word, variety: word, order_type: word, exchange: word, tradingsymbol: word });

const ourTag = /^[a-z][a-z0-9]{15}$/i;
const kiteTag = /^(mktp|autoslice)(:|$)/;

/** Ours wherever it stands; else whatever tag a person or another program gave; Kite's own marks are none. */
function tagOf(tag: string | null, tags: readonly string[]): string | null {
  const all = tag === null ? tags : [tag, ...tags];
  return all.find((text) => ourTag.test(text)) ?? all.find((text) => text !== '' && !kiteTag.test(text)) ?? null;
}

const ourProducts = reversed(products);
const side = z.enum(['BUY', 'SELL']);
const product = renamed(ourProducts);
const name = { symbol: ['tradingsymbol', word], token: ['instrument_token', instrument], exchange: ['exchange', word] } as const;

/** Where any row has its name. */
export const rowName: RowName = mapped({
  symbol: ['tradingsymbol', seenWord],
  token: ['instrument_token', seenToken],
  exchange: ['exchange', seenWord],
});

/** A row of GET /orders -> ours. `onUnknown` hears of status words the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return mapped({
    order_id: ['order_id', word],
    ...name,
    transaction_type: ['transaction_type', side],
    order_type: ['order_type', word],
    product_type: ['product', product],
    quantity: ['quantity', quantity],
    filled_quantity: ['filled_quantity', quantity],
    price: ['price', maybeRupees],
    trigger_price: ['trigger_price', maybeRupees],
    average_price: ['average_price', maybeRupees],
    status: ['status', word],
    status_message: ['status_message', note],
    tag: ['tag', note],
    tags: ['tags', z.array(z.string()).nullish()],
    variety: ['variety', note],
    placed_at: ['order_timestamp', istTime],
  }).transform(({ tags, ...row }) => {
    const state = stateOf(row.status);
    if (state === 'UNKNOWN') onUnknown('order status', row.status);
    return { ...row, status: statusOf(state, row.filled_quantity), state, tag: tagOf(row.tag, tags ?? []) };
  });
}

/** A `net` row of GET /portfolio/positions -> ours. */
export const positionRow: z.ZodType<PositionRow> = mapped({
  ...name,
  product_type: ['product', product],
  net_quantity: ['quantity', whole],
  average_price: ['average_price', maybeRupees],
  last_price: ['last_price', maybeRupees],
  realized_pnl: ['realised', maybeRupees],
  unrealized_pnl: ['unrealised', maybeRupees],
  multiplier: ['multiplier', decimal],
}).transform((row) => ({ ...row, average_price: averageOf(row.net_quantity, row.average_price) }));

/** A holding -> ours. Kite counts shares not yet delivered beside `quantity`. */
export const holdingRow: z.ZodType<HoldingRow> = mapped({
  ...name,
  isin: ['isin', note],
  quantity: ['quantity', whole],
  undelivered: ['t1_quantity', quantity],
  average_price: ['average_price', maybeRupees],
  last_price: ['last_price', maybeRupees],
  pnl: ['pnl', maybeRupees],
}).transform(({ undelivered, ...row }) => ({
  ...row,
  quantity: row.quantity + undelivered,
  sellable_quantity: row.quantity + undelivered,
}));

/** A row of GET /trades -> ours. */
export const tradeRow: z.ZodType<TradeRow> = mapped({
  trade_id: ['trade_id', word],
  order_id: ['order_id', word],
  ...name,
  transaction_type: ['transaction_type', side],
  product_type: ['product', product],
  quantity: ['quantity', quantity],
  price: ['average_price', decimal],
  traded_at: ['fill_timestamp', istTime],
});

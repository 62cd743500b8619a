import { z } from 'zod';
import type { Exchange, OrderType, ProductType, TransactionType, Variety } from '../../../contract/words.ts';
import { type HoldingRow, type OrderRow, type OrderState, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord } from '../listing.ts';
import { decimal, instrument, istTime, note, quantity, reversed, rupees, whole, word } from '../parse.ts';

/** Kite's words for ours. */
export const exchanges = { NSE: 'NSE', BSE: 'BSE', NFO: 'NFO', MCX: 'MCX', CDS: 'CDS' } as const satisfies Record<Exchange, string>;
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
const listed = { tradingsymbol: word, exchange: word, instrument_token: instrument };

function identity(row: { tradingsymbol: string; exchange: string; instrument_token: string | null }) {
  return { symbol: row.tradingsymbol, token: row.instrument_token, exchange: row.exchange };
}

/** Where any row has its name. */
export const rowName: RowName = z
  .looseObject({ tradingsymbol: seenWord, exchange: seenWord, instrument_token: seenToken })
  .transform(identity);

/** A row of GET /orders -> ours. `onUnknown` hears of status words the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return z
    .looseObject({
      ...listed,
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
      tags: z.array(z.string()).nullish(),
      order_timestamp: istTime,
    })
    .transform((row) => {
      const state = stateOf(row.status);
      if (state === 'UNKNOWN') onUnknown('order status', row.status);
      return {
        order_id: row.order_id,
        ...identity(row),
        transaction_type: row.transaction_type,
        order_type: row.order_type,
        product_type: ourProducts.get(row.product) ?? row.product,
        quantity: row.quantity,
        filled_quantity: row.filled_quantity,
        price: row.price,
        trigger_price: row.trigger_price,
        average_price: row.average_price,
        status: statusOf(state, row.filled_quantity),
        state,
        status_message: row.status_message,
        tag: tagOf(row.tag, row.tags ?? []),
        variety: row.variety,
        placed_at: row.order_timestamp,
      };
    });
}

/** A `net` row of GET /portfolio/positions -> ours. */
export const positionRow: z.ZodType<PositionRow> = z
  .looseObject({
    ...listed,
    product: word,
    quantity: whole,
    average_price: rupees,
    last_price: rupees,
    realised: rupees,
    unrealised: rupees,
    multiplier: decimal,
  })
  .transform((row) => ({
    ...identity(row),
    product_type: ourProducts.get(row.product) ?? row.product,
    net_quantity: row.quantity,
    average_price: row.average_price,
    last_price: row.last_price,
    realized_pnl: row.realised,
    unrealized_pnl: row.unrealised,
    multiplier: row.multiplier,
  }));

/** A row of GET /portfolio/holdings -> ours. Kite counts shares not yet delivered beside `quantity`. */
export const holdingRow: z.ZodType<HoldingRow> = z
  .looseObject({ ...listed, isin: note, quantity: whole, t1_quantity: quantity, average_price: rupees, last_price: rupees, pnl: rupees })
  .transform((row) => ({
    ...identity(row),
    isin: row.isin,
    quantity: row.quantity + row.t1_quantity,
    sellable_quantity: row.quantity + row.t1_quantity,
    average_price: row.average_price,
    last_price: row.last_price,
    pnl: row.pnl,
  }));

/** A row of GET /trades -> ours. */
export const tradeRow: z.ZodType<TradeRow> = z
  .looseObject({
    ...listed,
    trade_id: word,
    order_id: word,
    transaction_type: side,
    product: word,
    quantity,
    average_price: decimal,
    fill_timestamp: istTime,
  })
  .transform((row) => ({
    trade_id: row.trade_id,
    order_id: row.order_id,
    ...identity(row),
    transaction_type: row.transaction_type,
    product_type: ourProducts.get(row.product) ?? row.product,
    quantity: row.quantity,
    price: row.average_price,
    traded_at: row.fill_timestamp,
  }));

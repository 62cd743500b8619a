import { z } from 'zod';
import type { Exchange, OrderType, ProductType, TransactionType } from '../../../contract/words.ts';
import { type HoldingRow, type OrderRow, type OrderState, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { decimal, note, quantity, reversed, whole, word } from '../parse.ts';

/** The made-up broker's words for ours. */
export const exchanges = { NSE: 'n', BSE: 'b', NFO: 'nf', BFO: 'bf', MCX: 'm', CDS: 'c' } as const satisfies Record<Exchange, string>;
export const sides = { BUY: 'in', SELL: 'out' } as const satisfies Record<TransactionType, string>;
export const orderTypes = { MARKET: 'now', LIMIT: 'at', SL: 'stop-at', 'SL-M': 'stop-now' } as const satisfies Record<OrderType, string>;
export const products = { INTRADAY: 'day', DELIVERY: 'keep', CARRYFORWARD: 'carry' } as const satisfies Record<ProductType, string>;

const states: Readonly<Record<string, OrderState>> = {
  sent: 'TRANSIT',
  resting: 'OPEN',
  armed: 'TRIGGER_PENDING',
  done: 'FILLED',
  refused: 'REJECTED',
  withdrawn: 'CANCELLED',
  lapsed: 'EXPIRED',
};

/** Body of every answer: `is` what was asked for, or `why` not. */
export const envelope = z.discriminatedUnion('ok', [
  z.looseObject({ ok: z.literal(true), is: z.unknown() }),
  z.looseObject({ ok: z.literal(false), why: z.string(), final: z.boolean() }),
]);
export const session = z.looseObject({ client: word, pass: word, until: z.int() });
export const placed = z.looseObject({ ref: word });

const ours = { exchange: reversed(exchanges), side: reversed(sides), type: reversed(orderTypes), product: reversed(products) };
const instant = z.int().transform((at) => new Date(at).toISOString());
const named = { name: word, number: word, market: word };
const identity = (row: { name: string; number: string; market: string }) => ({
  symbol: row.name,
  token: row.number,
  exchange: ours.exchange.get(row.market) ?? row.market,
});
const productOf = (text: string) => ours.product.get(text) ?? text;
const sideOf = z.enum(['in', 'out']).transform((text) => (text === 'in' ? 'BUY' : 'SELL'));

export const orderRow: z.ZodType<OrderRow> = z
  .looseObject({
    ...named,
    ref: word,
    way: sideOf,
    kind: word,
    product: word,
    count: quantity,
    traded: quantity,
    price: decimal,
    trigger: decimal,
    average: decimal,
    state: word,
    why: note,
    mark: note,
    at: instant,
  })
  .transform((row) => {
    const state = states[row.state] ?? 'UNKNOWN';
    return {
      order_id: row.ref,
      ...identity(row),
      transaction_type: row.way,
      order_type: ours.type.get(row.kind) ?? row.kind,
      product_type: productOf(row.product),
      quantity: row.count,
      filled_quantity: row.traded,
      price: row.price,
      trigger_price: row.trigger,
      average_price: row.traded > 0 ? row.average : null,
      status: statusOf(state, row.traded),
      state,
      status_message: row.why,
      tag: row.mark,
      variety: null,
      placed_at: row.at,
    };
  });

export const positionRow: z.ZodType<PositionRow> = z
  .looseObject({ ...named, product: word, net: whole, average: decimal, last: decimal, realised: decimal, units: decimal })
  .transform((row) => ({
    ...identity(row),
    product_type: productOf(row.product),
    net_quantity: row.net,
    average_price: row.net === 0 ? null : row.average,
    last_price: row.last,
    realized_pnl: row.realised,
    unrealized_pnl: null,
    multiplier: row.units,
  }));

export const holdingRow: z.ZodType<HoldingRow> = z
  .looseObject({ ...named, count: quantity, average: decimal, last: decimal })
  .transform((row) => ({
    ...identity(row),
    isin: null,
    quantity: row.count,
    sellable_quantity: row.count,
    average_price: row.average,
    last_price: row.last,
    pnl: null,
  }));

export const tradeRow: z.ZodType<TradeRow> = z
  .looseObject({ ...named, id: word, ref: word, way: sideOf, product: word, count: quantity, price: decimal, at: instant })
  .transform((row) => ({
    trade_id: row.id,
    order_id: row.ref,
    ...identity(row),
    transaction_type: row.way,
    product_type: productOf(row.product),
    quantity: row.count,
    price: row.price,
    traded_at: row.at,
  }));

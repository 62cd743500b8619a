import { z } from 'zod';
import type { Exchange, OrderType, ProductType, TransactionType } from '../../../contract/words.ts';
import { type HoldingRow, type OrderRow, type OrderState, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenWord } from '../listing.ts';
import { decimal, istTime, note, quantity, reversed, rupees, whole, word } from '../parse.ts';

export type Segment = 'CASH' | 'FNO';

/** Our exchanges Groww takes no orders on, and why. */
export const notTraded = {
  MCX: "MCX is not traded here: Groww's documents contradict each other on commodity orders over the API and do not say whether a quantity counts lots or units",
  CDS: 'CDS is not traded here: Groww does not trade it',
} as const satisfies Partial<Record<Exchange, string>>;
/** The exchange by which it trades the others; the segment says the rest. */
export const exchanges = { NSE: 'NSE', BSE: 'BSE', NFO: 'NSE', BFO: 'BSE' } as const satisfies Record<
  Exclude<Exchange, keyof typeof notTraded> | 'BFO',
  string
>;
export const segmentOf = ({ exchange }: { exchange: string }): Segment => (['NFO', 'BFO'].includes(exchange) ? 'FNO' : 'CASH');
export const sides = { BUY: 'BUY', SELL: 'SELL' } as const satisfies Record<TransactionType, string>;
export const orderTypes = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SL_M' } as const satisfies Record<OrderType, string>;
export const products = { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' } as const satisfies Record<ProductType, string>;

/** Only APPROVED and OPEN say that the exchange has the order; OPEN stands in Groww's examples, not in its list of states. */
const states: Readonly<Record<string, OrderState>> = {
  NEW: 'TRANSIT',
  ACKED: 'TRANSIT',
  APPROVED: 'OPEN',
  OPEN: 'OPEN',
  MODIFICATION_REQUESTED: 'OPEN',
  CANCELLATION_REQUESTED: 'OPEN',
  TRIGGER_PENDING: 'TRIGGER_PENDING',
  EXECUTED: 'FILLED',
  DELIVERY_AWAITED: 'FILLED',
  COMPLETED: 'FILLED',
  REJECTED: 'REJECTED',
  FAILED: 'REJECTED',
  CANCELLED: 'CANCELLED',
};

/** Reads also use the words of Groww's app. */
const ourProducts = new Map([...reversed(products), ['INTRADAY', 'INTRADAY'], ['MARGIN', 'CARRYFORWARD']]);
const ourOrderTypes = new Map([...reversed(orderTypes), ['STOP_LOSS_LIMIT', 'SL'], ['STOP_LOSS_MARKET', 'SL-M']]);
/** Our exchange by theirs and the segment, `NSE FNO`. */
export const ourExchanges: ReadonlyMap<string, string> = new Map(
  Object.entries(exchanges).map(([ours, theirs]) => [`${theirs} ${segmentOf({ exchange: ours })}`, ours]),
);

/** What an answer says; null when it cannot be read. */
export type Opened = { ok: true; payload: unknown } | { ok: false; code: string | null; message: string };

const text = z.string().min(1).optional().catch(undefined);
const errorBody = z.looseObject({ code: text, message: text, displayMessage: text }).catch({});
const body = z.looseObject({
  status: z.unknown().optional(),
  payload: z.unknown().optional(),
  code: text,
  message: text,
  error: errorBody,
  errorMessage: errorBody,
});

/** Opens `{status, payload}` and the three forms an error comes in; `code` is a GA code alone. */
export function open(reply: { status: number; json(): unknown }): Opened | null {
  const parsed = body.safeParse(reply.json()).data;
  if (!parsed) return null;
  const { status, payload, code, message, error, errorMessage } = parsed;
  if (status === 'SUCCESS') return reply.status === 200 && payload !== undefined ? { ok: true, payload } : null;
  if (status !== 'FAILURE' && reply.status < 400) return null;
  return {
    ok: false,
    code: [error.code, code].find((each) => /^GA\d+$/.test(each ?? '')) ?? null,
    message: error.message ?? error.displayMessage ?? errorMessage.message ?? message ?? `Groww answered HTTP ${reply.status}`,
  };
}

/** Whether an error answer to a placement, change or cancellation says for certain that nothing was done: the GA code first, then the status. */
export function isDefinite(status: number, code: string | null): boolean {
  return code === null ? [400, 401, 403, 429].includes(status) : ['GA001', 'GA005'].includes(code);
}

/** A 401 ends the login, unless it is about the address the call came from. */
export function isExpired(status: number, message: string): boolean {
  return status === 401 && !/\bip\b/i.test(message);
}

export const orderAnswer = z.looseObject({ groww_order_id: word });
export const profile = z.looseObject({ ucc: word, active_segments: z.array(z.string()).nullish() });
export const tokenAnswer = z.looseObject({ token: word, expiry: note, isActive: z.boolean().nullish() });
/** The token of a socket and the id its order subjects end in; neither may break a line of the feed's protocol. */
export const socketLogin = z.looseObject({ token: word, subscriptionId: z.string().regex(/^[\w-]+$/) });
export const lastPrices = z.record(z.string(), decimal);

const listed = { trading_symbol: word, exchange: word, segment: word };

function identity(row: { trading_symbol: string; exchange: string; segment: string }) {
  const exchange = row.segment && (ourExchanges.get(`${row.exchange} ${row.segment}`) ?? row.exchange);
  return { symbol: row.trading_symbol, token: null, exchange };
}

/** Where any row has its name. */
export const rowName: RowName = z.looseObject({ trading_symbol: seenWord, exchange: seenWord, segment: seenWord }).transform(identity);

/** A row of the order list, also of one order's detail -> ours. `onUnknown` hears of status words the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return z
    .looseObject({
      ...listed,
      groww_order_id: word,
      order_status: word,
      remark: note,
      amo_status: note,
      transaction_type: z.enum(['BUY', 'SELL']),
      order_type: word,
      product: word,
      quantity,
      filled_quantity: quantity,
      price: rupees,
      trigger_price: rupees,
      average_fill_price: rupees,
      order_reference_id: note,
      created_at: istTime,
    })
    .transform((row) => {
      const state = stateOf(row, onUnknown);
      return {
        order_id: row.groww_order_id,
        ...identity(row),
        transaction_type: row.transaction_type,
        order_type: ourOrderTypes.get(row.order_type) ?? row.order_type,
        product_type: ourProducts.get(row.product) ?? row.product,
        quantity: row.quantity,
        filled_quantity: row.filled_quantity,
        price: row.price,
        trigger_price: row.trigger_price,
        average_price: row.average_fill_price,
        status: statusOf(state, row.filled_quantity),
        state,
        status_message: state === 'REJECTED' || state === 'CANCELLED' ? row.remark : null,
        tag: row.order_reference_id,
        variety: null,
        placed_at: row.created_at,
      };
    });
}

interface Told {
  order_status: string;
  amo_status: string | null;
  quantity: number;
  filled_quantity: number;
}

function stateOf(row: Told, onUnknown: (kind: string, word: string) => void): OrderState {
  const told = row.order_status.trim().toUpperCase();
  const state = (Object.hasOwn(states, told) ? states[told] : undefined) ?? 'UNKNOWN';
  if (state === 'UNKNOWN') onUnknown('order status', row.order_status);
  // Held by Groww until the market opens: it rests, and polling on would learn nothing before then.
  if (state === 'TRANSIT' && row.amo_status === 'PARKED') return 'OPEN';
  // There is no word for a partial fill; one that says done before the quantity does is not believed.
  return state === 'FILLED' && row.filled_quantity !== row.quantity ? 'UNKNOWN' : state;
}

const carried = quantity.nullish().transform((value) => value ?? 0);

/** A row of the positions -> ours; `average_price` as told, in a unit still to be found out. Refuses a quantity whose sign the legs contradict. */
export const positionRow: z.ZodType<PositionRow> = z
  .looseObject({
    ...listed,
    product: word,
    quantity: whole,
    credit_quantity: quantity,
    debit_quantity: quantity,
    carry_forward_credit_quantity: carried,
    carry_forward_debit_quantity: carried,
    net_price: rupees,
  })
  .superRefine((row, ctx) => {
    const today = row.credit_quantity - row.debit_quantity;
    const all = today + row.carry_forward_credit_quantity - row.carry_forward_debit_quantity;
    if ([today, all].some((net) => Math.sign(net) === Math.sign(row.quantity))) return;
    ctx.addIssue({ code: 'custom', path: ['quantity'], message: 'has a sign that contradicts what was bought and sold' });
  })
  .transform((row) => ({
    ...identity(row),
    product_type: ourProducts.get(row.product) ?? row.product,
    net_quantity: row.quantity,
    average_price: row.net_price,
    last_price: null,
    realized_pnl: null,
    unrealized_pnl: null,
    multiplier: 1,
  }));

/** A row of the holdings -> ours. Groww names no exchange; a share in the demat account can be sold on NSE unless it is listed on BSE alone. */
export const holdingRow: z.ZodType<HoldingRow> = z
  .looseObject({
    trading_symbol: word,
    isin: note,
    quantity: whole,
    demat_free_quantity: decimal.nullish(),
    t1_quantity: decimal.nullish(),
    average_price: rupees,
  })
  .transform((row) => ({
    symbol: row.trading_symbol,
    token: null,
    exchange: 'NSE',
    isin: row.isin,
    quantity: row.quantity,
    // Locked quantities may have fractions.
    sellable_quantity: row.demat_free_quantity == null ? row.quantity : Math.floor(row.demat_free_quantity + (row.t1_quantity ?? 0)),
    average_price: row.average_price,
    last_price: null,
    pnl: null,
  }));

/** A row of one order's trades -> ours. Its times end in Z and are perhaps IST: none is told. */
export const tradeRow: z.ZodType<TradeRow> = z
  .looseObject({
    ...listed,
    groww_order_id: word,
    exchange_trade_id: word,
    transaction_type: z.enum(['BUY', 'SELL']),
    product: word,
    quantity,
    price: decimal,
  })
  .transform((row) => ({
    trade_id: row.exchange_trade_id,
    order_id: row.groww_order_id,
    ...identity(row),
    transaction_type: row.transaction_type,
    product_type: ourProducts.get(row.product) ?? row.product,
    quantity: row.quantity,
    price: row.price,
    traded_at: null,
  }));

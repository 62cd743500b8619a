import { z } from 'zod';
import type { Exchange, OrderType, ProductType, TransactionType } from '../../../contract/words.ts';
import { type HoldingRow, type OrderRow, type OrderState, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenWord } from '../listing.ts';
import { decimal, istTime, maybeRupees, note, quantity, reversed, whole, word } from '../parse.ts';
import { mapped, renamed } from '../row-map.ts';

export type Segment = 'CASH' | 'FNO' | 'COMMODITY';

/** Our exchanges Groww takes no orders on, and why. */
export const notTraded = {
  MCX: "MCX is not traded here: Groww's documents contradict each other on commodity orders over the API and do not say whether a quantity counts lots or units",
  CDS: 'CDS is not traded here: Groww does not trade it',
} as const satisfies Partial<Record<Exchange, string>>;
/** The exchange by which it trades the others; the segment says the rest. */
export const exchanges = { NSE: 'NSE', BSE: 'BSE', NFO: 'NSE', BFO: 'BSE' } as const satisfies Record<
  Exclude<Exchange, keyof typeof notTraded>,
  string
>;
const segments: Readonly<Record<string, Segment>> = { NFO: 'FNO', BFO: 'FNO', MCX: 'COMMODITY' };
export const segmentOf = ({ exchange }: { exchange: string }): Segment => segments[exchange] ?? 'CASH';
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

/** Rows tell of MCX too, where no order is sent. */
const rowExchanges: ReadonlyMap<string, string> = new Map([...ourExchanges, ['MCX COMMODITY', 'MCX']]);

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

const side = z.enum(['BUY', 'SELL']);
const product = renamed(ourProducts);
const name = { symbol: ['trading_symbol', word], venue: ['exchange', word], segment: ['segment', word] } as const;

/** A row with our exchange: theirs and the segment tell it together. There is no token. */
function traded<Row extends { venue: string; segment: string }>({ venue, segment, ...row }: Row) {
  return { ...row, token: null, exchange: segment && (rowExchanges.get(`${venue} ${segment}`) ?? venue) };
}

/** Where any row has its name. */
export const rowName: RowName = mapped({
  symbol: ['trading_symbol', seenWord],
  venue: ['exchange', seenWord],
  segment: ['segment', seenWord],
}).transform(traded);

/** A row of the order list, also of one order's detail -> ours. `onUnknown` hears of status words the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return mapped({
    order_id: ['groww_order_id', word],
    ...name,
    transaction_type: ['transaction_type', side],
    order_type: ['order_type', renamed(ourOrderTypes)],
    product_type: ['product', product],
    quantity: ['quantity', quantity],
    filled_quantity: ['filled_quantity', quantity],
    price: ['price', maybeRupees],
    trigger_price: ['trigger_price', maybeRupees],
    average_price: ['average_fill_price', maybeRupees],
    status: ['order_status', word],
    amo: ['amo_status', note],
    remark: ['remark', note],
    tag: ['order_reference_id', note],
    placed_at: ['created_at', istTime],
  }).transform(({ amo, remark, ...row }) => {
    const state = stateOf({ ...row, amo }, onUnknown);
    const status_message = state === 'REJECTED' || state === 'CANCELLED' ? remark : null;
    return { ...traded(row), status: statusOf(state, row.filled_quantity), state, status_message, variety: null };
  });
}

interface Told {
  status: string;
  amo: string | null;
  quantity: number;
  filled_quantity: number;
}

function stateOf(row: Told, onUnknown: (kind: string, word: string) => void): OrderState {
  const told = row.status.trim().toUpperCase();
  const state = (Object.hasOwn(states, told) ? states[told] : undefined) ?? 'UNKNOWN';
  if (state === 'UNKNOWN') onUnknown('order status', row.status);
  // Held by Groww until the market opens: it rests, and polling on would learn nothing before then.
  if (state === 'TRANSIT' && row.amo === 'PARKED') return 'OPEN';
  // There is no word for a partial fill; one that says done before the quantity does is not believed.
  return state === 'FILLED' && row.filled_quantity !== row.quantity ? 'UNKNOWN' : state;
}

const carried = quantity.nullish().transform((value) => value ?? 0);
const told = { last_price: null, unrealized_pnl: null, multiplier: 1 };

/**
 * A row of the positions -> ours; `average_price` as told, in a unit still to be found out. Whether a short position has a sign is not documented:
 * what was bought and sold tells it, and a quantity that they contradict, or that may be of either side, is refused.
 */
export const positionRow: z.ZodType<PositionRow> = mapped({
  ...name,
  product_type: ['product', product],
  quantity: ['quantity', whole],
  bought: ['credit_quantity', quantity],
  sold: ['debit_quantity', quantity],
  carriedLong: ['carry_forward_credit_quantity', carried],
  carriedShort: ['carry_forward_debit_quantity', carried],
  carriedNet: ['net_carry_forward_quantity', whole.nullish()],
  average_price: ['net_price', maybeRupees],
  realized_pnl: ['realised_pnl', maybeRupees.catch(null)],
}).transform(({ quantity, bought, sold, carriedLong, carriedShort, carriedNet, ...row }, ctx) => {
  const today = bought - sold;
  const net_quantity = signed(quantity, [today, today + carriedLong - carriedShort, today + (carriedNet ?? 0)]);
  if (net_quantity === null)
    ctx.addIssue({ code: 'custom', path: ['quantity'], message: 'has a sign that what was bought and sold contradicts or leaves open' });
  return { ...traded(row), ...told, net_quantity: net_quantity ?? 0 };
});

/** A quantity with its sign. `nets`: what it may be of, by what was bought and sold; null where they leave it open. */
function signed(quantity: number, nets: readonly number[]): number | null {
  const size = Math.abs(quantity);
  const signs = new Set(nets.filter((net) => Math.abs(net) === size).map(Math.sign));
  const all = signs.size > 0 ? signs : new Set(nets.map(Math.sign));
  if (quantity <= 0) return all.has(Math.sign(quantity)) ? quantity : null;
  const [only] = [...all].filter((sign) => sign !== 0);
  return all.size === 1 && only !== undefined ? only * size : null;
}

/** A row of the holdings -> ours. Groww names no exchange; a share in the demat account can be sold on NSE unless it is listed on BSE alone. */
export const holdingRow: z.ZodType<HoldingRow> = mapped({
  symbol: ['trading_symbol', word],
  isin: ['isin', note],
  quantity: ['quantity', whole],
  free: ['demat_free_quantity', decimal.nullish()],
  undelivered: ['t1_quantity', decimal.nullish()],
  average_price: ['average_price', maybeRupees],
}).transform(({ free, undelivered, ...row }) => ({
  ...row,
  token: null,
  exchange: 'NSE',
  // Locked quantities may have fractions.
  sellable_quantity: free == null ? row.quantity : Math.floor(free + (undelivered ?? 0)),
  last_price: null,
  pnl: null,
}));

/** A row of one order's trades -> ours. Its times end in Z and are perhaps IST: none is told. */
export const tradeRow: z.ZodType<TradeRow> = mapped({
  trade_id: ['exchange_trade_id', word],
  order_id: ['groww_order_id', word],
  ...name,
  transaction_type: ['transaction_type', side],
  product_type: ['product', product],
  quantity: ['quantity', quantity],
  price: ['price', decimal],
}).transform((row) => ({ ...traded(row), traded_at: null }));

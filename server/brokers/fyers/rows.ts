import { z } from 'zod';
import { parseIst } from '../../clock.ts';
import { type HoldingRow, type OrderRow, type OrderState, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord } from '../listing.ts';
import { decimal, instrument, note, quantity, reversed, rupees, whole, word } from '../parse.ts';
import { mapped, renamed } from '../row-map.ts';
import { orderId, products, typeWords } from './wire.ts';

/** Prefix of the symbol and number of the segment -> exchange. FYERS' own exchange number is not asked: its samples contradict it. */
const segments: Readonly<Record<string, string>> = {
  'NSE 10': 'NSE',
  'BSE 10': 'BSE',
  'NSE 11': 'NFO',
  'BSE 11': 'BFO',
  'NSE 12': 'CDS',
  'BSE 12': 'BCD',
  'MCX 20': 'MCX',
  'NSE 20': 'NCO',
};
/** Segments whose quantities are units; elsewhere they are lots and a row must say how many units a lot has. */
const unitSegments = ['10', '11'];

const stopTypes = ['SL-M', 'SL'];

const states: ReadonlyMap<string, OrderState> = new Map([
  ['1', 'CANCELLED'],
  ['2', 'FILLED'],
  ['4', 'TRANSIT'],
  ['5', 'REJECTED'],
  ['6', 'OPEN'],
  ['7', 'EXPIRED'],
]);
/** FYERS puts a remark on filled orders too; only these states have a reason. */
const statesWithReason: readonly OrderState[] = ['CANCELLED', 'REJECTED', 'EXPIRED', 'UNKNOWN'];

/** 1:<tag> is a user's, 2:<tag> FYERS' own; both say Untagged where there is none. FYERS' own marks are none: they prove nothing. */
function tagOf(text: string | null): string | null {
  const tag = text?.replace(/^1:/, '') ?? '';
  return tag === '' || /^2:|^untagged$/i.test(tag) ? null : tag;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `09-Mar-2023 09:34:38`, IST -> ISO text, UTC; null when it is absent or has another form. */
const time = note.transform((text) => {
  const [day, month = '', year, clock] = /^(\d\d)-([A-Z][a-z]{2})-(\d{4}) (\d\d:\d\d:\d\d)$/.exec(text ?? '')?.slice(1) ?? [];
  const at = parseIst(`${year}-${String(months.indexOf(month) + 1).padStart(2, '0')}-${day} ${clock}`);
  return at === null ? null : new Date(at).toISOString();
});

const ourProducts = reversed(products);
const side = whole.refine((value) => value === 1 || value === -1, 'must be 1 or -1').transform((value) => (value === 1 ? 'BUY' : 'SELL'));
const code = z.union([z.int(), word], { error: 'must be a code' }).transform(String);
const product = renamed(ourProducts);
const name = {
  symbol: ['symbol', word.regex(/^[A-Z]+:./, 'must begin with an exchange')],
  token: ['fyToken', instrument],
  segment: ['segment', code],
} as const;

/** A row with its exchange in place of its segment: the prefix of the symbol and the segment tell it together. */
function placed<Row extends { symbol: string; segment: string }>({ segment, ...row }: Row) {
  const prefix = row.symbol.slice(0, Math.max(0, row.symbol.indexOf(':')));
  const place = `${prefix} ${segment}`;
  return { ...row, exchange: prefix && segment && (segments[place] ?? place) };
}

/** Where any row has its name. */
export const rowName: RowName = mapped({
  symbol: ['symbol', seenWord],
  token: ['fyToken', seenToken],
  segment: ['segment', code.catch('')],
}).transform(placed);

/** A row of GET /orders -> ours. `onUnknown` hears of status codes the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return mapped({
    order_id: ['id', orderId],
    ...name,
    transaction_type: ['side', side],
    order_type: ['type', code.transform((type) => typeWords[type] ?? type)],
    product_type: ['productType', product],
    quantity: ['qty', quantity],
    filled_quantity: ['filledQty', quantity],
    price: ['limitPrice', rupees],
    trigger_price: ['stopPrice', rupees],
    average_price: ['tradedPrice', rupees],
    status: ['status', code],
    status_message: ['message', note],
    tag: ['orderTag', note.transform(tagOf)],
    placed_at: ['orderDateTime', time],
  }).transform((row) => {
    const known = states.get(row.status) ?? 'UNKNOWN';
    if (known === 'UNKNOWN') onUnknown('order status', row.status);
    const waits = known === 'OPEN' && stopTypes.includes(row.order_type) && row.filled_quantity === 0;
    const state = waits ? 'TRIGGER_PENDING' : known;
    const status_message = statesWithReason.includes(state) ? row.status_message : null;
    return { ...placed(row), status: statusOf(state, row.filled_quantity), state, status_message, variety: null };
  });
}

const said = rupees.optional().transform((value) => value ?? null);

/**
 * A row of GET /positions -> ours. The sign stands in `side`; a row whose `netQty` says otherwise is refused. What the open side was bought or sold
 * at is its cost: `netAvg` counts earlier profit in, `avgPrice` comes in older rows only, and an average of 0 is none.
 */
export const positionRow: z.ZodType<PositionRow> = mapped({
  ...name,
  product_type: ['productType', product],
  side: ['side', whole.refine((value) => [-1, 0, 1].includes(value), 'must be 1, 0 or -1')],
  quantity: ['qty', quantity],
  net_quantity: ['netQty', whole],
  bought: ['buyAvg', said],
  sold: ['sellAvg', said],
  average: ['avgPrice', said],
  last_price: ['ltp', said],
  realized_pnl: ['realized_profit', said],
  unrealized_pnl: ['unrealized_profit', said],
  multiplier: ['qtyMulti_com', decimal.nullish()],
})
  .refine((row) => row.side * row.quantity === row.net_quantity && (row.side !== 0 || row.quantity === 0), {
    path: ['netQty'],
    error: 'does not agree with side and qty',
  })
  .refine((row) => row.multiplier || unitSegments.includes(row.segment), {
    path: ['qtyMulti_com'],
    error: 'is missing: the size of a lot is not known',
  })
  .transform(({ side, quantity, multiplier, bought, sold, average, ...row }) => ({
    ...placed(row),
    average_price: side === 0 ? 0 : (side > 0 ? bought : sold) || average || null,
    multiplier: multiplier || 1,
  }));

/** A row of GET /holdings -> ours. `quantity` is what was held in the morning, shares not yet delivered included. */
export const holdingRow: z.ZodType<HoldingRow> = mapped({
  ...name,
  isin: ['isin', note],
  quantity: ['remainingQuantity', quantity],
  morning: ['quantity', quantity],
  sellable_quantity: ['remainingQuantity', quantity],
  average_price: ['costPrice', said],
  last_price: ['ltp', said],
  pnl: ['pl', said],
}).transform(({ morning, ...row }) => placed(row));

/** A row of GET /tradebook -> ours. */
export const tradeRow: z.ZodType<TradeRow> = mapped({
  trade_id: ['tradeNumber', orderId],
  order_id: ['orderNumber', orderId],
  ...name,
  transaction_type: ['side', side],
  product_type: ['productType', product],
  quantity: ['tradedQty', quantity],
  price: ['tradePrice', decimal],
  traded_at: ['orderDateTime', time],
}).transform(placed);

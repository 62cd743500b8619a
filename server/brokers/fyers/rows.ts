import { z } from 'zod';
import { parseIst } from '../../clock.ts';
import { type HoldingRow, type OrderRow, type OrderState, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord } from '../listing.ts';
import { decimal, instrument, note, quantity, reversed, rupees, whole, word } from '../parse.ts';
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
const listed = { symbol: word.regex(/^[A-Z]+:./, 'must begin with an exchange'), segment: code, fyToken: instrument };

function identity(row: { symbol: string; segment: string; fyToken: string | null }) {
  const prefix = row.symbol.slice(0, Math.max(0, row.symbol.indexOf(':')));
  const place = `${prefix} ${row.segment}`;
  return { symbol: row.symbol, token: row.fyToken, exchange: prefix && row.segment && (segments[place] ?? place) };
}

/** Where any row has its name. */
export const rowName: RowName = z.looseObject({ symbol: seenWord, segment: code.catch(''), fyToken: seenToken }).transform(identity);

/** A row of GET /orders -> ours. `onUnknown` hears of status codes the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return z
    .looseObject({
      ...listed,
      id: orderId,
      status: code,
      message: note,
      side,
      type: code,
      productType: word,
      qty: quantity,
      filledQty: quantity,
      limitPrice: rupees,
      stopPrice: rupees,
      tradedPrice: rupees,
      orderTag: note,
      orderDateTime: time,
    })
    .transform((row) => {
      const known = states.get(row.status) ?? 'UNKNOWN';
      if (known === 'UNKNOWN') onUnknown('order status', row.status);
      const type = typeWords[row.type] ?? row.type;
      const waits = known === 'OPEN' && stopTypes.includes(type) && row.filledQty === 0;
      const state = waits ? 'TRIGGER_PENDING' : known;
      return {
        order_id: row.id,
        ...identity(row),
        transaction_type: row.side,
        order_type: type,
        product_type: ourProducts.get(row.productType) ?? row.productType,
        quantity: row.qty,
        filled_quantity: row.filledQty,
        price: row.limitPrice,
        trigger_price: row.stopPrice,
        average_price: row.tradedPrice,
        status: statusOf(state, row.filledQty),
        state,
        status_message: statesWithReason.includes(state) ? row.message : null,
        tag: tagOf(row.orderTag),
        variety: null,
        placed_at: row.orderDateTime,
      };
    });
}

const said = rupees.optional().transform((value) => value ?? null);

/** A row of GET /positions -> ours. The sign stands in `side`; a row whose `netQty` says otherwise is refused. */
export const positionRow: z.ZodType<PositionRow> = z
  .looseObject({
    ...listed,
    productType: word,
    side: whole.refine((value) => [-1, 0, 1].includes(value), 'must be 1, 0 or -1'),
    qty: quantity,
    netQty: whole,
    avgPrice: said,
    ltp: said,
    realized_profit: said,
    unrealized_profit: said,
    qtyMulti_com: decimal.optional(),
  })
  .refine((row) => row.side * row.qty === row.netQty && (row.side !== 0 || row.qty === 0), {
    path: ['netQty'],
    error: 'does not agree with side and qty',
  })
  .refine((row) => row.qtyMulti_com !== undefined || unitSegments.includes(row.segment), {
    path: ['qtyMulti_com'],
    error: 'is missing: the size of a lot is not known',
  })
  .transform((row) => ({
    ...identity(row),
    product_type: ourProducts.get(row.productType) ?? row.productType,
    net_quantity: row.netQty,
    average_price: row.avgPrice,
    last_price: row.ltp,
    realized_pnl: row.realized_profit,
    unrealized_pnl: row.unrealized_profit,
    multiplier: row.qtyMulti_com ?? 1,
  }));

/** A row of GET /holdings -> ours. `quantity` is what was held in the morning, shares not yet delivered included. */
export const holdingRow: z.ZodType<HoldingRow> = z
  .looseObject({ ...listed, isin: note, quantity, remainingQuantity: quantity, costPrice: rupees, ltp: rupees, pl: rupees })
  .transform((row) => ({
    ...identity(row),
    isin: row.isin,
    quantity: row.remainingQuantity,
    sellable_quantity: row.remainingQuantity,
    average_price: row.costPrice,
    last_price: row.ltp,
    pnl: row.pl,
  }));

/** A row of GET /tradebook -> ours. */
export const tradeRow: z.ZodType<TradeRow> = z
  .looseObject({
    ...listed,
    tradeNumber: orderId,
    orderNumber: orderId,
    side,
    productType: word,
    tradedQty: quantity,
    tradePrice: decimal,
    orderDateTime: time,
  })
  .transform((row) => ({
    trade_id: row.tradeNumber,
    order_id: row.orderNumber,
    ...identity(row),
    transaction_type: row.side,
    product_type: ourProducts.get(row.productType) ?? row.productType,
    quantity: row.tradedQty,
    price: row.tradePrice,
    traded_at: row.orderDateTime,
  }));

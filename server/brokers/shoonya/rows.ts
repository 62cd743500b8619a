import { z } from 'zod';
import { parseIst } from '../../clock.ts';
import { type HoldingRow, type OrderRow, type OrderState, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord, withOrderId } from '../listing.ts';
import { cost, decimal, instrument, note, quantity, reversed, rupees, whole, word } from '../parse.ts';
import { mapped, renamed } from '../row-map.ts';
import { orderTypes, productAliases, products, sides, stateOf, symbol } from './wire.ts';

/** Shoonya's rows, all values as text; what does not apply to an order is left out. Prices in rupees. */

export const ourTypes = reversed(orderTypes);
const ourProducts = new Map<string, string>([...reversed(products), ...Object.entries(productAliases)]);

const ok = z.literal('Ok').optional();
const listed = { stat: ok, exch: word, tsym: symbol, token: instrument };
const name = { stat: ['stat', ok], symbol: ['tsym', symbol], token: ['token', instrument], exchange: ['exch', word] } as const;
const side = z.enum([sides.BUY, sides.SELL]).transform((text) => (text === sides.BUY ? 'BUY' : 'SELL'));
const optionalQuantity = quantity.optional();
/** Some rows tell the product by its display name alone, some not at all. */
const product = { prd: ['prd', note], alias: ['s_prdt_ali', note] } as const;
function productOf({ prd, alias }: { prd: string | null; alias: string | null }): string {
  const told = prd ?? alias ?? 'UNKNOWN';
  return ourProducts.get(told) ?? told;
}
const absentIsZero = whole.optional().default(0);
/** Rupees; null where the member is left out too. */
const said = rupees.optional().transform((value) => value ?? null);
const text = note.transform((value) => value?.trim() || null);

/** Date and time stand in either order; before 2000 they are placeholders. */
const time = note.transform((value) => {
  const [, first, second] = /^(\S+) (\S+)$/.exec(value ?? '') ?? [];
  const [date = '', clock = ''] = first?.includes('-') ? [first, second] : [second, first];
  const [day, month, year] = date.split('-');
  const at = Number(year) < 2000 ? null : parseIst(`${year}-${month}-${day} ${clock}`);
  return at === null ? null : new Date(at).toISOString();
});

/** Seconds since 1970. */
const epoch = note.transform((value) => (/^\d{10}$/.test(value ?? '') ? new Date(Number(value) * 1000).toISOString() : null));

function identity(row: { exch: string; tsym: string; token: string | null }) {
  return { symbol: row.tsym, token: row.token, exchange: row.exch };
}

/** Where any row has its name. */
const seenName = z.looseObject({ exch: seenWord, tsym: symbol.catch(''), token: seenToken }).transform(identity);
export const rowName: RowName = z
  .looseObject({ exch_tsym: z.array(seenName).min(1) })
  .transform(
    ({ exch_tsym: names }) => names.find(({ exchange }) => exchange === 'NSE') ?? names[0] ?? { symbol: '', token: null, exchange: '' },
  )
  .or(seenName);

/** The broker's order row with its id under our name too. */
export const withId = withOrderId(z.looseObject({ norenordno: word }).transform(({ norenordno }) => norenordno));

/** What a change must know of the order it means. */
export const bookedOrder = z.looseObject({
  ...listed,
  norenordno: word,
  trantype: side,
  prctyp: word,
  ret: word,
  qty: quantity,
  prc: decimal,
  trgprc: decimal.nullish(),
  dscqty: quantity.nullish(),
});
export type BookedOrder = z.infer<typeof bookedOrder>;

/** A row of the order book -> ours. `onUnknown` hears of status words the table lacks. */
export function orderSchema(onUnknown: (kind: string, word: string) => void): z.ZodType<OrderRow> {
  return mapped({
    order_id: ['norenordno', word],
    ...name,
    transaction_type: ['trantype', side],
    order_type: ['prctyp', renamed(ourTypes)],
    ...product,
    quantity: ['qty', quantity],
    filled: ['fillshares', optionalQuantity],
    cancelled: ['cancelqty', optionalQuantity],
    price: ['prc', rupees],
    trigger_price: ['trgprc', said],
    average_price: ['avgprc', cost],
    status: ['status', word],
    status_message: ['rejreason', text],
    tag: ['remarks', note],
    exchangeId: ['exchordid', text],
    amo: ['amo', note],
    entered: ['ordenttm', epoch],
    updated: ['norentm', time],
  }).transform(({ stat, prd, alias, filled, cancelled, exchangeId, amo, entered, updated, ...row }, ctx) => {
    const state = stateOf(row.status, exchangeId !== null || amo?.toLowerCase() === 'yes');
    if (state === 'UNKNOWN') onUnknown('order status', row.status);
    const untouched = state === 'CANCELLED' ? cancelled === row.quantity : unfilledStates.includes(state);
    if (filled === undefined && (!untouched || row.average_price !== null)) {
      ctx.addIssue({ code: 'custom', path: ['fillshares'], message: 'is missing from an order that may have filled' });
      return z.NEVER;
    }
    const filled_quantity = filled ?? 0;
    const status = statusOf(state, filled_quantity);
    return {
      ...row,
      product_type: productOf({ prd, alias }),
      filled_quantity,
      status,
      state,
      variety: null,
      placed_at: entered ?? updated,
    };
  });
}

/** Shoonya leaves `fillshares` out of orders in these states while nothing has filled. */
const unfilledStates: readonly OrderState[] = ['TRANSIT', 'OPEN', 'TRIGGER_PENDING', 'REJECTED'];

/** A row of the positions, day and carried together; one that was closed stays with 0. `prcftr` turns price into money. */
export const positionRow: z.ZodType<PositionRow> = mapped({
  ...name,
  ...product,
  net_quantity: ['netqty', whole],
  average: ['netavgprc', cost],
  bought: ['totbuyavgprc', cost],
  sold: ['totsellavgprc', cost],
  last_price: ['lp', said],
  realized_pnl: ['rpnl', said],
  unrealized_pnl: ['urmtom', said],
  multiplier: ['prcftr', decimal],
}).transform(({ stat, prd, alias, average, bought, sold, ...row }) => {
  const { net_quantity: net } = row;
  const average_price = net === 0 ? null : (average ?? (net > 0 ? bought : sold));
  return { ...row, product_type: productOf({ prd, alias }), average_price };
});

const held = z.looseObject({ exch: word, tsym: symbol, token: instrument });

/** A holding -> ours; its quantity is the documented sum. A share of two exchanges goes by its NSE name. */
export const holdingRow: z.ZodType<HoldingRow> = z
  .looseObject({
    exch_tsym: z.tuple([held]).rest(held),
    holdqty: whole,
    btstqty: absentIsZero,
    brkcolqty: absentIsZero,
    unplgdqty: absentIsZero,
    benqty: absentIsZero,
    npoadqty: absentIsZero,
    npoaqty: absentIsZero,
    dpqty: absentIsZero,
    usedqty: absentIsZero,
    upldprc: cost,
  })
  .transform((row) => {
    const one = row.exch_tsym.find(({ exch }) => exch === 'NSE') ?? row.exch_tsym[0];
    const free = row.holdqty + row.btstqty + row.unplgdqty + row.benqty + Math.max(row.npoadqty, row.npoaqty, row.dpqty) - row.usedqty;
    return {
      ...identity(one),
      isin: null,
      quantity: free + row.brkcolqty,
      // What is pledged to the broker is not for sale.
      sellable_quantity: free,
      average_price: row.upldprc,
      last_price: null,
      pnl: null,
    };
  });

/** One fill of the trade book; `qty` and `fillshares` are those of its order. */
export const tradeRow: z.ZodType<TradeRow> = mapped({
  trade_id: ['flid', word],
  order_id: ['norenordno', word],
  ...name,
  transaction_type: ['trantype', side],
  ...product,
  quantity: ['flqty', quantity],
  price: ['flprc', decimal],
  traded_at: ['fltm', time],
  exchangeTime: ['exch_tm', time],
}).transform(({ stat, prd, alias, exchangeTime, ...row }) => ({
  ...row,
  product_type: productOf({ prd, alias }),
  traded_at: row.traded_at ?? exchangeTime,
}));

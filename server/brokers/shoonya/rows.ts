import { z } from 'zod';
import { parseIst } from '../../clock.ts';
import { type HoldingRow, type OrderRow, type PositionRow, statusOf, type TradeRow } from '../broker.ts';
import { type RowName, seenToken, seenWord, withOrderId } from '../listing.ts';
import { decimal, instrument, note, quantity, reversed, rupees, whole, word } from '../parse.ts';
import { orderTypes, productAliases, products, sides, stateOf, symbol } from './wire.ts';

/** Shoonya's rows, all values as text; what does not apply to an order is left out. Prices in rupees. */

export const ourTypes = reversed(orderTypes);
const ourProducts = new Map<string, string>([...reversed(products), ...Object.entries(productAliases)]);

const listed = { stat: z.literal('Ok').optional(), exch: word, tsym: symbol, token: instrument };
const side = z.enum([sides.BUY, sides.SELL]).transform((text) => (text === sides.BUY ? 'BUY' : 'SELL'));
const product = word.transform((text) => ourProducts.get(text) ?? text);
const absentIsZero = whole.optional().default(0);
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
  const row = z.looseObject({
    ...listed,
    norenordno: word,
    status: word,
    trantype: side,
    prctyp: word,
    prd: product,
    qty: quantity,
    fillshares: quantity.optional(),
    prc: rupees,
    trgprc: rupees.optional(),
    avgprc: rupees.optional(),
    rejreason: text,
    exchordid: text,
    remarks: note,
    amo: note,
    ordenttm: epoch,
    norentm: time,
  });
  return row.transform((row, ctx) => {
    const state = stateOf(row.status, row.exchordid !== null || row.amo?.toLowerCase() === 'yes');
    if (state === 'UNKNOWN') onUnknown('order status', row.status);
    if (state === 'FILLED' && row.fillshares === undefined) {
      ctx.addIssue({ code: 'custom', path: ['fillshares'], message: 'is missing from a complete order' });
      return z.NEVER;
    }
    const filled = row.fillshares ?? 0;
    return {
      order_id: row.norenordno,
      ...identity(row),
      transaction_type: row.trantype,
      order_type: ourTypes.get(row.prctyp) ?? row.prctyp,
      product_type: row.prd,
      quantity: row.qty,
      filled_quantity: filled,
      price: row.prc,
      trigger_price: row.trgprc ?? null,
      average_price: row.avgprc ?? null,
      status: statusOf(state, filled),
      state,
      status_message: row.rejreason,
      tag: row.remarks,
      variety: null,
      placed_at: row.ordenttm ?? row.norentm,
    };
  });
}

/** A row of the positions, day and carried together; one that was closed stays with 0. `prcftr` turns price into money. */
export const positionRow: z.ZodType<PositionRow> = z
  .looseObject({
    ...listed,
    prd: product,
    netqty: whole,
    netavgprc: rupees,
    lp: rupees.optional(),
    rpnl: rupees.optional(),
    urmtom: rupees.optional(),
    prcftr: decimal,
  })
  .transform((row) => ({
    ...identity(row),
    product_type: row.prd,
    net_quantity: row.netqty,
    average_price: row.netavgprc,
    last_price: row.lp ?? null,
    realized_pnl: row.rpnl ?? null,
    unrealized_pnl: row.urmtom ?? null,
    multiplier: row.prcftr,
  }));

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
    upldprc: rupees,
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
export const tradeRow: z.ZodType<TradeRow> = z
  .looseObject({
    ...listed,
    norenordno: word,
    flid: word,
    trantype: side,
    prd: product,
    flqty: quantity,
    flprc: decimal,
    fltm: time,
    exch_tm: time,
  })
  .transform((row) => ({
    trade_id: row.flid,
    order_id: row.norenordno,
    ...identity(row),
    transaction_type: row.trantype,
    product_type: row.prd,
    quantity: row.flqty,
    price: row.flprc,
    traded_at: row.fltm ?? row.exch_tm,
  }));

import { z } from 'zod';
import { unitExchanges } from '../../../contract/words.ts';
import { Big } from '../../money.ts';
import type { HoldingRow, PositionRow } from '../broker.ts';
import { decimal, quantity, whole, word } from '../parse.ts';
import { identity, listed, ourProducts, segments } from './wire.ts';

const shares: readonly string[] = [segments.NSE, segments.BSE];
/** One quantity is one unit of money there, also where a row does not say so. */
const plain = Object.entries(segments).flatMap(([ours, theirs]): string[] => (unitExchanges.includes(ours) ? [theirs] : []));

const positive = decimal.refine((value) => value > 0, 'must be above 0');
const scale = positive.optional();
const today = { flBuyQty: quantity, flSellQty: quantity, buyAmt: decimal, sellAmt: decimal };
const carried = { cfBuyQty: quantity, cfSellQty: quantity, cfBuyAmt: decimal, cfSellAmt: decimal };
const scales = { multiplier: scale, genNum: scale, genDen: scale, prcNum: scale, prcDen: scale, precision: whole.default(2) };

const full = z.looseObject({ ...listed, prod: word, ...today, ...carried, ...scales, qty: z.unknown().optional() });
/** As Kotak's documents shorten it: the net instead of what was carried. What was carried has no price then. */
const short = z.looseObject({ ...listed, prod: word, ...today, ...scales, qty: whole }).transform(({ qty, ...row }) => {
  const before = qty - (row.flBuyQty - row.flSellQty);
  return { ...row, qty, cfBuyQty: Math.max(before, 0), cfSellQty: Math.max(-before, 0), cfBuyAmt: 0, cfSellAmt: 0 };
});

type Told = z.infer<typeof full>;

/** A row of either form. `fl` is today's, `cf` carried; Kotak sends no price and no profit, and a net in the shortened form alone. */
const told = z
  .looseObject({ cfBuyQty: z.unknown().optional(), cfSellQty: z.unknown().optional(), qty: z.unknown().optional() })
  .transform((row, ctx): Told => {
    const isShort = row.qty !== undefined && row.cfBuyQty === undefined && row.cfSellQty === undefined;
    const read = (isShort ? short : full).safeParse(row);
    for (const { path, message } of read.error?.issues ?? []) ctx.addIssue({ code: 'custom', path, message });
    if (!read.success) return z.NEVER;
    const { exSeg, multiplier, genNum, genDen, prcNum, prcDen } = read.data;
    const scaled = [multiplier, genNum, genDen, prcNum, prcDen].every((value) => value !== undefined);
    if (!scaled && !plain.includes(exSeg)) ctx.addIssue({ code: 'custom', path: ['multiplier'], message: 'is missing' });
    return read.data;
  });

export const positionRow: z.ZodType<PositionRow> = told.transform((row) => positionOf(row, undefined));

/** Shares bought before today and still there: their cost stands in the holdings alone. */
const carriedShares = ({ exSeg, cfBuyQty, cfSellQty }: Told) => (shares.includes(exSeg) ? Math.max(cfBuyQty - cfSellQty, 0) : 0);

/** What a row says once the holdings are known; null for a row that they change nothing of. */
export function withHolding(raw: unknown, holdingOf: (row: PositionRow) => HoldingRow | undefined): PositionRow | null {
  const row = told.safeParse(raw).data;
  if (!row || carriedShares(row) === 0) return null;
  return positionOf(row, holdingOf(positionOf(row, undefined)));
}

/** Whether a row needs the holdings to be read. */
export function hasCarriedShares(raw: unknown): boolean {
  const row = told.safeParse(raw).data;
  return row !== undefined && carriedShares(row) > 0;
}

/**
 * Delivery shares that are in the holdings already are not told a second time: the net is then what today has added or taken. What was carried costs
 * what the holdings say where it is shares, and what the row says elsewhere; where neither tells, the average is not known.
 */
function positionOf(row: Told, holding: HoldingRow | undefined): PositionRow {
  const kept = row.prod === 'CNC' ? Math.min(carriedShares(row), Math.max(holding?.sellable_quantity ?? 0, 0)) : 0;
  const net = row.flBuyQty + row.cfBuyQty - row.flSellQty - row.cfSellQty - kept;
  const { multiplier: own = 1, genNum = 1, genDen = 1, prcNum = 1, prcDen = 1 } = row;
  const multiplier = new Big(own).times(genNum).div(genDen).times(prcNum).div(prcDen);
  const left = row.cfBuyQty - kept;
  const [count, before, after] =
    net > 0 ? ([left, carriedCost(row, left, holding), row.buyAmt] as const) : ([row.cfSellQty, soldCost(row), row.sellAmt] as const);
  const all = count + (net > 0 ? row.flBuyQty : row.flSellQty);
  const average = before?.plus(after).div(multiplier.times(all || 1));
  return {
    ...identity(row),
    product_type: ourProducts.get(row.prod) ?? row.prod,
    net_quantity: net,
    average_price: net === 0 ? 0 : Number(average?.round(row.precision, Big.roundHalfUp).toFixed() ?? 0) || null,
    last_price: null,
    realized_pnl: null,
    unrealized_pnl: null,
    multiplier: Number(multiplier.toFixed()),
  };
}

/** What `left` of what was bought before today has cost, with the multiplier; null where nobody says. */
function carriedCost(row: Told, left: number, holding: HoldingRow | undefined): Big | null {
  if (left === 0) return new Big(0);
  if (shares.includes(row.exSeg)) return holding?.average_price ? new Big(holding.average_price).times(left) : null;
  return row.cfBuyAmt > 0 ? new Big(row.cfBuyAmt) : null;
}

function soldCost({ cfSellQty, cfSellAmt }: Told): Big | null {
  return cfSellQty > 0 && cfSellAmt <= 0 ? null : new Big(cfSellAmt);
}

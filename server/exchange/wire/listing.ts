import type { Instrument, Listed } from '../types.ts';

/** What several brokers' masters tell of an instrument beside its own facts. */

/** What a contract is on: an index, a share, a commodity or a currency. */
export function classOf({ exchange, base }: Listed): 'IDX' | 'STK' | 'COM' | 'CUR' {
  if (exchange === 'MCX') return 'COM';
  if (exchange === 'CDS') return 'CUR';
  return base === null || base.kind === 'INDEX' ? 'IDX' : 'STK';
}

/** Units of weight that a price is for, where that is not one: GOLDM is quoted for 10 g. */
const quotedFor: Readonly<Record<string, number>> = { GOLDM: 10 };

/** A lot of MCX in units of weight or volume, and for how many of them the price is: of GOLDM 100 g, quoted for 10 g. Elsewhere the lot as it is. */
export function physicalLot({ exchange, underlying, lotSize, multiplier }: Instrument): { size: number; quoted: number } {
  if (exchange !== 'MCX') return { size: lotSize, quoted: 1 };
  const quoted = quotedFor[underlying] ?? 1;
  return { size: lotSize * multiplier * quoted, quoted };
}

import { generatedInstruments } from './generator.ts';
import { indices, instruments } from './instruments.ts';
import { oddities } from './oddities.ts';
import type { Instrument, Listed } from './types.ts';

const bases = new Map(
  [...instruments, ...indices].filter((one) => one.expiry === null).map((one) => [`${one.exchange}:${one.symbol}`, one]),
);
/** Where the shares and indices trade that contracts of an exchange are on. */
const cashOf: Readonly<Partial<Record<Instrument['exchange'], string>>> = { NFO: 'NSE', BFO: 'BSE' };
const seriesThere: Readonly<Partial<Record<Instrument['exchange'], string>>> = { NSE: 'EQ', BSE: 'A' };

/** The series of a share on NSE or its group on BSE; null for all else. */
export function seriesOf({ series, kind, exchange }: Instrument & Partial<Pick<Listed, 'series'>>): string | null {
  return series ?? (kind === 'EQ' ? (seriesThere[exchange] ?? null) : null);
}

/** An ordinary row of a master. */
export function asListed(one: Instrument): Listed {
  return {
    ...one,
    series: seriesOf(one),
    weekly: false,
    base: bases.get(`${cashOf[one.exchange]}:${one.underlying}`) ?? null,
    oddity: null,
  };
}

/** All that the brokers' masters list, with `count` generated instruments (the same for the same seed). Nothing of it is kept: each walk makes the rows again. */
export function mastersHold(count: number, seed: number): Iterable<Listed> {
  const fixed = [...instruments, ...indices].map(asListed);
  return {
    *[Symbol.iterator]() {
      yield* fixed;
      yield* oddities;
      yield* generatedInstruments(count, seed);
    },
  };
}

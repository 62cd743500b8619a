import type { Unreadable } from '../brokers/broker.ts';
import { type InstrumentName, InstrumentNames, type TradedBy } from '../brokers/instrument.ts';

/** What the broker's reads leave open because some of their rows cannot be read. */
export interface Doubt {
  /** Whether a row that cannot be read may be one of this instrument. Rows without a readable name are not asked. */
  touches(name: InstrumentName): boolean;
  /** A row may be any instrument's. */
  nameless: boolean;
}

/** Everything was read. */
export const noDoubt: Doubt = { touches: () => false, nameless: false };

/** `known`: names of rows that were read. */
export function doubtOf(unreadable: readonly Unreadable[], known: readonly InstrumentName[], tradedBy: TradedBy): Doubt {
  if (unreadable.length === 0) return noDoubt;
  const names = new InstrumentNames(tradedBy);
  for (const name of known) names.learn(name);
  const named = unreadable.filter((row) => row.symbol !== null || row.token !== null);
  return { touches: (name) => named.some((row) => names.mayBeSame(row, name)), nameless: named.length < unreadable.length };
}

import type { FeedInstrument } from '../brokers/feed.ts';
import type { Clock } from '../clock.ts';
import { inTime } from './in-time.ts';
import type { Directory, InstrumentRow } from './instruments.ts';

/** An instrument as the broker's feed and quotes want it. */
export interface ByName extends FeedInstrument {
  /** `NSE:SBIN`, the one name where the broker's file has it. */
  instrument: string;
  /** Whether the file has it; null without a file, or when that cannot be looked up now. */
  listed: boolean | null;
}

/** The instrument of `EXCHANGE:SYMBOL`, whose symbol is its one name or the broker's own; or why nobody can tell which one is meant. Never rejects. */
export type FindByName = (name: string) => Promise<ByName | { refused: string }>;

/** Looks in the file of the broker that is active then. What it does not have stands as it was given, without a token. */
export function finder(directory: () => Directory | null, clock: Clock): FindByName {
  return async (name) => {
    const [exchange = '', symbol = ''] = name.split(/:(.*)/s);
    const rows = await rowsOf(directory(), { exchange, symbol, clock });
    const [row, ...others] = rows ?? [];
    if (!row) return { exchange, symbol, token: '', instrument: name, listed: rows && false };
    if (others.length === 0) return { exchange, symbol: row.brokerSymbol, token: row.token, instrument: row.instrument, listed: true };
    const names = [row, ...others].map((one) => one.instrument).join(', ');
    return { refused: `The broker calls several instruments ${symbol}: ${names}` };
  };
}

interface Asked {
  exchange: string;
  symbol: string;
  clock: Clock;
}

async function rowsOf(directory: Directory | null, { exchange, symbol, clock }: Asked): Promise<readonly InstrumentRow[] | null> {
  if (!directory) return null;
  const known = directory.known(exchange, symbol);
  if (known) return [known];
  return await inTime(clock, directory.named(exchange, symbol));
}

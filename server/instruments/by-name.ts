import type { FeedInstrument } from '../brokers/feed.ts';
import type { Directory } from './instruments.ts';

/** An instrument as the broker's feed and quotes want it. */
export interface ByName extends FeedInstrument {
  /** `NSE:SBIN`, in the one name where the broker's file has it. */
  instrument: string;
}

/**
 * The instrument of `EXCHANGE:SYMBOL`, by the one name or the broker's own symbol. Null where the broker's file has none, or several, of that name; as it
 * was given, without a token, where there is no file or the store does not answer.
 */
export async function byName(directory: Directory | null, name: string): Promise<ByName | null> {
  const [exchange = '', symbol = ''] = name.split(/:(.*)/s);
  const rows = await directory?.named(exchange, symbol).catch(() => undefined);
  if (!rows) return { exchange, symbol, token: '', instrument: name };
  const [row, ...others] = rows;
  if (!row || others.length > 0) return null;
  return { exchange, symbol: row.brokerSymbol, token: row.token, instrument: row.instrument };
}

import type { Broker } from '../brokers/broker.ts';
import type { FeedInstrument } from '../brokers/feed.ts';
import type { InstrumentName } from '../brokers/instrument.ts';
import type { Reader, Round } from './reads.ts';

/** Instruments of the rows, those with a position first. */
export function seenInstruments(rounds: readonly Round[]): FeedInstrument[] {
  const newest = rounds.at(-1);
  const lists = newest ? [newest.positions, newest.holdings, newest.orders] : [];
  const names = lists.flatMap((list): InstrumentName[] => (list.success ? list.normalized : []));
  return names.map(({ exchange, symbol, token }) => ({ exchange, symbol, token: token ?? '' }));
}

/** The last price of an instrument, rupees: as the broker answers it, else as a row has it; null where neither does. */
export async function lastPriceOf(
  { exchange, symbol, token }: FeedInstrument,
  { broker, reader }: { broker: Broker; reader: Reader },
  rounds: readonly Round[],
): Promise<number | null> {
  const asked = await reader.lastPrice(exchange, symbol, token).catch(() => null);
  if (asked !== null) return asked;
  const { tradedBy } = broker.traits;
  const key = tradedBy({ exchange, symbol, token });
  const newest = rounds.at(-1);
  const rows = [newest?.positions, newest?.holdings].flatMap((list) => (list?.success ? [...list.normalized] : []));
  return rows.find((row) => row.exchange === exchange && tradedBy(row) === key)?.last_price ?? null;
}

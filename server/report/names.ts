import { brokerIds } from '../../contract/words.ts';
import type { Clock } from '../clock.ts';
import { inTime } from '../instruments/in-time.ts';
import type { Instruments } from '../instruments/instruments.ts';

interface Nameable {
  exchange: string | null;
  symbol: string;
  token?: string | null;
}

/** Gives rows of a broker the one names of their instruments, null where its file has none, or cannot be looked up now. Never rejects. */
export function namer({ instruments, clock }: { instruments: Pick<Instruments, 'of'>; clock: Clock }) {
  return async function named<Row extends Nameable>(
    broker: string,
    rows: readonly Row[],
  ): Promise<(Row & { instrument: string | null })[]> {
    const id = brokerIds.find((one) => one === broker);
    const directory = id ? instruments.of(id) : null;
    const names = rows.map(({ exchange, symbol, token }) => ({ exchange: exchange ?? '', symbol, token: token ?? null }));
    const found = directory && rows.length > 0 ? await inTime(clock, directory.rowsOf(names)) : null;
    return rows.map((row, index) => ({ ...row, instrument: found?.[index]?.instrument ?? null }));
  };
}

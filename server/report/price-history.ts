import { and, asc, eq, inArray } from 'drizzle-orm';
import type { PriceHistory } from '../../contract/profit.ts';
import { tradeHistory } from '../../drizzle/schema.ts';
import type { AccountKey } from '../books/keys.ts';
import type { Failure } from '../brokers/broker.ts';
import type { Db } from '../db/handle.ts';
import { msOf } from '../db/rows.ts';
import type { FindByName } from '../instruments/by-name.ts';
import { type Day, isoOf, numberOf } from './day.ts';
import type { PricePoints } from './price-points.ts';

export interface PriceQuery {
  instrument?: string | undefined;
  exchange?: string | undefined;
  symbol?: string | undefined;
  day?: string | undefined;
}

type Trade = Awaited<ReturnType<typeof readFills>>[number];
/** Reads trades of the account and day the report is about. */
type Reading = (
  read: (db: Db, who: AccountKey, day: Day) => Promise<Trade[]>,
) => Promise<{ success: true; day: string; broker: string | null; trades: Trade[] } | Failure>;

/** How one price went, with the day's fills on it. Our records may hold an instrument under its one name or under the broker's: both count. */
export async function priceHistory(
  { find, points }: { find: FindByName; points: PricePoints },
  query: PriceQuery,
  reading: Reading,
): Promise<PriceHistory | Failure> {
  const asked = await namesOf(find, query);
  if ('success' in asked) return asked;
  const { exchange, symbols } = asked;
  const told = await reading((db, who, day) => readFills(db, who, day, asked));
  if (!told.success) return told;
  const { trades, ...about } = told;
  const symbol = symbols.find((one) => points.of(`${exchange}:${one}`).length > 0) ?? symbols[0] ?? '';
  return {
    ...{ ...about, exchange, symbol },
    points: points.of(`${exchange}:${symbol}`).map(({ at, rupees }) => ({ at: isoOf(at), price: rupees })),
    fills: trades.map(({ at, price, ...fill }) => ({ ...fill, at: isoOf(at), price: numberOf(price) })),
  };
}

interface Names {
  exchange: string;
  symbols: string[];
}

async function namesOf(find: FindByName, { instrument, exchange, symbol }: PriceQuery): Promise<Names | Failure> {
  if (instrument === undefined) {
    if (exchange !== undefined && symbol !== undefined) return { exchange, symbols: [symbol] };
    return { success: false, message: 'Give instrument, or exchange and symbol' };
  }
  const found = await find(instrument);
  if ('refused' in found) return { success: false, message: found.refused };
  const [, own = ''] = instrument.split(/:(.*)/s);
  const [, one = ''] = found.instrument.split(/:(.*)/s);
  return { exchange: found.exchange, symbols: [...new Set([found.symbol, one, own])] };
}

async function readFills(db: Db, { broker, account }: AccountKey, day: Day, { exchange, symbols }: Names) {
  const { quantity, price, side, order_id, traded_at } = tradeHistory;
  const ours = and(eq(tradeHistory.broker, broker), eq(tradeHistory.account, account), eq(tradeHistory.trading_day, day.name));
  return await db
    .select({ quantity, price, side, order_id, at: msOf(traded_at) })
    .from(tradeHistory)
    .where(and(ours, eq(tradeHistory.exchange, exchange), inArray(tradeHistory.symbol, symbols)))
    .orderBy(asc(traded_at), asc(tradeHistory.id));
}

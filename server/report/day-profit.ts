import type { AccountKey } from '../books/keys.ts';
import { Big } from '../money.ts';
import type { Day } from './day.ts';
import { type Profit, profitOf, type Worth } from './position-profit.ts';
import { type PositionRow, readPositionDay, type TradeRow } from './position-rows.ts';
import type { ReportStore } from './store.ts';

/** A position with what it earned. */
export interface Earning extends Profit {
  row: PositionRow;
  /** Of what it was computed: the last price, rupees, and when it came (epoch ms); null: none is known. */
  last: { rupees: Big; at: number } | null;
}

/** A position whose profit of the day nobody knows, and why. */
export interface Unknown {
  exchange: string;
  symbol: string;
  product_type: string;
  reason: string;
}

/** What an account earned on a day: rupees of four places. */
export interface DayProfit {
  /** `YYYY-MM-DD`, IST. */
  day: string;
  /** What the day's executions realised against average cost; what is not known is left out. */
  realised: Big;
  /** What the unrealised profit moved by since yesterday's close; null where one position's is not known. */
  unrealised: Big | null;
  /** The profit of the day: realised and unrealised; null where one position's is not known. */
  total: Big | null;
  /** The total of the positions whose profit is known. */
  known: Big;
  unknown: Unknown[];
}

/** What tells prices. */
export interface PriceSource {
  /** The last price of the live feed: rupees and when it came (epoch ms). */
  price(exchange: string, symbol: string): { rupees: number; at: number } | null;
  /** What it closed at on the trading day before, rupees. */
  close(exchange: string, symbol: string): number | null;
}

export interface DayProfitParts {
  store: ReportStore;
  prices: PriceSource;
}

/** What each position of an account earned on a day, today at the last prices. Rejects as the database does. */
export async function earningsOf({ store, prices }: DayProfitParts, who: AccountKey, day: Day): Promise<Earning[]> {
  const found = await store.read((db) => readPositionDay(db, who, day));
  return found.rows.map((row) => earningOf(row, found.trades.get(row.id) ?? [], found.before, day, prices));
}

/** What one position earned. `before`: the day's executions that no position holds. */
export function earningOf(
  row: PositionRow,
  trades: readonly TradeRow[],
  before: readonly TradeRow[],
  day: Day,
  prices: PriceSource,
): Earning {
  const told = day.isToday ? prices.price(row.exchange, row.symbol) : null;
  const recorded = day.isToday && row.ltp !== null ? { rupees: new Big(row.ltp), at: row.updatedMs } : null;
  const last = told ? { rupees: new Big(told.rupees), at: told.at } : recorded;
  const close = day.isToday ? prices.close(row.exchange, row.symbol) : null;
  const worth: Worth = { last: last?.rupees ?? null, close: close === null ? null : new Big(close) };
  const same = before.filter(
    ({ exchange, symbol, product }) => exchange === row.exchange && symbol === row.symbol && product === row.style,
  );
  return { row, last, ...profitOf(row, trades, same, day, worth) };
}

/** Adds up what positions earned on a day. */
export function sumOf(day: Day, earnings: readonly Earning[]): DayProfit {
  const add = (pick: (one: Earning) => Big | null) => earnings.reduce((sum, one) => sum.plus(pick(one) ?? 0), new Big(0));
  const unknown = earnings.filter(({ today }) => today === null);
  const realised = add((one) => one.realisedToday);
  const known = add((one) => one.today);
  const total = unknown.length > 0 ? null : known;
  return {
    ...{ day: day.name, realised, total, known },
    unrealised: total?.minus(realised) ?? null,
    unknown: unknown.map(({ row, unknown: reason }) => ({
      exchange: row.exchange,
      symbol: row.symbol,
      product_type: row.style,
      reason: reason ?? 'not known',
    })),
  };
}

import type { AccountKey } from '../books/keys.ts';
import type { Clock } from '../clock.ts';
import { Big } from '../money.ts';
import type { Day } from './day.ts';
import { type DayProfit, type DayProfitParts, type Earning, earningOf, sumOf } from './day-profit.ts';
import { countPositionDay, horizonOf, type PositionDay, type PositionRow, readPositionDay, type TradeRow } from './position-rows.ts';

/** Then everything is read again, whatever says that it did not change. */
const WHOLE_EVERY_MS = 600_000;
/** So often it is asked how many positions there are. */
const COUNT_EVERY_MS = 10_000;

/** How an account's day stands. */
export interface DayStands {
  who: AccountKey;
  day: Day;
  profit: DayProfit;
  /** Positions that the day moved. */
  positions: number;
  /** Open positions whose profit of the day is not known. */
  waiting: Earning[];
}

/**
 * What today earned so far, asked for again and again. A position that has ended and whose profit is known counts as a number from then on; read are those that are open or
 * changed since, so that the thousandth order of a day costs what the first one did. Says the same as adding up all of the day.
 */
export class RunningProfit {
  readonly #parts: DayProfitParts;
  readonly #clock: Pick<Clock, 'mono'>;
  /** Positions that are open, or of unknown profit, as read last. */
  #others = new Map<number, { row: PositionRow; trades: readonly TradeRow[] }>();
  /** The day's executions that no position of ours holds, as read last. */
  #before: readonly TradeRow[] = [];
  #ended = new Map<number, Pick<Earning, 'realisedToday' | 'today'>>();
  #realised = new Big(0);
  #known = new Big(0);
  #whose = '';
  /** What was written before it was read; null: nothing was yet. */
  #horizon: string | null = null;
  #wholeAt = Number.NEGATIVE_INFINITY;
  #countedAt = 0;
  #reading: Promise<DayStands> | null = null;

  constructor(parts: DayProfitParts & { clock: Pick<Clock, 'mono'> }) {
    this.#parts = parts;
    this.#clock = parts.clock;
  }

  /** Who asks while it is read gets the same. Rejects as the database does. */
  async read(who: AccountKey, day: Day): Promise<DayStands> {
    this.#reading ??= this.#read(who, day).finally(() => {
      this.#reading = null;
    });
    return await this.#reading;
  }

  async #read(who: AccountKey, day: Day): Promise<DayStands> {
    const whose = `${who.broker} ${who.account} ${day.name}`;
    const now = this.#clock.mono();
    if (whose !== this.#whose || now - this.#wholeAt >= WHOLE_EVERY_MS) this.#forget(whose, now);
    const isWhole = this.#horizon === null;
    await this.#load(who, day);
    const stands = this.#stands(day);
    if (isWhole || now - this.#countedAt < COUNT_EVERY_MS) return { who, day, ...stands };
    this.#countedAt = now;
    // After the read: meanwhile there can be more, fewer only where a replay of the day's executions made rows anew and took these away.
    if (stands.positions <= (await this.#parts.store.read((db) => countPositionDay(db, who, day)))) return { who, day, ...stands };
    this.#forget(whose, now);
    await this.#load(who, day);
    return { who, day, ...this.#stands(day) };
  }

  async #load(who: AccountKey, day: Day): Promise<void> {
    const [horizon, found] = await this.#parts.store.read(async (db) => {
      const before = await horizonOf(db);
      return [before, await readPositionDay(db, who, day, this.#horizon)] as const;
    });
    this.#take(found);
    this.#horizon = horizon;
  }

  #forget(whose: string, now: number): void {
    this.#whose = whose;
    this.#wholeAt = now;
    this.#horizon = null;
    this.#others = new Map();
    this.#ended = new Map();
    this.#realised = new Big(0);
    this.#known = new Big(0);
  }

  #take({ rows, trades, before }: PositionDay): void {
    this.#before = before;
    // All that are open were read.
    const read = new Set(rows.map(({ id }) => id));
    for (const [id, { row }] of this.#others) if (row.status === 'OPEN' && !read.has(id)) this.#others.delete(id);
    for (const row of rows) {
      const ended = this.#ended.get(row.id);
      if (ended) this.#count(ended, -1);
      this.#ended.delete(row.id);
      this.#others.set(row.id, { row, trades: trades.get(row.id) ?? [] });
    }
  }

  #stands(day: Day) {
    const earnings = [...this.#others.values()].map(({ row, trades }) => earningOf(row, trades, this.#before, day, this.#parts.prices));
    for (const { row, realisedToday, today } of earnings) {
      if (row.status === 'OPEN' || realisedToday === null || today === null) continue;
      this.#others.delete(row.id);
      this.#ended.set(row.id, { realisedToday, today });
      this.#count({ realisedToday, today }, 1);
    }
    const open = earnings.filter(({ row }) => !this.#ended.has(row.id));
    return {
      profit: plus(sumOf(day, open), this.#realised, this.#known),
      positions: this.#ended.size + open.length,
      waiting: open.filter(({ row, today }) => row.status === 'OPEN' && today === null),
    };
  }

  #count({ realisedToday, today }: Pick<Earning, 'realisedToday' | 'today'>, times: 1 | -1): void {
    this.#realised = this.#realised.plus((realisedToday ?? new Big(0)).times(times));
    this.#known = this.#known.plus((today ?? new Big(0)).times(times));
  }
}

function plus(sum: DayProfit, realised: Big, known: Big): DayProfit {
  const all = { realised: sum.realised.plus(realised), known: sum.known.plus(known) };
  const total = sum.total && all.known;
  return { ...sum, ...all, total, unrealised: total?.minus(all.realised) ?? null };
}

import { sql } from 'drizzle-orm';
import type { TradingCalendar } from '../calendar/calendar.ts';
import { type Clock, tradingDay } from '../clock.ts';
import type { KeepSettings } from '../config/config.ts';
import type { Handle } from '../db/handle.ts';
import { transaction } from '../db/transaction.ts';
import type { Log } from '../log.ts';
import type { CutRecords, Meters } from '../meters.ts';
import { type Before, type Rule, rules } from './rules.ts';

const LOOK_EVERY_MS = 30 * 60_000;
/** Nothing is cut so long before an exchange opens. */
const MARGIN_MS = 45 * 60_000;
/** Rows a statement: some ten milliseconds. */
const MOST = 500;
/** After each statement the database rests so many times as long as it took, and so long at least. */
const REST = { times: 9, leastMs: 50 };
/** No exchange of this name: open whenever any is. */
const ANY = '';

export interface RetentionParts {
  clock: Clock;
  log: Log;
  db: Handle;
  keep: KeepSettings;
  /** When the exchanges trade, in practice too: there as well nothing is cut while somebody may place. */
  hours: TradingCalendar;
  meters: Meters | undefined;
}

/** Deletes records that are older than the settings keep them: a few rows at a time, while no exchange trades. Only the gateway that holds the database has one. */
export class Retention {
  readonly #parts: RetentionParts;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts;
    while (!this.#stop.signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, this.#stop.signal);
      await this.#cut().catch((error: unknown) => {
        log.warn({ error: String(error) }, 'Old records could not be deleted; it is tried again');
      });
    }
  }

  /** Nothing trades, and nothing opens soon. */
  #mayCut(): boolean {
    const { hours, clock } = this.#parts;
    const now = clock.now();
    const next = hours.next(ANY, now);
    return !this.#stop.signal.aborted && !hours.isOpen(ANY, now) && (next === null || next.opens - now >= MARGIN_MS);
  }

  async #cut(): Promise<void> {
    const { log, keep } = this.#parts;
    const rows: Partial<Record<CutRecords, number>> = {};
    for (const rule of rules) {
      const before = yearsBefore(this.#parts.clock.now(), keep[rule.keptBy]);
      let cut = 1;
      while (cut > 0 && this.#mayCut()) {
        cut = await this.#step(rule, before);
        if (cut > 0) rows[rule.records] = (rows[rule.records] ?? 0) + cut;
      }
    }
    if (Object.keys(rows).length > 0) log.info({ rows }, 'Old records were deleted');
  }

  /** One statement, and the rest after it. Its commit waits for no disk: what a crash brings back is deleted again. */
  async #step(rule: Rule, before: Before): Promise<number> {
    const { clock, db, meters } = this.#parts;
    const began = clock.mono();
    const rows = await transaction(db, async (tx) => {
      await tx.execute(sql`select set_config('synchronous_commit', 'off', true)`);
      const [told] = await tx.execute<{ rows: number }>(rule.cut(before, MOST));
      return told?.rows ?? 0;
    });
    meters?.cut(rule.records, rows);
    await clock.sleep(Math.max(REST.leastMs, REST.times * (clock.mono() - began)), this.#stop.signal);
    return rows;
  }
}

/** The moment so many years before an instant (epoch ms). */
function yearsBefore(now: number, years: number): Before {
  const then = new Date(now);
  then.setUTCFullYear(then.getUTCFullYear() - years);
  return { moment: then.toISOString(), day: tradingDay(then.getTime()) };
}

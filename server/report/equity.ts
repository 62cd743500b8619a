import { and, asc, eq } from 'drizzle-orm';
import { equityPoints } from '../../drizzle/schema.ts';
import type { AccountKey } from '../books/keys.ts';
import type { FeedInstrument } from '../brokers/feed.ts';
import { type Clock, Cut } from '../clock.ts';
import type { Db } from '../db/handle.ts';
import { msOf } from '../db/rows.ts';
import type { Log } from '../log.ts';
import { Big } from '../money.ts';
import type { Day } from './day.ts';
import type { DayProfit, Earning } from './day-profit.ts';
import type { DayStands } from './running-profit.ts';

const EVERY_MS = 60_000;
/** Fills that come together are one point. */
const GATHER_MS = 1000;
/** While orders go on: a point takes as much of the processor as an order, and a day's chart shows no finer ones. */
const APART_MS = 5000;

export interface EquityParts {
  clock: Clock;
  log: Log;
  db: Db;
  /** Whose day it is, and what it has earned by now; null when nobody was ever connected. */
  earned(): Promise<DayStands | null>;
  /** Told of positions whose close of yesterday is not known. */
  learn(instruments: readonly FeedInstrument[]): Promise<void>;
}

/** A point of the day: rupees; `at` is epoch ms. */
export type EquityPoint = Awaited<ReturnType<typeof readEquity>>[number];

/** Writes how the day goes: a point a minute while something moved, and one when an order or a read of the broker may have brought fills. */
export class Equity {
  readonly #parts: EquityParts;
  readonly #stop = new AbortController();
  /** Cuts the wait for the next minute short. */
  #moved = new Cut();
  #running: Promise<void> = Promise.resolve();
  /** The last point, as text: the same again is none. */
  #last = '';

  constructor(parts: EquityParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Something may have filled. Stands in every order's path: it does next to nothing. */
  wake(): void {
    this.#moved.abort();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#moved.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#stop;
    let last = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      await clock.sleep(EVERY_MS, this.#moved);
      // What moves from here on is told again: it may be booked after the point is read.
      this.#moved = new Cut();
      await clock.sleep(Math.max(GATHER_MS, last + APART_MS - clock.mono()), signal);
      if (signal.aborted) return;
      last = clock.mono();
      await this.#point().catch((error: unknown) => {
        log.warn({ error: String(error) }, 'How the day stands could not be written; it is tried again');
      });
    }
  }

  async #point(): Promise<void> {
    const { clock, db } = this.#parts;
    const earned = await this.#parts.earned();
    if (!earned) return;
    const { who, day, profit, positions, waiting } = earned;
    void this.#parts.learn(instrumentsOf(waiting));
    if (positions === 0) return;
    const { realised, unrealised, total } = textsOf(profit);
    const text = JSON.stringify([who.broker, who.account, day.name, realised, total]);
    if (text === this.#last) return;
    const names = { broker: who.broker, account: who.account, trading_day: day.name };
    await db
      .insert(equityPoints)
      .values({ ...names, at: new Date(clock.now()).toISOString(), realised, unrealised, total })
      .onConflictDoNothing();
    this.#last = text;
  }
}

function textsOf({ realised, unrealised, total }: DayProfit) {
  return { realised: realised.toFixed(4), unrealised: unrealised?.toFixed(4) ?? null, total: total?.toFixed(4) ?? null };
}

function instrumentsOf(earnings: readonly Earning[]): FeedInstrument[] {
  return earnings.map(({ row }) => ({ exchange: row.exchange, symbol: row.symbol, token: row.token ?? '' }));
}

/** The points of an account's day, oldest first. */
export async function readEquity(db: Db, who: AccountKey, day: Day) {
  const { broker, account, trading_day, at, realised, unrealised, total } = equityPoints;
  const rows = await db
    .select({ realised, unrealised, total, at: msOf(at) })
    .from(equityPoints)
    .where(and(eq(broker, who.broker), eq(account, who.account), eq(trading_day, day.name)))
    .orderBy(asc(equityPoints.at));
  return rows.map((row) => ({
    at: row.at,
    realised: new Big(row.realised),
    unrealised: row.unrealised === null ? null : new Big(row.unrealised),
    total: row.total === null ? null : new Big(row.total),
  }));
}

import type { Sql } from 'postgres';
import { Bell, type Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Account, Accounts } from '../orders/account.ts';
import { type Held, reconcilePositions } from './reconcile.ts';
import { hasOpenOrders, syncOpenOrders } from './sync-orders.ts';

const ORDERS_EVERY_MS = 10_000;
/** While the broker tells of order changes by itself. */
const ORDERS_SLOWLY_MS = 60_000;
const POSITIONS_EVERY_MS = 60_000;
/** News of orders come in showers: one read answers all of them. */
const NEWS_GATHER_MS = 300;
/** After a failed read: soon again, then slower. */
const RETRY_MS = [1000, 2000, 5000, 10_000, 30_000];

export interface WatchParts {
  sql: Sql;
  clock: Clock;
  log: Log;
  accounts: Accounts;
  mode: string;
  /** The records may hold other positions and open orders than before. */
  changed?(): void;
}

/** Keeps our records at the broker's truth: open orders every 10 s, positions every 60 s, both at once when a session comes up. Reads only. */
export class Watch {
  readonly #parts: WatchParts;
  readonly #stop = new AbortController();
  #wake = new AbortController();
  #ordersEveryMs = ORDERS_EVERY_MS;
  readonly #news = new Bell();
  #heard = this.#news.signal;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Reads orders and positions now instead of at the next moment. */
  hurry(): void {
    this.#wake.abort();
  }

  /** The broker says that an order changed: open orders are read in a moment. */
  news(): void {
    this.#news.ring();
  }

  /** The order stream is up (true): open orders are read every 60 s, for what it may have missed. It is down (false): every 10 s, and now. */
  slower(on: boolean): void {
    this.#ordersEveryMs = on ? ORDERS_SLOWLY_MS : ORDERS_EVERY_MS;
    if (!on) this.hurry();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts;
    let positionsAt = Number.NEGATIVE_INFINITY;
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      const pauseMs = failures > 0 ? (RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? this.#ordersEveryMs) : this.#ordersEveryMs;
      await clock.sleep(pauseMs, AbortSignal.any([this.#stop.signal, this.#wake.signal, this.#heard]));
      if (this.#heard.aborted) await clock.sleep(NEWS_GATHER_MS, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      this.#heard = this.#news.signal;
      const asked = this.#wake.signal.aborted;
      if (asked) this.#wake = new AbortController();
      const account = this.#parts.accounts.active();
      if (!account) continue;
      try {
        await this.#orders(account);
        if (asked || failures > 0 || clock.mono() - positionsAt >= POSITIONS_EVERY_MS) {
          await this.#positions(account);
          positionsAt = clock.mono();
        }
        this.#parts.changed?.();
        failures = 0;
      } catch (error) {
        failures += 1;
        log.warn(
          { broker: account.broker.id, error: error instanceof Error ? error.message : String(error) },
          'Reconciliation failed; it is tried again',
        );
      }
    }
  }

  async #orders(account: Account): Promise<void> {
    const { sql, clock } = this.#parts;
    if (!(await hasOpenOrders(sql, this.#who(account)))) return;
    const book = await account.orderBook.next();
    if (!book.success) throw new Error(book.message);
    await syncOpenOrders(sql, this.#who(account), book.normalized, clock.now());
  }

  async #positions(account: Account): Promise<void> {
    const { sql, log } = this.#parts;
    const positions = await account.positions.next();
    if (!positions.success) throw new Error(positions.message);
    await account.reads.take();
    const holdings = await account.broker.holdings();
    const corrections = await reconcilePositions(
      sql,
      this.#who(account),
      positions.normalized,
      holdings.success ? holdings.normalized : null,
    );
    if (corrections.length > 0)
      log.info({ broker: account.broker.id, corrections }, 'Position records were brought to what the broker holds');
  }

  #who(account: Account): Held {
    return { broker: account.broker.id, account: account.id, mode: this.#parts.mode };
  }
}

import type { Account, Accounts } from '../brokers/account.ts';
import { Bell } from '../clock.ts';
import { exchangeTrades, followOrders, type PassParts, reconcileAccount, unconfirmed } from './pass.ts';

const ORDERS_EVERY_MS = 10_000;
/** While the broker tells of order changes by itself. */
const ORDERS_SLOWLY_MS = 60_000;
const POSITIONS_EVERY_MS = 60_000;
/** News of orders come in showers: one read answers all of them. */
const NEWS_GATHER_MS = 300;
/** After a failed read: soon again, then slower. */
const RETRY_MS = [1000, 2000, 5000, 10_000, 30_000];
/** So often the trade book is asked for the same fill before the whole reconciliation's pace is soon enough. */
const TRADE_READS = 3;

export interface WatchParts extends PassParts {
  accounts: Accounts;
  /** The records may hold other positions and open orders than before. */
  changed?(): void;
}

/**
 * Keeps our records at the broker's truth: open orders every 10 s, everything every 60 s and at once when a session comes up. A failing read is
 * tried again, and stops nothing. Reads only.
 */
export class Watch {
  readonly #parts: WatchParts;
  readonly #stop = new AbortController();
  #wake = new AbortController();
  #ordersEveryMs = ORDERS_EVERY_MS;
  readonly #news = new Bell();
  #heard = this.#news.signal;
  #running: Promise<void> = Promise.resolve();
  #failures = 0;
  /** When everything was last reconciled, monotonic ms. */
  #wholeAt = Number.NEGATIVE_INFINITY;
  #asked: { newest: number; reads: number } = { newest: 0, reads: 0 };

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
    const { clock, log, accounts } = this.#parts;
    while (!this.#stop.signal.aborted) {
      await clock.sleep(this.#pauseMs(), AbortSignal.any([this.#stop.signal, this.#wake.signal, this.#heard]));
      if (this.#heard.aborted) await clock.sleep(NEWS_GATHER_MS, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      this.#heard = this.#news.signal;
      const asked = this.#wake.signal.aborted;
      if (asked) this.#wake = new AbortController();
      const account = accounts.active();
      if (!account) continue;
      try {
        await this.#pass(account, asked);
        this.#parts.changed?.();
        this.#failures = 0;
      } catch (error) {
        this.#failures += 1;
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ broker: account.broker.id, error: reason }, 'Reconciliation failed; it is tried again');
      }
    }
  }

  #pauseMs(): number {
    if (this.#failures === 0) return this.#ordersEveryMs;
    return RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1] ?? this.#ordersEveryMs;
  }

  async #pass(account: Account, asked: boolean): Promise<void> {
    const { clock, log } = this.#parts;
    if (asked || this.#failures > 0 || clock.mono() - this.#wholeAt >= POSITIONS_EVERY_MS) {
      const corrections = await reconcileAccount(this.#parts, account);
      this.#wholeAt = clock.mono();
      if (corrections.length > 0)
        log.info({ broker: account.broker.id, corrections }, 'Position records were brought to what the broker holds');
      return;
    }
    await followOrders(this.#parts, account);
    await this.#trades(account);
  }

  /** A new fill's own trades are asked for at once, and then with the whole reconciliation: some brokers show them late, some never. */
  async #trades(account: Account): Promise<void> {
    const newest = await unconfirmed(this.#parts, account);
    if (newest === null) return;
    if (newest !== this.#asked.newest) this.#asked = { newest, reads: 0 };
    if (this.#asked.reads >= TRADE_READS) return;
    this.#asked.reads += 1;
    await exchangeTrades(this.#parts, account);
  }
}

import type { Account, Accounts } from '../brokers/account.ts';
import type { Reason, Wake } from '../brokers/wake.ts';
import { Bell } from '../clock.ts';
import { exchangeTrades, followOrders, lacksMultiplier, type PassParts, reconcileAccount, unconfirmed } from './pass.ts';

const ORDERS_EVERY_MS = 10_000;
/** While the broker tells of order changes by itself. */
const ORDERS_SLOWLY_MS = 60_000;
const POSITIONS_EVERY_MS = 60_000;
/** News of orders come in showers, and before the order book shows them: after the first it is read at once, and once more for all of them. */
const NEWS_GATHER_MS = 300;
/** A broker may show a modify or cancel only a moment after it took it: open orders are read again so long after each. */
const CHANGE_SHOWN_MS = [300, 1500, 5000];
/** After a failed read: soon again, then slower. */
const RETRY_MS = [1000, 2000, 5000, 10_000, 30_000];
/** So often the broker is asked about the same fill before the whole reconciliation's pace is soon enough. */
const FILL_READS = 3;

/** What a reason makes the watch read. */
const reads: Partial<Record<Reason, 'everything' | 'orders'>> = {
  session: 'everything',
  news: 'orders',
  change: 'everything',
  live: 'everything',
  quiet: 'everything',
};
/** How often open orders are read from then on: for what the updates may have missed, or in their place. */
const paces: Partial<Record<Reason, number>> = { live: ORDERS_SLOWLY_MS, quiet: ORDERS_EVERY_MS };

/** What the reconciliation came to since the start. */
export interface WatchState {
  /** Since everything was last reconciled, ms; null while it never was. */
  ageMs: number | null;
  failures: number;
  /** Position records that were not as the broker holds them. */
  corrections: number;
}

export interface WatchParts extends PassParts {
  accounts: Accounts;
  wake: Wake;
}

/**
 * Keeps our records at the broker's truth: open orders every 10 s, everything every 60 s and at once when a session comes up. A failing read is
 * tried again, and stops nothing. Reads only.
 */
export class Watch {
  readonly #parts: WatchParts;
  readonly #stop = new AbortController();
  /** Aborted when everything is to be read now. */
  #asked = new AbortController();
  #ordersEveryMs = ORDERS_EVERY_MS;
  readonly #news = new Bell();
  #heard = this.#news.signal;
  #running: Promise<void> = Promise.resolve();
  #failures = 0;
  readonly #counted = { failures: 0, corrections: 0 };
  /** When everything was last reconciled, monotonic ms. */
  #wholeAt = Number.NEGATIVE_INFINITY;
  /** When an order was last modified or cancelled, monotonic ms. */
  #changedAt = Number.NEGATIVE_INFINITY;
  #fillAsked: { newest: number; reads: number } = { newest: 0, reads: 0 };

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Reads everything now, open orders in a moment, or nothing, as the reason asks. */
  wake(reason: Reason): void {
    this.#ordersEveryMs = paces[reason] ?? this.#ordersEveryMs;
    if (reason === 'change') this.#changedAt = this.#parts.clock.mono();
    if (reads[reason] === 'everything') this.#asked.abort();
    if (reads[reason] === 'orders') this.#news.ring();
  }

  state(): WatchState {
    const ageMs = this.#wholeAt === Number.NEGATIVE_INFINITY ? null : this.#parts.clock.mono() - this.#wholeAt;
    return { ageMs, ...this.#counted };
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log, accounts } = this.#parts;
    while (!this.#stop.signal.aborted) {
      await clock.sleep(this.#pauseMs(), AbortSignal.any([this.#stop.signal, this.#asked.signal, this.#heard]));
      if (this.#heard.aborted) await this.#readNews();
      if (this.#stop.signal.aborted) return;
      this.#heard = this.#news.signal;
      const asked = this.#asked.signal.aborted;
      if (asked) this.#asked = new AbortController();
      const account = accounts.active();
      if (!account) continue;
      try {
        await this.#pass(account, asked);
        this.#parts.wake('records');
        this.#failures = 0;
      } catch (error) {
        this.#failures += 1;
        this.#counted.failures += 1;
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ broker: account.broker.id, error: reason }, 'Reconciliation failed; it is tried again');
      }
    }
  }

  /** Whoever follows the stream waits for this read. Where it fails, the one after the shower is tried until it does not. */
  async #readNews(): Promise<void> {
    const { clock, accounts } = this.#parts;
    this.#heard = this.#news.signal;
    const account = accounts.active();
    if (account) await followOrders(this.#parts, account).catch(() => undefined);
    await clock.sleep(NEWS_GATHER_MS, this.#stop.signal);
  }

  #pauseMs(): number {
    const now = this.#parts.clock.mono();
    const shownAt = CHANGE_SHOWN_MS.map((ms) => this.#changedAt + ms).find((at) => at > now) ?? Number.POSITIVE_INFINITY;
    if (this.#failures === 0) return Math.min(this.#ordersEveryMs, shownAt - now);
    return RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1] ?? this.#ordersEveryMs;
  }

  async #pass(account: Account, asked: boolean): Promise<void> {
    const { clock } = this.#parts;
    if (asked || this.#failures > 0 || clock.mono() - this.#wholeAt >= POSITIONS_EVERY_MS) {
      await this.#whole(account);
      return;
    }
    await followOrders(this.#parts, account);
    await this.#fills(account);
  }

  async #whole(account: Account): Promise<void> {
    const { clock, log } = this.#parts;
    const corrections = await reconcileAccount(this.#parts, account);
    this.#wholeAt = clock.mono();
    this.#counted.corrections += corrections.length;
    if (corrections.length > 0)
      log.info({ broker: account.broker.id, corrections }, 'Position records were brought to what the broker holds');
  }

  /**
   * A new fill's own trades are asked for at once, and then with the whole reconciliation: some brokers show them late, some never. So is what a fill
   * in an instrument that was never held is worth, which the positions tell.
   */
  async #fills(account: Account): Promise<void> {
    const newest = await unconfirmed(this.#parts, account);
    const lacking = await lacksMultiplier(this.#parts, account);
    if (newest === null && !lacking) return;
    if (newest !== null && newest !== this.#fillAsked.newest) this.#fillAsked = { newest, reads: 0 };
    if (this.#fillAsked.reads >= FILL_READS) return;
    this.#fillAsked.reads += 1;
    if (lacking) await this.#whole(account);
    else await exchangeTrades(this.#parts, account);
  }
}

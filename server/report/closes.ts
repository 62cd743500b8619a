import type { Account, Accounts } from '../brokers/account.ts';
import type { FeedInstrument } from '../brokers/feed.ts';
import { quoteKey } from '../brokers/quote-read.ts';
import { type Clock, tradingDay } from '../clock.ts';
import type { Feed } from '../feed/feed.ts';
import { nameOf } from '../feed/prices.ts';

/** A broker that has not told a close is asked again after this. */
const AGAIN_MS = 300_000;

export interface CloseParts {
  clock: Clock;
  feed: Pick<Feed, 'quote'>;
  accounts: Pick<Accounts, 'active'>;
}

/** What instruments closed at on the trading day before, rupees: as the feed tells, else as one read of the broker's quotes did. Forgotten with the day. */
export class Closes {
  readonly #parts: CloseParts;
  readonly #known = new Map<string, number>();
  readonly #askedAt = new Map<string, number>();
  #day = '';

  constructor(parts: CloseParts) {
    this.#parts = parts;
  }

  /** Null where it is not known. */
  get(exchange: string, symbol: string): number | null {
    this.#turn();
    const told = this.#parts.feed.quote(exchange, symbol)?.close;
    const name = nameOf({ exchange, symbol });
    if (told) this.#known.set(name, told);
    return this.#known.get(name) ?? null;
  }

  /** Asks the broker for what is not known of these, within its limits for quotes. Never rejects. */
  async learn(instruments: readonly FeedInstrument[]): Promise<void> {
    const account = this.#parts.accounts.active();
    const now = this.#parts.clock.mono();
    const due = instruments.filter((one) => {
      const before = this.#askedAt.get(nameOf(one));
      return this.get(one.exchange, one.symbol) === null && (before === undefined || now - before >= AGAIN_MS);
    });
    if (!account || due.length === 0) return;
    for (const one of due) this.#askedAt.set(nameOf(one), now);
    await this.#read(account, due);
  }

  async #read(account: Account, due: readonly FeedInstrument[]): Promise<void> {
    const day = this.#day;
    const { quotes } = await account.quotes.read(due);
    if (day !== this.#day || account !== this.#parts.accounts.active()) return;
    for (const one of due) {
      const close = Number(quotes.get(quoteKey(one))?.quote?.close ?? 0);
      if (close > 0) this.#known.set(nameOf(one), close);
    }
  }

  #turn(): void {
    const day = tradingDay(this.#parts.clock.now());
    if (day === this.#day) return;
    this.#day = day;
    this.#known.clear();
    this.#askedAt.clear();
  }
}

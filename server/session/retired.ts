import type { Account } from '../brokers/account.ts';
import type { Clock } from '../clock.ts';

/** A replaced session's account stays readable this long for its unresolved orders. */
const RETIRED_MS = 180_000;
const RETIRED_CHECK_MS = 1000;
/** A send that found the session still active has written that down by then. */
const RETIRED_FIRST_CHECK_MS = 250;

export interface RetiredParts {
  clock: Clock;
  /** Orders of this account are not resolved yet: it stays readable for them. */
  hasOpen(account: Account): boolean | Promise<boolean>;
}

/** Accounts of sessions that are over, readable while orders of theirs are unresolved. */
export class Retired {
  readonly #parts: RetiredParts;
  readonly #accounts = new Map<string, Account>();
  readonly #stop = new AbortController();

  constructor(parts: RetiredParts) {
    this.#parts = parts;
  }

  of(broker: string, account: string): Account | null {
    return this.#accounts.get(`${broker}:${account}`) ?? null;
  }

  /** Keeps an account while it is needed, then closes its broker. Never rejects. */
  async keep(account: Account): Promise<void> {
    const { clock } = this.#parts;
    const { signal } = this.#stop;
    const name = `${account.broker.id}:${account.id}`;
    this.#accounts.set(name, account);
    const until = clock.mono() + RETIRED_MS;
    await clock.sleep(RETIRED_FIRST_CHECK_MS, signal);
    while (clock.mono() < until && !signal.aborted && (await this.#hasOpen(account))) await clock.sleep(RETIRED_CHECK_MS, signal);
    if (this.#accounts.get(name) === account) this.#accounts.delete(name);
    await account.broker.close().catch(() => undefined);
  }

  /** Keeps none any longer; who they were. */
  stop(): Account[] {
    this.#stop.abort();
    const accounts = [...this.#accounts.values()];
    this.#accounts.clear();
    return accounts;
  }

  async #hasOpen(account: Account): Promise<boolean> {
    try {
      return await this.#parts.hasOpen(account);
    } catch {
      return true;
    }
  }
}

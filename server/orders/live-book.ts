import { hash } from 'node:crypto';
import type { Account } from '../brokers/account.ts';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import { AccountBook } from './account-book.ts';
import { Endings } from './endings.ts';
import { Entry } from './entry.ts';
import { type LeftBehind, nothingLeft } from './left-behind.ts';

/** So many keys are known by heart; beyond, every order asks the store first. */
const KNOWN_KEYS = 200_000;

/**
 * The one live book: every order of ours that is not over, by its key and by its instrument. What is asked of it is answered from memory; it is
 * rebuilt from the journal at start. Nothing else keeps a list of orders.
 */
export class LiveBook {
  readonly endings: Endings;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #accounts = new Map<string, AccountBook>();
  readonly #left = new Map<string, LeftBehind>();
  /** Hashes of keys that may have a record; null: too many to know. */
  #known: Set<number> | null = new Set();

  constructor(parts: { clock: Clock; log: Log; journal: Journal; stop: AbortSignal }) {
    this.#clock = parts.clock;
    this.endings = new Endings(parts);
  }

  /** The order under a key that is in flight, followed, or not yet written down. */
  entry(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** Takes a key for a new order: whoever comes after meets this entry. */
  claim(key: string, requestHash: string): Entry {
    const entry = new Entry(key, requestHash, this.#clock.mono());
    this.#entries.set(key, entry);
    return entry;
  }

  /** Every order with an attempt. */
  entries(): Entry[] {
    return [...this.#entries.values()];
  }

  /** Orders with a step that the store does not hold yet, and the age of the oldest such step, ms. */
  lag(): { orders: number; oldestMs: number } {
    const waiting = this.entries().flatMap(({ attempt, tracker }) => (attempt && tracker && !tracker.stored ? attempt.updatedAt : []));
    return { orders: waiting.length, oldestMs: Math.max(0, this.#clock.now() - Math.min(...waiting)) };
  }

  /** Takes back an order whose attempt an earlier process left open, or that this one lost sight of. */
  adopt(entry: Entry): void {
    this.#entries.set(entry.key, entry);
  }

  /** Forgets a key whose answer stands in the store, or that never left; an order that rests stays in its instrument. */
  release(entry: Entry): void {
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
  }

  /** The book of a signed-in account. */
  of(account: Account): AccountBook {
    const name = accountName(account.broker.id, account.id);
    const known = this.#accounts.get(name);
    if (known) known.attach(account);
    if (known) return known;
    const book = new AccountBook(this.#clock, account, this.leftBehind(account.broker.id, account.id), this.endings);
    this.#left.delete(name);
    this.#accounts.set(name, book);
    return book;
  }

  /** What an earlier process left of an account, to be filled in before the account signs in. */
  leftBehind(broker: string, account: string): LeftBehind {
    const name = accountName(broker, account);
    const left = this.#left.get(name) ?? nothingLeft();
    this.#left.set(name, left);
    return left;
  }

  /** A record may stand under the key: it is looked up before anything else is done. */
  mayStand(key: string): boolean {
    return this.#known === null || this.#known.has(keyHash(key));
  }

  /** A record stands, or may soon stand, under the key. */
  stands(key: string): void {
    if (this.#known && this.#known.size >= KNOWN_KEYS) this.#known = null;
    this.#known?.add(keyHash(key));
  }

  /** Learns all keys that stand. */
  async learnKeys(journal: Journal): Promise<void> {
    const keys = await journal.livingKeys(this.#clock.now(), KNOWN_KEYS);
    this.#known = keys && new Set(keys.map(keyHash));
  }
}

function accountName(broker: string, account: string): string {
  return JSON.stringify([broker, account]);
}

/** 53 bits: two of 200,000 keys meet once in four hundred thousand books, and then a look-up is made for nothing. */
function keyHash(key: string): number {
  return Number.parseInt(hash('sha1', key), 16);
}

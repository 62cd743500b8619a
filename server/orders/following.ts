import { tradingDay } from '../clock.ts';
import { type Attempt, isFinal, SupersededError } from '../journal/attempt.ts';
import { LAG_MS } from './belief.ts';
import { Entry, type Tracker } from './entry.ts';
import { OrderTracker, type TrackerParts } from './order-tracker.ts';
import { type Outcome, objection, type Settled, UnknownKeyError } from './outcome.ts';
import { leftStep } from './steps.ts';

const DAY_MS = 86_400_000;
/** How long a person is told of an order that was given up. */
const TOLD_MS = 7 * DAY_MS;

/** Sees to it that every open attempt has one tracker: those of this process, those it lost sight of, those a dead one left. */
export class Following {
  readonly #parts: TrackerParts;
  readonly #owner: string;
  /** Orders whose day was over before their fate was known: only a person can tell. */
  readonly #givenUp = new Map<string, Attempt>();

  constructor(parts: TrackerParts, owner: string) {
    this.#parts = parts;
    this.#owner = owner;
  }

  /** Attempts whose truth is not known, those given up in the last week first. */
  get open(): Attempt[] {
    const entries = this.#parts.book.entries();
    const followed = entries.flatMap(({ tracker, reply }) => (tracker && reply === null ? tracker.attempt : []));
    // Given up, and that is still being written.
    const giving = followed.filter(({ state }) => state === 'UNRESOLVED');
    return [...this.#givenUp.values(), ...giving, ...followed.filter((attempt) => !isFinal(attempt))];
  }

  /** Follows an order from here on, until it is final and that stands in the store. */
  async follow(entry: Entry, tracker: Tracker): Promise<void> {
    const { book, stop } = this.#parts;
    await tracker.follow();
    if (stop.aborted) return;
    if (tracker.attempt.state === 'UNRESOLVED') this.#givenUp.set(entry.key, tracker.attempt);
    book.release(entry);
  }

  /** Takes an open record that nobody follows; null where it has ended meanwhile. A send whose end nobody saw becomes ambiguous. */
  async adopt(left: Attempt): Promise<Entry | null> {
    const { book, journal, accounts } = this.#parts;
    const attempt = left.owner === this.#owner ? left : await journal.takeOver(left, this.#owner);
    if (isFinal(attempt)) return null;
    // While the store was asked another request may have taken it.
    const known = book.entry(attempt.key);
    if (known) return known;
    const entry = new Entry(attempt.key, attempt.requestHash, null);
    entry.hold(attempt);
    book.adopt(entry);
    const account = accounts.of(attempt.broker, attempt.account);
    if (account) {
      const accountBook = book.of(account);
      accountBook.add(entry, accountBook.instrument(attempt));
    } else {
      book.leftBehind(attempt.broker, attempt.account).entries.push({ entry, filled: entry.filled });
    }
    const tracker = new OrderTracker(this.#parts, entry, attempt);
    if (attempt.state === 'SENDING') tracker.take(leftStep());
    void this.#answerThenFollow(entry, tracker);
    return entry;
  }

  /** An order of today that nobody was answered for is polled like a new one. */
  async #answerThenFollow(entry: Entry, tracker: OrderTracker): Promise<void> {
    const { response, tradingDay: day } = tracker.attempt;
    if (response === null && day >= tradingDay(this.#parts.clock.now())) await tracker.answer();
    await this.follow(entry, tracker);
  }

  /** Rebuilds the live book from what earlier processes left. Returns how many attempts were open. */
  async recover(): Promise<number> {
    const { clock, journal, book } = this.#parts;
    const now = clock.now();
    const open = await journal.open();
    await book.learnKeys(journal);
    for (const attempt of await journal.unresolved(now - TOLD_MS)) this.#givenUp.set(attempt.key, attempt);
    // Before the records are read: what a process that still lives writes of an order until then is in them.
    for (const attempt of open) await this.adopt(attempt);
    const { positions, orders } = await journal.openRecords();
    for (const record of positions) book.leftBehind(record.broker, record.account).positions.push(record);
    for (const record of orders) book.leftBehind(record.broker, record.account).orders.push(record);
    for (const { broker, account, ...one } of await journal.askedQuantities(now - DAY_MS)) book.leftBehind(broker, account).asked.push(one);
    for (const attempt of await journal.blocked(now)) {
      const lifeMs = (attempt.expiresAt ?? now) - now;
      book.leftBehind(attempt.broker, attempt.account).blocked.push({ attempt, lifeMs });
    }
    for (const attempt of await journal.changedSince(now - 2 * LAG_MS)) {
      const { broker, account, product, side, filledQuantity: quantity } = attempt;
      // An instant in the future is a clock that was set back.
      const agoMs = Math.max(0, now - attempt.updatedAt);
      book.leftBehind(broker, account).fills.push({ name: attempt, product, side, quantity, agoMs });
    }
    return open.length;
  }

  /** An order may have changed, null when it is not known which: whoever may be meant reads now. */
  wake(orderId: string | null): void {
    for (const { tracker } of this.#parts.book.entries()) {
      if (tracker && (orderId === null || ['', orderId].includes(tracker.attempt.orderId))) tracker.wake();
    }
  }

  /** Ids of the broker's orders that may be an open attempt's; none where its own is known or nothing fits. */
  async candidates(attempt: Attempt): Promise<readonly string[]> {
    if (attempt.orderId !== '') return [];
    const tracker = this.#parts.book.entry(attempt.key)?.tracker;
    const noted = tracker?.attempt.tag === attempt.tag ? tracker.candidates : [];
    return noted.length > 0 ? noted : await this.#parts.journal.candidates(attempt);
  }

  /** What a person found out about an order that nobody else can settle; the attempt as it then stands. Throws in words for that person. */
  async resolve(key: string, outcome: Outcome): Promise<Attempt> {
    const said = await this.#named(await this.#unsettled(key), outcome);
    // Looked up again: while the order id was checked its own tracker may have found it.
    const { entry, tracker } = await this.#takeUp(await this.#unsettled(key));
    const refused = objection(tracker.attempt, entry.filled, said);
    if (refused) throw new Error(refused);
    const followed = tracker.attempt.state !== 'UNRESOLVED';
    tracker.resolve(said);
    if (!followed) void this.follow(entry, tracker);
    const stored = await tracker.settled();
    if (tracker.superseded) throw new Error(replaced(key));
    if (!stored) throw new Error('The order store is away; what you said is kept and written when it is back');
    return tracker.attempt;
  }

  /** The attempt that a person may settle under a key. */
  async #unsettled(key: string): Promise<Attempt> {
    const { journal, clock, book } = this.#parts;
    const entry = book.entry(key);
    const givenUp = this.#givenUp.get(key);
    if (givenUp && entry) throw new Error(replaced(key));
    if (entry && (entry.reply !== null || !entry.tracker)) throw new Error(stillPlacing(key));
    const standing = entry?.attempt ?? givenUp ?? (await journal.find(key, clock.now()));
    if (!standing) throw new UnknownKeyError(key);
    if (isFinal(standing) && standing.state !== 'UNRESOLVED')
      throw new Error(`The order under ${key} is settled already: ${standing.response}`);
    if (entry && isFinal(standing))
      throw new Error(`That the order under ${key} is given up is still being written; ask again in a moment`);
    return standing;
  }

  /** The outcome with its order id, which must not be another order's. */
  async #named(attempt: Attempt, outcome: Outcome): Promise<Settled> {
    const refused = objection(attempt, attempt.filledQuantity, outcome);
    if (refused) throw new Error(refused);
    if (outcome.kind === 'absent') return outcome;
    const { broker, account, key, tag } = attempt;
    const candidates = await this.candidates(attempt);
    const [only = null] = candidates.length === 1 ? candidates : [];
    const orderId = attempt.orderId || (outcome.orderId ?? only ?? tag);
    const owner = (await this.#parts.journal.owners(broker, account, tradingDay(attempt.startedAt), [orderId])).get(orderId);
    if (owner !== undefined && owner !== key)
      throw new Error(`Order ${orderId} is another order of this gateway${owner && `, under ${owner}`}`);
    return { ...outcome, orderId };
  }

  /** What was given up is taken up once more, for a person's word. */
  async #takeUp(standing: Attempt): Promise<{ entry: Entry; tracker: Tracker }> {
    const { book } = this.#parts;
    const { key } = standing;
    if (!isFinal(standing)) {
      const entry = book.entry(key) ?? (await this.adopt(standing));
      if (!entry?.tracker) throw new Error(`The order under ${key} has just been settled; list the orders again`);
      return { entry, tracker: entry.tracker };
    }
    const owned = standing.owner === this.#owner ? standing : await this.#own(standing);
    const other = book.entry(key);
    if (other) throw new Error(other.tag === owned.tag ? `The order under ${key} is being settled by another word already` : replaced(key));
    const entry = new Entry(key, owned.requestHash, null);
    entry.hold(owned);
    book.adopt(entry);
    this.#givenUp.delete(key);
    return { entry, tracker: new OrderTracker(this.#parts, entry, owned) };
  }

  async #own(attempt: Attempt): Promise<Attempt> {
    try {
      return await this.#parts.journal.takeOver(attempt, this.#owner);
    } catch (error) {
      throw error instanceof SupersededError ? new Error(replaced(attempt.key)) : error;
    }
  }
}

function stillPlacing(key: string): string {
  return `The order under ${key} is still being placed; ask again in a moment`;
}

function replaced(key: string): string {
  return `Another order has been placed under ${key} since, and took the place of this one's record; tsm_events still has its story`;
}

import type { Quote } from '../../contract/quotes.ts';
import type { FeedInstrument } from '../brokers/feed.ts';
import type { Reason } from '../brokers/wake.ts';
import type { Clock } from '../clock.ts';
import type { FindByName } from '../instruments/by-name.ts';
import type { Log } from '../log.ts';
import type { Feed } from './feed.ts';
import type { FeedQuote } from './prices.ts';

/** At most one quote of an instrument in this time, to each subscriber. */
const TICK_GAP_MS = 250;
/** How often subscribers are asked to take what moved. */
const BEAT_MS = 50;

export interface TickParts {
  feed: Pick<Feed, 'listen'>;
  clock: Clock;
  log: Log;
  find: FindByName;
}

export interface Subscriber {
  /** Something may have moved: it is time to take it, if there is room. */
  beat(): void;
  /** No ticks come of this instrument, and why. */
  without(name: string, reason: string): void;
}

/** What one subscriber takes; it ends when it is `ended`. */
export interface Subscription {
  /** The newest quotes that are due now, as frames of the stream; null where nothing is. To be called within a beat. */
  take(): Uint8Array | null;
  end(): void;
}

interface Entry {
  name: string;
  quote: FeedQuote | null;
  /** Counts the quotes. */
  version: number;
  /** The frame of this version, made once for all subscribers at the same beat. */
  frame: { text: string; version: number; at: number } | null;
  users: Set<Subscriber>;
  /** Why no ticks come of it; null where they may. */
  missing: string | null;
  stop: () => void;
}

/** What some subscriber took at this beat: who is due the same takes the same bytes. */
interface Batch {
  due: readonly Entry[];
  bytes: Uint8Array;
}

/** The newest quote of each instrument that somebody subscribed to, and nothing older: a subscriber that takes seldom loses the ones between. */
export class Ticks {
  readonly #parts: TickParts;
  readonly #entries = new Map<string, Entry>();
  readonly #subscribers = new Set<Subscriber>();
  /** Counts the quotes of all. */
  #moves = 0;
  #batches: Batch[] = [];
  #beating = false;

  constructor(parts: TickParts) {
    this.#parts = parts;
  }

  /** Subscribes to names without doubles. Names that stand for no instrument are returned instead, and nothing is subscribed. */
  async subscribe(names: readonly string[], subscriber: Subscriber): Promise<Subscription | { unknown: string[] }> {
    const found = await Promise.all(names.map(async (name) => ({ name, instrument: await this.#find(name) })));
    const unknown = found.filter(({ instrument }) => instrument === null).map(({ name }) => name);
    if (unknown.length > 0) return { unknown };
    const entries = found.map(({ name, instrument }) => this.#entry(name, instrument, subscriber));
    this.#subscribers.add(subscriber);
    if (!this.#beating) void this.#beat();
    return this.#subscription(entries, subscriber);
  }

  /** Another session: the same names may stand for other tokens now. */
  wake(reason: Reason): void {
    if (reason !== 'session') return;
    for (const entry of this.#entries.values()) void this.#again(entry);
  }

  /** Null where the broker's file tells that there is none, or several. */
  async #find(name: string): Promise<FeedInstrument | null> {
    const found = await this.#parts.find(name);
    return 'refused' in found || found.listed === false ? null : found;
  }

  #entry(name: string, instrument: FeedInstrument | null, subscriber: Subscriber): Entry {
    const known = this.#entries.get(name);
    if (known) {
      known.users.add(subscriber);
      if (known.missing !== null) subscriber.without(name, known.missing);
      return known;
    }
    const entry: Entry = { name, quote: null, version: 0, frame: null, users: new Set([subscriber]), missing: null, stop: () => undefined };
    this.#entries.set(name, entry);
    if (instrument) this.#listen(entry, instrument);
    return entry;
  }

  #listen(entry: Entry, instrument: FeedInstrument): void {
    entry.stop = this.#parts.feed.listen([instrument], {
      price: (_, quote) => {
        entry.quote = quote;
        entry.missing = null;
        entry.version += 1;
        this.#moves += 1;
      },
      leftOut: () => tellUsers(entry, "The broker's feed does not carry it, or carries no more instruments"),
    });
  }

  async #again(entry: Entry): Promise<void> {
    const instrument = await this.#find(entry.name);
    if (this.#entries.get(entry.name) !== entry) return;
    entry.stop();
    entry.stop = () => undefined;
    entry.missing = null;
    if (instrument) this.#listen(entry, instrument);
    else tellUsers(entry, 'The broker that is connected now does not list it');
  }

  #subscription(entries: readonly Entry[], subscriber: Subscriber): Subscription {
    const taken = entries.map((entry) => ({ entry, version: 0, at: Number.NEGATIVE_INFINITY }));
    let moves = -1;
    return {
      take: () => {
        if (moves === this.#moves) return null;
        const now = this.#parts.clock.mono();
        const due: Entry[] = [];
        let waits = false;
        for (const each of taken) {
          if (each.version === each.entry.version) continue;
          if (now - each.at < TICK_GAP_MS) {
            waits = true;
            continue;
          }
          due.push(each.entry);
          each.version = each.entry.version;
          each.at = now;
        }
        if (!waits) moves = this.#moves;
        return due.length > 0 ? this.#batch(due) : null;
      },
      end: () => {
        this.#subscribers.delete(subscriber);
        for (const entry of entries) this.#leave(entry, subscriber);
      },
    };
  }

  #leave(entry: Entry, subscriber: Subscriber): void {
    entry.users.delete(subscriber);
    if (entry.users.size > 0 || this.#entries.get(entry.name) !== entry) return;
    this.#entries.delete(entry.name);
    entry.stop();
  }

  #batch(due: readonly Entry[]): Uint8Array {
    const same = ({ due: taken }: Batch) => taken.length === due.length && taken.every((entry, index) => entry === due[index]);
    const made = this.#batches.find(same) ?? { due, bytes: Buffer.from(due.map((entry) => this.#frame(entry)).join('')) };
    if (made.due === due) this.#batches.push(made);
    return made.bytes;
  }

  #frame(entry: Entry): string {
    const { frame, quote, version, name } = entry;
    const now = this.#parts.clock.now();
    if (frame?.version === version && now - frame.at < BEAT_MS) return frame.text;
    if (!quote) return '';
    const text = `event: tick\ndata: ${JSON.stringify(quoteOf(name, quote, now))}\n\n`;
    entry.frame = { text, version, at: now };
    return text;
  }

  async #beat(): Promise<void> {
    this.#beating = true;
    while (this.#subscribers.size > 0) {
      await this.#parts.clock.sleep(BEAT_MS);
      this.#batches = [];
      for (const subscriber of this.#subscribers) subscriber.beat();
    }
    this.#beating = false;
  }
}

function tellUsers(entry: Entry, reason: string): void {
  entry.missing = reason;
  for (const user of entry.users) user.without(entry.name, reason);
}

/** What the feed does not tell is null. */
function quoteOf(instrument: string, quote: FeedQuote, now: number): Quote {
  const { lastPrice, at, bid = null, ask = null, open = null, high = null, low = null, close = null, volume = null } = quote;
  const age_ms = Math.max(0, Math.round(now - at));
  return { instrument, last_price: lastPrice, bid, ask, open, high, low, close, volume, at: new Date(at).toISOString(), age_ms };
}

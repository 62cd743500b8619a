import type { BrokerId } from '../../contract/words.ts';
import { Bell } from '../clock.ts';
import type { Log } from '../log.ts';
import { type Directory, StoredDirectory } from './directory.ts';
import { canLoad, type Listing, type LoaderParts, loadMaster } from './loader.ts';
import { type Current, noteFailure, storedMasters, sweep } from './store.ts';
import { fileDay, nextRefresh } from './trading-day.ts';

export type { BrokersName, Directory } from './directory.ts';
export type { InstrumentRow } from './row.ts';

/** After a failed load, and after the ones that follow it. */
const RETRY_MS = [5, 10, 20, 30].map((minutes) => minutes * 60_000);
/** A look-up that has begun is over by then: its statements end after 10 s. */
const RETIRED_MS = 60_000;

export interface InstrumentsParts extends LoaderParts {
  log: Log;
}

type SwapListener = (broker: BrokerId, directory: Directory) => void;

/** What is known of one broker. */
interface Known {
  current: Current | null;
  directory: Directory | null;
  /** Why the last load failed. */
  failure: string | null;
  failures: number;
  /** Not before this, epoch ms. */
  retryAt: number;
}

/**
 * The instruments of each broker, from its own file: read in a worker when a session comes up and the file is older than the trading day's, every day at the
 * hour of the refresh, and again after failures. The last good file stays until another one stands whole in its place. Nothing waits for a load.
 */
export class Instruments {
  readonly #parts: InstrumentsParts;
  readonly #known = new Map<BrokerId, Known>();
  readonly #listeners = new Set<SwapListener>();
  /** Loads that were replaced a moment ago. */
  readonly #retired = new Set<number>();
  readonly #stop = new AbortController();
  #wake = new Bell();
  #active: Listing | null = null;
  /** Loads now, whatever the day of the file. */
  #forced = false;
  #loading: { broker: BrokerId; stop: AbortController } | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: InstrumentsParts) {
    this.#parts = parts;
  }

  /** The instruments of a broker; null when its file was never read to its end. */
  of(broker: BrokerId): Directory | null {
    return this.#known.get(broker)?.directory ?? null;
  }

  /** Why there are none, or none of today, in words for a person. */
  messageOf(broker: BrokerId): string {
    const failure = this.#known.get(broker)?.failure;
    if (failure) return failure;
    return canLoad(this.#parts, broker)
      ? `The instrument file of ${broker} is being read`
      : `The instrument file of ${broker} is not read here`;
  }

  /** Called after the instruments of a broker were replaced; the answer ends it. */
  onSwap(listener: SwapListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes what is stored, at once, and keeps the active broker's file at the trading day's from then on. Rejects when the store does not answer. */
  async start(): Promise<void> {
    for (const { broker, current, message } of await storedMasters(this.#parts.db)) {
      const known = this.#of(broker);
      known.failure = message;
      if (current) this.#take(broker, current);
    }
    this.#running = this.#run();
  }

  /** A session came up: its broker's file is the one that counts. */
  follow(broker: Listing): void {
    const changed = this.#active?.id !== broker.id;
    this.#active = broker;
    if (changed && this.#loading) this.#loading.stop.abort();
    this.#wake.ring();
  }

  /** A session ended. A load that runs goes on: it needs none. */
  leave(broker: Listing): void {
    if (this.#active === broker) this.#active = null;
  }

  /** Reads the active broker's file now, whatever the day of the one there is. */
  refresh(): void {
    this.#forced = true;
    this.#wake.ring();
  }

  /** Ends a load that runs; what is stored stays as it is. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#loading?.stop.abort();
    this.#wake.ring();
    await this.#running;
  }

  #of(broker: BrokerId): Known {
    const known = this.#known.get(broker) ?? { current: null, directory: null, failure: null, failures: 0, retryAt: 0 };
    this.#known.set(broker, known);
    return known;
  }

  async #run(): Promise<void> {
    const { clock } = this.#parts;
    while (!this.#stop.signal.aborted) {
      // Taken before the look: what rings while a load runs asks for another look.
      const rung = AbortSignal.any([this.#stop.signal, this.#wake.signal]);
      const broker = this.#active;
      const wait = broker ? this.#dueIn(broker.id) : Number.POSITIVE_INFINITY;
      if (broker && wait <= 0) await this.#load(broker);
      else await clock.sleep(Math.min(wait, 3_600_000), rung);
    }
  }

  /** Milliseconds until the broker's file is to be read. */
  #dueIn(broker: BrokerId): number {
    const now = this.#parts.clock.now();
    if (!canLoad(this.#parts, broker)) return Number.POSITIVE_INFINITY;
    if (this.#forced) return 0;
    const { current, retryAt } = this.#of(broker);
    if (current && current.asOf >= fileDay(now)) return nextRefresh(now) - now;
    return retryAt - now;
  }

  async #load(broker: Listing): Promise<void> {
    const { clock, log } = this.#parts;
    const known = this.#of(broker.id);
    const stop = new AbortController();
    const began = clock.mono();
    this.#forced = false;
    this.#loading = { broker: broker.id, stop };
    try {
      const before = known.current;
      const { current, skipped } = await loadMaster(this.#parts, broker, before, stop.signal);
      Object.assign(known, { failure: null, failures: 0, retryAt: 0 });
      log.info(
        { broker: broker.id, asOf: current.asOf, rows: current.rows, skipped, ms: Math.round(clock.mono() - began) },
        'Instruments read',
      );
      this.#take(broker.id, current);
      if (before) void this.#retire(before.generation);
    } catch (error) {
      if (!stop.signal.aborted) await this.#fail(broker.id, known, error);
    } finally {
      this.#loading = null;
      await this.#sweep();
    }
  }

  async #fail(broker: BrokerId, known: Known, error: unknown): Promise<void> {
    const { db, clock, log } = this.#parts;
    const reason = error instanceof Error ? error.message : String(error);
    const kept = known.current;
    const day = fileDay(clock.now());
    known.failure = `The instrument file of ${day} was not taken: ${reason}${kept ? `; the one of ${kept.asOf} is kept` : ''}`;
    known.retryAt = clock.now() + (RETRY_MS[Math.min(known.failures, RETRY_MS.length - 1)] ?? 0);
    known.failures += 1;
    log.warn({ broker, kept: kept?.asOf ?? null, reason }, 'The instrument file was not taken; it is tried again');
    await noteFailure(db, broker, known.failure, kept).catch((failed: unknown) => {
      log.warn({ broker, error: String(failed) }, 'That the instrument file was not taken could not be written down');
    });
  }

  /** Makes a load the one that look-ups see, and tells. */
  #take(broker: BrokerId, current: Current): void {
    const { db, clock, log } = this.#parts;
    const known = this.#of(broker);
    const isToday = () => current.asOf >= fileDay(clock.now());
    const message = () => known.failure ?? `The instrument file of ${fileDay(clock.now())} has not been read yet`;
    const directory = new StoredDirectory({ db, clock, current, isToday, message });
    Object.assign(known, { current, directory });
    for (const listener of this.#listeners) {
      try {
        listener(broker, directory);
      } catch (error) {
        log.error({ broker, error: String(error) }, 'A follower of the instruments failed');
      }
    }
  }

  /** Whoever looks up in a load that was just replaced may still do so for a minute. */
  async #retire(generation: number): Promise<void> {
    this.#retired.add(generation);
    await this.#parts.clock.sleep(RETIRED_MS, this.#stop.signal);
    this.#retired.delete(generation);
    if (!this.#stop.signal.aborted && !this.#loading) await this.#sweep();
  }

  /** The loads that somebody may read, whatever became of what was last written about them. */
  #read(): Set<number> {
    const current = [...this.#known.values()].flatMap((known) => known.current?.generation ?? []);
    return new Set([...this.#retired, ...current]);
  }

  /** Removes what nobody reads any more; what is left is met by the next one. */
  async #sweep(): Promise<void> {
    const { db, log } = this.#parts;
    await sweep(db, this.#read(), this.#stop.signal).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) log.warn({ error: String(error) }, 'Old instruments could not be removed; it is tried again');
    });
  }
}

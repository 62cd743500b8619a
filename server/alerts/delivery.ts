import type { ChannelState } from '../../contract/alerts.ts';
import { Bell, type Clock, type Random } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Channel } from './post.ts';
import type { Row } from './store.ts';

/** Alerts that may wait on one channel; beyond, the oldest goes. */
export const MOST_WAITING = 500;
/** Pauses after a failure, each moved by up to half. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 300_000;
/** An alert that is refused so often for what it holds is dropped, or nothing would pass it. */
const MOST_REFUSALS = 5;
const IDLE_MS = 3_600_000;

export interface DeliveryParts {
  clock: Clock;
  random: Random;
  log: Log;
  channel: Channel;
  /** The alert was delivered: that is to be written down. Never rejects. */
  sent(row: Waiting): Promise<void>;
  /** It was refused for what it holds, and is given up. */
  refused(row: Waiting): void;
}

/** An alert in the queue of a channel. */
export interface Waiting extends Row {
  /** It stands in the store, or the store is away: it may leave. */
  ready: boolean;
  /** It leaves right now: it cannot be changed any more. */
  leaving: boolean;
  /** How often it was refused for what it holds. */
  refusals: number;
}

/** One channel's queue: oldest first, one at a time, tried again with growing pauses until it is taken. Holds nobody up, and never throws. */
export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #stop = new AbortController();
  readonly #bell = new Bell();
  #queue: Waiting[] = [];
  #running: Promise<void> = Promise.resolve();
  /** Id of the alert that tells of dropped ones. */
  #first = '';
  #dropped = 0;
  #lastSentAt: number | null = null;
  #lastFailedAt: number | null = null;
  #lastFailure: string | null = null;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  get channel(): Channel {
    return this.#parts.channel;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Puts an alert at the end, or in the place of an earlier text of the same one. Returns those that had to go. */
  put(row: Row, ready: boolean): Waiting[] {
    const known = this.#queue.find((one) => one.id === row.id);
    if (known && !known.leaving) Object.assign(known, row);
    if (known) return [];
    this.#queue.push({ ...row, ready, leaving: false, refusals: 0 });
    const gone: Waiting[] = [];
    const over = this.#queue.filter((one) => !one.leaving && one.id !== this.#first);
    if (over.length > MOST_WAITING) gone.push(...over.slice(0, over.length - MOST_WAITING));
    if (gone.length > 0) this.#queue = this.#queue.filter((one) => !gone.includes(one));
    this.#dropped += gone.length;
    return gone;
  }

  /** Puts an alert before all others, or in the place of its earlier text; it does not count. */
  putFirst(row: Row): void {
    const known = this.#queue.find((one) => one.id === row.id);
    if (known) Object.assign(known, row);
    this.#first = row.id;
    if (!known) this.#queue.unshift({ ...row, ready: true, leaving: false, refusals: 0 });
  }

  /** What was put may leave now. */
  release(ids: ReadonlySet<string>): void {
    for (const one of this.#queue) if (ids.has(one.id)) one.ready = true;
    this.#bell.ring();
  }

  state(): ChannelState {
    const { channel } = this.#parts;
    return {
      channel: channel.name,
      host: channel.host,
      waiting: this.#queue.length,
      dropped: this.#dropped,
      last_sent_at: iso(this.#lastSentAt),
      last_failed_at: iso(this.#lastFailedAt),
      last_failure: this.#lastFailure,
    };
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#parts.channel.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#parts;
    const { signal } = this.#stop;
    let failures = 0;
    while (!signal.aborted) {
      const heard = this.#bell.signal;
      const now = clock.now();
      const next = this.#queue.find((one) => one.ready && one.dueAt <= now);
      if (!next) {
        const waits = this.#queue.filter(({ ready }) => ready).map(({ dueAt }) => dueAt - now);
        await clock.sleep(Math.max(1, Math.min(IDLE_MS, ...waits)), AbortSignal.any([heard, signal]));
        continue;
      }
      const pauseMs = await this.#send(next, failures);
      failures = pauseMs === 0 ? 0 : failures + 1;
      const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20));
      if (pauseMs > 0) await clock.sleep(Math.max(pauseMs, longest * (0.5 + random.next())), signal);
    }
  }

  /** Returns 0 when the next one may follow at once, else the least pause. */
  async #send(row: Waiting, failures: number): Promise<number> {
    const { channel, clock, log, sent, refused } = this.#parts;
    row.leaving = true;
    const answer = await channel.send(row.body);
    if (answer.ok) {
      // It counts as waiting until that is written down.
      await sent(row);
      this.#remove(row);
      this.#lastSentAt = clock.now();
      if (failures > 0) log.info({ channel: channel.name }, 'Alerts are delivered again');
      return 0;
    }
    row.leaving = false;
    if (this.#stop.signal.aborted) return 0;
    this.#lastFailedAt = clock.now();
    this.#lastFailure = answer.why;
    if (failures === 0) log.warn({ channel: channel.name, why: answer.why }, 'An alert could not be delivered; it is tried again');
    row.refusals += answer.hopeless ? 1 : 0;
    if (row.refusals >= MOST_REFUSALS) {
      this.#remove(row);
      this.#dropped += 1;
      log.error({ channel: channel.name, why: answer.why, id: row.id }, 'An alert was refused for what it holds; it is dropped');
      refused(row);
    }
    return Math.max(1, answer.pauseMs);
  }

  #remove(row: Waiting): void {
    this.#queue = this.#queue.filter((one) => one !== row);
  }
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

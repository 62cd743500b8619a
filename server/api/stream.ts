import type { GatewayEvent } from '../../contract/events.ts';
import type { Clock } from '../clock.ts';
import type { EventHub } from '../events/hub.ts';
import type { Subscription, Ticks } from '../feed/ticks.ts';
import type { Log } from '../log.ts';

/** Where a stream writes. */
export interface Sink {
  /** False: it is full, and nothing is to be written until it has drained. */
  write(text: string | Uint8Array): boolean;
  end(): void;
  /** Ends it whatever is left to be written. */
  destroy(): void;
}

export interface StreamParts {
  hub: EventHub;
  ticks: Ticks;
  clock: Clock;
  log: Log;
}

/** Events of one write. */
const BATCH = 200;
/** A reader that falls so many events further behind than it was at its beginning is cut. */
const MOST_BEHIND = 10_000;
/** What a cut stream still has to say is waited for this long. */
const LINGER_MS = 5000;
const HEARTBEAT_MS = 15_000;
/** What a client that lost its connection waits before it comes back. */
const RETRY_MS = 1000;

/**
 * One caller's stream: events from its own place among them, never lost, and the newest ticks. What a slow reader has not taken is not kept: events
 * are read again from where it stands, ticks are taken when there is room.
 */
export class Stream {
  readonly #parts: StreamParts;
  readonly #sink: Sink;
  readonly #onEnd: () => void;
  readonly #unfollow: () => void;
  readonly #totalBefore: number;
  #ticks: Subscription | null = null;
  /** The number of the last event written. */
  #cursor: number;
  #written = 0;
  #full = false;
  #pumping = false;
  /** Called while it was pumping. */
  #again = false;
  #ended = false;
  #heartbeatAt: number;

  /** Begins after the event `cursor`; `onEnd` is called once. */
  constructor(parts: StreamParts, cursor: number, sink: Sink, onEnd: () => void) {
    this.#parts = parts;
    this.#sink = sink;
    this.#onEnd = onEnd;
    this.#cursor = cursor;
    this.#totalBefore = parts.hub.total;
    this.#heartbeatAt = parts.clock.mono() + HEARTBEAT_MS;
    // By the standard an id counts at the empty line, with or without data: a client that is cut before its first event knows where it stands.
    this.#write(`retry: ${RETRY_MS}\nid: ${cursor}\n\n`);
    this.#unfollow = parts.hub.follow(() => this.#hear());
    void this.#pump();
  }

  /** The quotes it sends; ended with the stream. */
  tick(ticks: Subscription): void {
    if (this.#ended) ticks.end();
    else this.#ticks = ticks;
  }

  /** The sink has room again. */
  drained(): void {
    this.#full = false;
    void this.#pump();
  }

  /** Takes the ticks that are due. */
  beat(): void {
    if (this.#full || this.#ended) return;
    const ticks = this.#ticks?.take();
    if (ticks) this.#write(ticks);
  }

  /** To be called every second: a comment when one is due, and another try where events could not be read. */
  keepAlive(): void {
    void this.#pump();
    const now = this.#parts.clock.mono();
    if (now < this.#heartbeatAt || this.#ended) return;
    this.#heartbeatAt = now + HEARTBEAT_MS;
    if (!this.#full) this.#write(':\n\n');
  }

  /** A notice of its own, without a number. */
  notice(kind: string, detail: object): void {
    if (this.#ended) return;
    const at = new Date(this.#parts.clock.now()).toISOString();
    const event: GatewayEvent = { id: 0, topic: 'notice', kind, at, broker: null, symbol: null, order_id: null, detail };
    this.#write(`event: notice\ndata: ${JSON.stringify(event)}\n\n`);
  }

  /** Says why, and ends. Where the reader does not take it in `lingerMs`, it is cut. */
  cut(kind: string, message: string, lingerMs = LINGER_MS): void {
    if (this.#ended) return;
    this.notice(kind, { message });
    this.end();
    void this.#parts.clock.sleep(lingerMs).then(() => this.#sink.destroy());
  }

  /** Ends without a word; also when the caller is gone. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unfollow();
    this.#ticks?.end();
    this.#sink.end();
    this.#onEnd();
  }

  #write(text: string | Uint8Array): void {
    if (!this.#sink.write(text)) this.#full = true;
  }

  #hear(): void {
    const behind = this.#parts.hub.total - this.#totalBefore - this.#written;
    if (behind >= MOST_BEHIND)
      this.cut('stream.behind', `This stream is ${MOST_BEHIND} events behind and ends here; it goes on behind Last-Event-ID`);
    else void this.#pump();
  }

  /** Writes what there is, as long as there is room. */
  async #pump(): Promise<void> {
    this.#again = true;
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (!this.#full && !this.#ended) {
        this.#again = false;
        const found = this.#parts.hub.after(this.#cursor, BATCH);
        const told = Array.isArray(found) ? found : await found;
        const last = told.at(-1);
        if (this.#ended) break;
        if (!last) {
          if (this.#again) continue;
          break;
        }
        this.#write(told.map(({ frame }) => frame).join(''));
        this.#cursor = last.id;
        this.#written += told.length;
      }
    } catch (error) {
      this.#parts.log.warn({ error: String(error) }, 'A stream could not read its events');
    } finally {
      this.#pumping = false;
    }
  }
}

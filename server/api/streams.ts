import type { Clock } from '../clock.ts';
import type { EventHub } from '../events/hub.ts';
import type { Ticks } from '../feed/ticks.ts';
import type { Log } from '../log.ts';
import { type Sink, Stream, type StreamParts } from './stream.ts';

export type { Sink, Stream } from './stream.ts';

export interface StreamRequest {
  /** Begins behind this event; null: now. */
  after: number | null;
  /** Names without doubles. */
  instruments: readonly string[];
  /** Whether the user who opened it may still read. Rejects when that cannot be told. */
  mayRead(): Promise<boolean>;
}

/** Why there is no stream: what is wrong with the request, or how long to wait. */
export type StreamRefusal = { field: string; message: string } | { retryAfterS: number; message: string };

const MOST_STREAMS = 200;
const CARE_MS = 1000;
/** A slow reader does not hold up a stop. */
const STOP_LINGER_MS = 200;

interface Living {
  stream: Stream;
  mayRead: StreamRequest['mayRead'];
}

/** All streams of this gateway: how many there may be, their heartbeat, and the users who may not read any more. */
export class Streams {
  readonly #parts: StreamParts;
  readonly #living = new Set<Living>();
  /** Those that are open or being opened. */
  #open = 0;
  #caring = false;
  #stopped = false;

  constructor(parts: { hub: EventHub; ticks: Ticks; clock: Clock; log: Log }) {
    this.#parts = parts;
  }

  /** Streams that are open or being opened. */
  get count(): number {
    return this.#open;
  }

  /** Opens a stream. `begin` is called when it can begin, and makes what it is written to. Never rejects. */
  async open(asked: StreamRequest, begin: () => Sink): Promise<Stream | StreamRefusal> {
    if (this.#stopped) return { retryAfterS: 1, message: 'The gateway is stopping' };
    if (this.#open >= MOST_STREAMS) return { retryAfterS: 5, message: `There are ${MOST_STREAMS} streams already; end one, or try again` };
    this.#open += 1;
    const opened = await this.#begin(asked, begin).catch((error: unknown): StreamRefusal => {
      this.#parts.log.warn({ error: String(error) }, 'A stream could not be opened');
      return { retryAfterS: 1, message: 'The events cannot be read right now' };
    });
    if (!(opened instanceof Stream)) this.#open -= 1;
    return opened;
  }

  /** Ends all streams at once, and opens none from now on. */
  stop(): void {
    this.#stopped = true;
    for (const { stream } of this.#living)
      stream.cut('stream.stopping', 'The gateway is stopping; come back with Last-Event-ID', STOP_LINGER_MS);
  }

  async #begin({ after, instruments, mayRead }: StreamRequest, begin: () => Sink): Promise<Stream | StreamRefusal> {
    const { hub, ticks } = this.#parts;
    const cursor = after === null ? await hub.position() : after;
    if (cursor === null) return { retryAfterS: 1, message: 'The events cannot be read right now: somebody has been writing one for 2 s' };
    if (after !== null && after > (await hub.newest())) return { field: 'Last-Event-ID', message: 'must be the number of an event' };
    let stream: Stream | null = null;
    const left: [name: string, reason: string][] = [];
    const without = (instrument: string, message: string) => stream?.notice('stream.no_ticks', { instrument, message });
    const subscribed = await ticks.subscribe(instruments, {
      beat: () => stream?.beat(),
      without: (name, reason) => (stream ? without(name, reason) : left.push([name, reason])),
    });
    if ('unknown' in subscribed)
      return { field: 'instruments', message: `must name instruments of the connected broker; unknown: ${subscribed.unknown.join(', ')}` };
    if (this.#stopped) {
      subscribed.end();
      return { retryAfterS: 1, message: 'The gateway is stopping' };
    }
    stream = this.#made(cursor, begin(), mayRead);
    stream.tick(subscribed);
    for (const [name, reason] of left) without(name, reason);
    return stream;
  }

  #made(cursor: number, sink: Sink, mayRead: StreamRequest['mayRead']): Stream {
    const onEnd = () => {
      this.#living.delete(living);
      this.#open -= 1;
    };
    const living: Living = { stream: new Stream(this.#parts, cursor, sink, onEnd), mayRead };
    this.#living.add(living);
    if (!this.#caring) void this.#care();
    return living.stream;
  }

  async #care(): Promise<void> {
    this.#caring = true;
    while (this.#living.size > 0) {
      await this.#parts.clock.sleep(CARE_MS);
      await Promise.all([...this.#living].map((one) => careFor(one)));
    }
    this.#caring = false;
  }
}

/** Users are revoked by another process; where nobody can be looked up, who was let in stays. */
async function careFor({ stream, mayRead }: Living): Promise<void> {
  stream.keepAlive();
  if (!(await mayRead().catch(() => true))) stream.cut('stream.revoked', 'The token of this stream is not valid any more');
}

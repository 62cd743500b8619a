import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Clock } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import type { Instrument } from '../types.ts';
import type { StreamFault } from './faults.ts';
import type { Frame, Link, Stream, Talk, Tick } from './stream.ts';

/** A connection with its planted troubles. */
export class OpenLink {
  readonly talk: Talk;
  readonly #socket: WebSocket;
  readonly #wire: Duplex;
  readonly #clock: Clock;
  readonly #strike: () => StreamFault | null;
  readonly #wants = new Set<Instrument>();
  readonly #told = new Map<Instrument, string>();
  #silent = false;
  #held: Frame | null = null;

  constructor(
    stream: Stream,
    about: Pick<Link, 'request' | 'refused'>,
    socket: WebSocket,
    wire: Duplex,
    clock: Clock,
    strike: () => StreamFault | null,
  ) {
    this.#socket = socket;
    this.#wire = wire;
    this.#clock = clock;
    this.#strike = strike;
    this.talk = stream.talk({
      ...about,
      wants: this.#wants,
      send: (frame) => this.#write(frame),
      close: (code) => socket.close(code),
    });
    socket.on('error', () => socket.terminate());
    socket.on('message', (data, binary) =>
      this.talk.message(Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer), binary),
    );
    this.talk.opened?.();
    if (this.talk.beat) void this.#keepBeating(this.talk.beat);
  }

  /** Sends frames that are news, each of which a fault may strike. */
  push(frames: readonly Frame[]): void {
    for (const frame of frames) this.#struck(frame, this.#strike());
  }

  tick(exchange: Exchange): void {
    for (const known of this.#told.keys()) if (!this.#wants.has(known)) this.#told.delete(known);
    const moved: Tick[] = [];
    for (const instrument of this.#wants) {
      const quote = exchange.quote(instrument);
      if (this.#told.get(instrument) === quote.last) continue;
      this.#told.set(instrument, quote.last);
      moved.push({ instrument, quote });
    }
    if (moved.length > 0) this.push(this.talk.ticks?.(moved) ?? []);
  }

  drop(): void {
    this.#socket.terminate();
  }

  #struck(frame: Frame, fault: StreamFault | null): void {
    const held = this.#held;
    this.#held = null;
    switch (fault?.kind) {
      case 'streamSilence':
        this.#silent = true;
        this.#socket.pause();
        break;
      case 'streamDrop':
        this.drop();
        break;
      case 'streamLate':
        void this.#clock.sleep(fault.delayMs).then(() => this.#write(frame));
        break;
      case 'streamDuplicate':
        this.#write(frame);
        this.#write(frame);
        break;
      case 'streamReorder':
        this.#held = frame;
        break;
      case 'streamHalfFrame':
        this.#write(frame.slice(0, Math.ceil(frame.length / 2)));
        break;
      case 'streamCloseInFrame':
        // The head of a frame that promises more bytes than ever come.
        this.#wire.write(Buffer.concat([Buffer.from([0x82, 126, 0x10, 0x00]), Buffer.from(frame).subarray(0, 8)]), () => this.drop());
        break;
      default:
        this.#write(frame);
    }
    if (held !== null) this.#write(held);
  }

  #write(frame: Frame): void {
    if (!this.#silent && this.#socket.readyState === this.#socket.OPEN) this.#socket.send(frame, () => undefined);
  }

  async #keepBeating(beat: NonNullable<Talk['beat']>): Promise<void> {
    const closed = new AbortController();
    this.#socket.once('close', () => closed.abort());
    while (!closed.signal.aborted) {
      await this.#clock.sleep(beat.everyMs, closed.signal);
      this.#write(beat.frame());
    }
  }
}

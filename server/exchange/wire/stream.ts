import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import type { BrokerId, ExchangeOrder, Instrument, Quote, Trade } from '../types.ts';
import type { Faults, StreamFault } from './faults.ts';
import type { WireReply, WireRequest } from './message.ts';

/** One message of a socket: text or bytes. */
export type Frame = string | Uint8Array;

/** What one connection can do, as its talk sees it. */
export interface Link {
  /** The handshake. */
  request: WireRequest;
  /** A planted fault makes the broker refuse this sign-in, in its own way. */
  refused: boolean;
  send(frame: Frame): void;
  /** Instruments whose prices this connection wants. The talk adds and removes. */
  wants: Set<Instrument>;
  close(code?: number): void;
}

/** One broker's words on one connection. */
export interface Talk {
  /** Once, when the socket is open. */
  opened?(): void;
  message(frame: Buffer, binary: boolean): void;
  /** Frames for instruments whose price moved, at most one call a second. */
  ticks?(moved: readonly Tick[]): Frame[];
  /** Frames for an order of the account that changed; `trade` when a fill did it. */
  order?(order: ExchangeOrder, trade: Trade | undefined): Frame[];
  /** The connection is over, whoever ended it. */
  closed?(): void;
  /** What the broker sends by itself. */
  beat?: { everyMs: number; frame(): Frame };
}

export interface Tick {
  instrument: Instrument;
  quote: Quote;
}

/** One socket endpoint of an emulator. */
export interface Stream {
  /** Path of the handshake, without query. */
  path: string;
  /** The answer instead of a socket: a refusal, a redirect; null lets it in. */
  admit(request: WireRequest, refused: boolean): WireReply | null;
  talk(link: Link): Talk;
}

export interface StreamServerOptions {
  broker: BrokerId;
  streams: readonly Stream[];
  exchange: Exchange;
  faults: Faults;
}

export interface StreamServer {
  upgrade(request: WireRequest, incoming: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

const TICKS_EVERY_MS = 1000;

/** Serves the sockets of one emulator: prices once a second, orders when they change, and the faults planted for them. */
export function serveStreams({ broker, streams, exchange, faults }: StreamServerOptions): StreamServer {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1_048_576, perMessageDeflate: false });
  const links = new Set<OpenLink>();
  const stopped = new AbortController();
  const stopListening = exchange.onOrder((order, trade) => {
    if (order.account !== broker || order.visibleAt > exchange.clock.now()) return;
    for (const link of links) link.push(link.talk.order?.(order, trade) ?? []);
  });

  function upgrade(request: WireRequest, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const stream = streams.find(({ path }) => path === request.path);
    const refused = stream !== undefined && faults.strikeStream(broker, 'handshake') !== null;
    const reply = stream ? stream.admit(request, refused) : { status: 404, headers: {}, body: '' };
    if (!stream || reply) {
      answer(socket, reply ?? { status: 404, headers: {}, body: '' });
      return;
    }
    server.handleUpgrade(incoming, socket, head, (webSocket) => {
      const link = openLink(stream, request, refused, webSocket, socket);
      links.add(link);
      webSocket.once('close', () => {
        links.delete(link);
        link.talk.closed?.();
      });
    });
  }

  function openLink(stream: Stream, request: WireRequest, refused: boolean, webSocket: WebSocket, socket: Duplex): OpenLink {
    return new OpenLink(stream, { request, refused }, webSocket, socket, exchange.clock, () => faults.strikeStream(broker, 'frame'));
  }

  void keepTicking(links, exchange, stopped.signal);
  return {
    upgrade,
    close() {
      stopped.abort();
      stopListening();
      for (const link of links) link.drop();
    },
  };
}

async function keepTicking(links: ReadonlySet<OpenLink>, exchange: Exchange, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await exchange.clock.sleep(TICKS_EVERY_MS, signal);
    for (const link of links) link.tick(exchange);
  }
}

/** A connection with its planted troubles. */
class OpenLink {
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

function answer(socket: Duplex, { status, headers, body }: WireReply): void {
  const lines = Object.entries({ ...headers, Connection: 'close', 'Content-Length': String(Buffer.byteLength(body)) });
  const head = [`HTTP/1.1 ${status} -`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

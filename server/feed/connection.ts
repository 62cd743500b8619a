import { WebSocket } from 'ws';
import type { FeedOpening, FeedTalk, Frame, FrameQuote, WireKey } from '../brokers/feed.ts';
import type { Clock } from '../clock.ts';

/** A connection that is not signed in by then is given up. */
export const SIGN_IN_MS = 7000;
const LARGEST_FRAME = 4 * 1024 * 1024;

/** What a connection tells. */
export interface Hears {
  ready(): void;
  refused(reason: string): void;
  price(key: WireKey, rupees: number, at: number | null): void;
  quote(key: WireKey, quote: FrameQuote): void;
  order(orderId: string | null): void;
}

/** One WebSocket from open to close. */
export class Connection {
  readonly ended: Promise<string>;
  readonly openedAt: number;
  /** When anything came, and when a frame came, on the monotonic clock. */
  heardAt: number;
  frameAt: number;
  ready = false;
  readonly #socket: WebSocket;
  readonly #talk: FeedTalk;
  readonly #over = new AbortController();
  #why = 'closed';

  constructor({ url, headers, followRedirects = false, localAddress, talk }: FeedOpening, clock: Clock, hears: Hears) {
    this.openedAt = clock.mono();
    this.heardAt = this.openedAt;
    this.frameAt = this.openedAt;
    this.#talk = talk;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ended = promise;
    const options = { headers: { ...headers }, followRedirects, localAddress, handshakeTimeout: SIGN_IN_MS, maxPayload: LARGEST_FRAME };
    const socket = new WebSocket(url, { ...options, family: 4, perMessageDeflate: false });
    this.#socket = socket;
    const heard = () => {
      this.heardAt = clock.mono();
    };
    const ready = () => {
      if (this.ready || this.over.aborted) return;
      this.ready = true;
      hears.ready();
    };
    const refused = (reason: string) => {
      hears.refused(reason);
      this.end(`refused: ${reason}`);
    };
    const sink = { ...hears, ready, refused, reply: (frame: Frame) => this.send(frame) };
    socket.on('open', () => {
      heard();
      for (const frame of talk.hello) this.send(frame);
      if (!talk.awaitsReady) ready();
    });
    socket.on('message', (data, binary) => {
      if (this.over.aborted) return;
      heard();
      this.frameAt = this.heardAt;
      const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer);
      talk.decode(binary ? bytes : bytes.toString('utf8'), sink);
    });
    socket.on('ping', heard);
    socket.on('pong', heard);
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      const { statusCode } = response;
      if (statusCode === 401 || statusCode === 403) refused(`HTTP ${statusCode}`);
      else this.end(`HTTP ${statusCode}`);
    });
    socket.on('error', (error) => this.end(error.message));
    socket.on('close', (code) => {
      this.end(`closed with ${code}`);
      resolve(this.#why);
    });
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  change(added: readonly WireKey[], dropped: readonly WireKey[]): void {
    if (!this.ready) return;
    if (dropped.length > 0) for (const frame of this.#talk.unsubscribe(dropped)) this.send(frame);
    if (added.length > 0) for (const frame of this.#talk.subscribe(added)) this.send(frame);
  }

  send(frame: Frame): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(frame, () => undefined);
  }

  ping(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping(() => undefined);
  }

  end(why: string): void {
    if (this.over.aborted) return;
    this.#why = why;
    this.#over.abort('over');
    this.#socket.terminate();
  }
}

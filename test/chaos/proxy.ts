import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Random, seededRandom, systemClock } from '../../server/clock.ts';

const troubles = ['delay', 'slice', 'cut', 'half-close', 'black hole'] as const;
type Trouble = (typeof troubles)[number];

/** Of the pieces that pass while there is trouble, this share meets one. */
const SHARE = 0.25;
const LONGEST_DELAY_MS = 400;
const SMALLEST_SLICE = 1;
const LARGEST_SLICE = 64;
/** More would take longer than a caller waits. */
const MOST_SLICES = 150;

/** What the proxy may do at the moments of a placing request that only the wire sees. */
export interface Watch {
  /** Whether a request line (`POST /orders/regular HTTP/1.1`) places an order. */
  places(requestLine: string): boolean;
  /** All bytes of a placing request have left the gateway and none has reached the exchange. True: send them on; false: they are lost. */
  written?(): Promise<boolean>;
  /** The exchange has answered a placing request and the gateway has not read a byte of it. */
  answered?(): Promise<void>;
}

export interface Wire {
  port: number;
  /** From now on pieces in both directions are delayed, sliced, cut, half-closed or swallowed, as the seed draws. */
  trouble(seed: number): void;
  calm(): void;
  watch(watch: Watch | null): void;
  /** How often each trouble came. */
  counts: Record<Trouble, number>;
  close(): Promise<void>;
}

/** A TCP proxy on a free loopback port before `port`: faithful until told otherwise. */
export async function startProxy(port: number): Promise<Wire> {
  const sockets = new Set<Socket>();
  const counts: Record<Trouble, number> = { delay: 0, slice: 0, cut: 0, 'half-close': 0, 'black hole': 0 };
  let random: Random | null = null;
  let watch: Watch | null = null;

  function draw(): Trouble | null {
    if (!random || random.next() >= SHARE) return null;
    const trouble = troubles[Math.floor(random.next() * troubles.length)] ?? 'delay';
    counts[trouble] += 1;
    return trouble;
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const upstream = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      socket.on('error', () => undefined);
    }
    const line = new Line(client, upstream, { draw, random: () => random, watch: () => watch, renamed });
    void line.carry(client, upstream);
    void line.carry(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  // As many digits, so that no length in a head changes.
  function renamed(piece: Buffer): Buffer {
    const there = `127.0.0.1:${port}`;
    return String(own).length === String(port).length && piece.includes(there)
      ? Buffer.from(piece.toString('latin1').replaceAll(there, `127.0.0.1:${own}`), 'latin1')
      : piece;
  }
  return {
    port: own,
    trouble: (seed) => {
      random = seededRandom(seed);
    },
    calm: () => {
      random = null;
    },
    watch: (next) => {
      watch = next;
    },
    counts,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Weather {
  draw(): Trouble | null;
  random(): Random | null;
  watch(): Watch | null;
  /** A broker that names its own address names the proxy's instead. */
  renamed(piece: Buffer): Buffer;
}

/** One connection through the proxy. */
class Line {
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #weather: Weather;
  /** Bytes of the request under way that were not sent on yet, while somebody watches. */
  #request = Buffer.alloc(0);
  #placing = false;
  /** A socket of the feed: its frames are no requests. */
  #isFeed = false;
  #swallows = false;

  constructor(client: Socket, upstream: Socket, weather: Weather) {
    this.#client = client;
    this.#upstream = upstream;
    this.#weather = weather;
  }

  /** Carries one direction, piece by piece, to its end. */
  async carry(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const piece of from) await this.#pass(piece, from, to);
    } catch {
      // A killed process resets its connections: what it had sent before is still carried.
    }
    if (!this.#swallows) to.end();
  }

  async #pass(piece: Buffer, from: Socket, to: Socket): Promise<void> {
    if (this.#swallows) return;
    if (from === this.#client && /\r\nupgrade: *websocket/i.test(piece.toString('latin1'))) this.#isFeed = true;
    const watch = this.#isFeed ? null : this.#weather.watch();
    const named = from === this.#upstream ? this.#weather.renamed(piece) : piece;
    const bytes = watch ? await this.#watched(watch, named, from) : named;
    if (bytes.length === 0 || to.destroyed) return;
    switch (this.#weather.draw()) {
      case 'delay':
        await systemClock.sleep(this.#chance() * LONGEST_DELAY_MS);
        break;
      case 'slice':
        return await this.#slice(bytes, to);
      case 'cut':
        await write(to, bytes.subarray(0, Math.floor(this.#chance() * bytes.length)));
        this.#client.resetAndDestroy();
        this.#upstream.resetAndDestroy();
        return;
      case 'half-close':
        await write(to, bytes.subarray(0, Math.floor(this.#chance() * (bytes.length + 1))));
        to.end();
        return;
      case 'black hole':
        this.#swallows = true;
        return;
    }
    await write(to, bytes);
  }

  /** What of a piece goes on when the placing moments are watched: whole requests, or nothing yet. */
  async #watched(watch: Watch, piece: Buffer, from: Socket): Promise<Buffer> {
    if (from === this.#upstream) {
      if (this.#placing) {
        this.#placing = false;
        await watch.answered?.();
      }
      return piece;
    }
    this.#request = Buffer.concat([this.#request, piece]);
    if (!isWhole(this.#request)) return Buffer.alloc(0);
    const whole = this.#request;
    this.#request = Buffer.alloc(0);
    this.#placing = watch.places(whole.toString('latin1', 0, whole.indexOf('\r\n')));
    return this.#placing && watch.written && !(await watch.written()) ? Buffer.alloc(0) : whole;
  }

  async #slice(bytes: Buffer, to: Socket): Promise<void> {
    const least = Math.max(SMALLEST_SLICE, Math.ceil(bytes.length / MOST_SLICES));
    for (let start = 0; start < bytes.length && !to.destroyed; ) {
      const end = start + least + Math.floor(this.#chance() * (LARGEST_SLICE - SMALLEST_SLICE));
      await write(to, bytes.subarray(start, end));
      await systemClock.sleep(this.#chance() * 2);
      start = end;
    }
  }

  #chance(): number {
    return this.#weather.random()?.next() ?? 0;
  }
}

/** Whether a request has come in whole: its head, and as many bytes as the head promises. */
function isWhole(request: Buffer): boolean {
  const head = request.indexOf('\r\n\r\n');
  if (head === -1) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(request.toString('latin1', 0, head))?.[1] ?? '0';
  return request.length >= head + 4 + Number(length);
}

function write(to: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (bytes.length === 0 || to.destroyed || !to.writable) return resolve();
    to.write(bytes, () => resolve());
  });
}

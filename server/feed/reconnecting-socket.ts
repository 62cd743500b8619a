import { type Channel, type FeedInstrument, type FeedOpening, type FrameQuote, NotOffered, type WireKey } from '../brokers/feed.ts';
import type { Clock, Random } from '../clock.ts';
import type { Log } from '../log.ts';
import { Connection, SIGN_IN_MS } from './connection.ts';

const PING_MS = 3000;
/** How often the health of a socket is looked at. */
const CHECK_MS = 1000;
/** Pauses before the next try: none after the first loss, then longer, each moved by up to half. */
const BACK_OFF_MS = [0, 1000, 2000, 4000, 8000, 15_000, 30_000];
/** A connection that lived this long was a good one: the next loss counts as the first. */
const GOOD_AFTER_MS = 30_000;
/** An instrument may simply not trade: each rebuild for silence that brought no price doubles the patience, up to this. */
const MOST_PATIENCE_MS = 300_000;

export interface SocketParts {
  channel: Channel;
  broker: string;
  clock: Clock;
  random: Random;
  log: Log;
  /** Some instrument of these can have a price now. */
  trading(instruments: Iterable<FeedInstrument>): boolean;
  /** Rupees; `at` is the exchange's time (epoch ms, UTC), null when unknown. */
  price(instrument: FeedInstrument, rupees: number, at: number | null): void;
  /** What a frame told beside the last price. */
  quote?(instrument: FeedInstrument, quote: FrameQuote): void;
  order(orderId: string | null): void;
  /** Signed in and subscribed: what happened before was not heard. */
  up(): void;
  down(): void;
  /** The broker refused the sign-in: the login may be dead. */
  refused(reason: string): void;
}

/** One socket of a feed, kept alive: opened with a fresh token, resubscribed, watched, rebuilt when it ends or falls silent. Never throws. */
export class ReconnectingSocket {
  /** The broker has no such feed. */ over = false;
  readonly #parts: SocketParts;
  readonly #stop = new AbortController();
  readonly #wanted = new Map<WireKey, FeedInstrument>();
  #running: Promise<void> = Promise.resolve();
  #live: Connection | null = null;
  #patienceMs: number;
  /** When prices came last, or none were due, monotonic ms. */
  #fineAt: number;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    this.#patienceMs = parts.channel.silenceMs;
    this.#fineAt = parts.clock.mono();
  }

  start(): void {
    this.#running = this.#run();
  }

  get up(): boolean {
    return this.#live?.ready ?? false;
  }

  /** How long (ms) neither a due price nor, past the sign-in, any other frame has come; 0 where none is due. To be asked every few seconds. */
  silentMs(): number {
    const { channel, clock, trading } = this.#parts;
    const now = clock.mono();
    const live = this.#live;
    if (live?.ready && live.frameAt - live.openedAt > channel.silenceMs) this.#fineAt = Math.max(this.#fineAt, live.frameAt);
    if (!channel.prices || this.#wanted.size === 0 || !trading(this.#wanted.values())) this.#fineAt = now;
    return now - this.#fineAt;
  }

  /** When anything last came on the socket that is open, pings included (monotonic ms); null while none is. */
  get heardAt(): number | null {
    return this.#live?.heardAt ?? null;
  }

  /** Subscribes to what is new among `instruments` and drops what is no longer there. Returns those it carries: the first ones, where there are too many. */
  want(instruments: readonly FeedInstrument[]): ReadonlySet<FeedInstrument> {
    const { channel, log, broker } = this.#parts;
    const next = new Map<WireKey, FeedInstrument>();
    for (const instrument of channel.prices ? instruments : []) {
      const key = channel.key(instrument);
      // Of two names of one instrument the first keeps its prices.
      if (key !== null && !next.has(key)) next.set(key, instrument);
    }
    const over = [...next.keys()].slice(channel.mostInstruments);
    if (over.length > 0) log.warn({ broker, feed: channel.name, left: over.length }, 'The feed carries no more instruments');
    for (const key of over) next.delete(key);
    const added = [...next.keys()].filter((key) => !this.#wanted.has(key));
    const dropped = [...this.#wanted.keys()].filter((key) => !next.has(key));
    this.#wanted.clear();
    for (const [key, instrument] of next) this.#wanted.set(key, instrument);
    this.#live?.change(added, dropped);
    return new Set(this.#wanted.values());
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#live?.end('the session ended');
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, channel, broker, log } = this.#parts;
    const { signal } = this.#stop;
    for (let losses = 0; !signal.aborted; losses += 1) {
      await clock.sleep(this.#backOff(losses), signal);
      if (signal.aborted) return;
      const began = clock.mono();
      const end = await this.#connect().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
      const why = typeof end === 'string' ? end : end.message;
      if (end instanceof NotOffered) {
        this.over = true;
        log.warn({ broker, feed: channel.name, why }, 'The broker has no such feed for this account; this session goes on without it');
        return;
      }
      if (clock.mono() - began >= GOOD_AFTER_MS) losses = -1;
      if (!signal.aborted) log.info({ broker, feed: channel.name, why }, 'The feed was lost; it is opened again');
    }
  }

  /** One connection from its opening to its end; resolves with why it ended. */
  async #connect(): Promise<string> {
    const opening = await this.#parts.channel.open();
    try {
      return await this.#hold(opening);
    } finally {
      opening.talk.ended?.();
    }
  }

  async #hold(opening: FeedOpening): Promise<string> {
    const { channel, clock } = this.#parts;
    if (this.#stop.signal.aborted) return 'the session ended';
    const connection = new Connection(opening, clock, {
      ready: () => {
        connection.change([...this.#wanted.keys()], []);
        this.#parts.up();
      },
      refused: (reason) => this.#parts.refused(reason),
      price: (key, rupees, at) => {
        this.#patienceMs = channel.silenceMs;
        this.#fineAt = clock.mono();
        const instrument = this.#wanted.get(key);
        if (instrument && rupees > 0 && Number.isFinite(rupees)) this.#parts.price(instrument, rupees, at);
      },
      quote: (key, quote) => {
        const instrument = this.#wanted.get(key);
        if (instrument) this.#parts.quote?.(instrument, quote);
      },
      order: (orderId) => this.#parts.order(orderId),
    });
    this.#live = connection;
    void this.#keep(connection);
    const why = await connection.ended;
    this.#live = null;
    if (connection.ready) this.#parts.down();
    return why;
  }

  /** Beats the heart and ends a socket that is dead or silent. */
  async #keep(connection: Connection): Promise<void> {
    const { channel, clock } = this.#parts;
    const { heartbeat } = channel;
    let pingAt = clock.mono() + PING_MS;
    let beatAt = clock.mono() + (heartbeat?.everyMs ?? Number.POSITIVE_INFINITY);
    while (!connection.over.aborted) {
      await clock.sleep(Math.min(CHECK_MS, heartbeat?.everyMs ?? CHECK_MS), connection.over);
      const now = clock.mono();
      if (now >= pingAt) {
        connection.ping();
        pingAt = now + PING_MS;
      }
      if (heartbeat && connection.ready && now >= beatAt) {
        connection.send(heartbeat.frame);
        beatAt = now + heartbeat.everyMs;
      }
      if (!connection.ready && now - connection.openedAt > SIGN_IN_MS) connection.end('no sign-in within 7 s');
      else if (now - connection.heardAt > Math.max(channel.silenceMs, 2 * PING_MS + CHECK_MS)) connection.end('silent, pings too');
      else if (this.#tooQuiet(connection, now)) {
        this.#patienceMs = Math.min(MOST_PATIENCE_MS, 2 * this.#patienceMs);
        connection.end('no frame in market hours');
      }
    }
  }

  #tooQuiet(connection: Connection, now: number): boolean {
    if (!connection.ready || this.#wanted.size === 0 || now - connection.frameAt <= this.#patienceMs) return false;
    return this.#parts.trading(this.#wanted.values());
  }

  #backOff(losses: number): number {
    const planned = BACK_OFF_MS[Math.min(losses, BACK_OFF_MS.length) - 1] ?? 0;
    return planned * (0.5 + this.#parts.random.next());
  }
}

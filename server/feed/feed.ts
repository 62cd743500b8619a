import type { FeedWord } from '../../contract/overview.ts';
import type { HeldPosition } from '../books/open-positions.ts';
import type { Account } from '../brokers/account.ts';
import type { FeedInstrument, FrameQuote } from '../brokers/feed.ts';
import type { Reason, Wake } from '../brokers/wake.ts';
import { type Clock, type Random, within } from '../clock.ts';
import type { Log } from '../log.ts';
import { type Listener, Listeners } from './listeners.ts';
import { type Mark, marksOf } from './marks.ts';
import { type FeedQuote, nameOf, type PricePoint, type PriceRecord, Prices } from './prices.ts';
import { ReconnectingSocket } from './reconnecting-socket.ts';

/** Prices reach the records at most this often. */
const FLUSH_MS = 1000;
/** What is held and open is asked for again at most this often, and at least every so often. */
const REFRESH_MS = 500;
const REFRESH_AT_LEAST_MS = 30_000;
/** A refused sign-in makes one ordinary read ask the broker whether the login lives, at most this often. */
const CHECK_LOGIN_MS = 30_000;
const STOP_WAIT_MS = 1000;

export interface FeedParts {
  clock: Clock;
  random: Random;
  log: Log;
  /** Whether an exchange trades at an instant (epoch ms). */
  isOpen(exchange: string, at: number): boolean;
  /** Instruments of what an account holds and has open, and what it holds. */
  watched(account: Account): Promise<{ instruments: FeedInstrument[]; held: HeldPosition[] }>;
  /** Takes prices into the records. */
  record(account: Account, prices: PriceRecord[]): Promise<void>;
  wake: Wake;
}

/** How a feed stands now. */
export interface FeedState {
  sockets: number;
  live: number;
  quietMs: number | null;
}

/** Whether something flows; `lastTickAt`: when the last price came, epoch ms, null when none did. */
export interface FeedFlow {
  prices: FeedWord;
  orders: FeedWord;
  lastTickAt: number | null;
}

/** The live feed of the active session: subscribed to what is held and open, healed by itself. Reads and writes prices; never an order. */
export class Feed {
  readonly #parts: FeedParts;
  readonly #listeners = new Listeners();
  #current: Following | null = null;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** A session came up. */
  follow(account: Account): void {
    this.leave();
    if (account.broker.feed?.length) this.#current = new Following(this.#parts, account, this.#listeners);
  }

  /** The session is over; with `account`, only when it is that one's. */
  leave(account?: Account): void {
    if (account && this.#current?.account !== account) return;
    void this.#current?.stop();
    this.#current = null;
  }

  /** Asks again what is held and open when that may have changed. */
  wake(reason: Reason): void {
    if (reason === 'records') this.#current?.refresh();
  }

  /** The last price an account's feed told: rupees and when it came (epoch ms); null when none did. */
  price(exchange: string, symbol: string): { rupees: number; at: number } | null {
    return this.#current?.prices.last(exchange, symbol) ?? null;
  }

  /**
   * Subscribes to instruments of the active broker for as long as somebody listens to them, beside what is held and open, over reconnects and sessions.
   * Tells the last price at once where it is known. Returns what ends it.
   */
  listen(instruments: readonly FeedInstrument[], listener: Listener): () => void {
    const stop = this.#listeners.add(instruments, listener);
    this.#current?.relisten();
    for (const instrument of instruments) {
      const last = this.#current?.prices.quote(instrument.exchange, instrument.symbol);
      if (last) listener.price(instrument, last);
    }
    return () => {
      stop();
      this.#current?.relisten();
    };
  }

  /** What an account's feed has told of an instrument; null when it told no price, and while no socket with prices is up. */
  quote(exchange: string, symbol: string): FeedQuote | null {
    return this.#current?.quote(exchange, symbol) ?? null;
  }

  /** What the open positions are worth at the last prices. */
  marks(): Mark[] {
    return this.#current ? marksOf(this.#current.held, this.#current.prices) : [];
  }

  /** The last price of every instrument the feed has told one of. */
  lastPrices(): Iterable<PricePoint> {
    return this.#current?.prices.all() ?? [];
  }

  /** Names of the sockets that are signed in now. */
  live(): string[] {
    return this.#current?.live() ?? [];
  }

  /** How long (ms) prices that are due have not come; 0 while they come, and where none are due. To be asked every few seconds. */
  silentMs(): number {
    return this.#current?.silentMs() ?? 0;
  }

  /** How many sockets the session's feed has, how many are signed in, and how long ago the quietest of these said anything (ms); null where none is. */
  state(): FeedState {
    return this.#current?.state() ?? { sockets: 0, live: 0, quietMs: null };
  }

  flow(): FeedFlow {
    return this.#current?.flow() ?? { prices: 'NONE', orders: 'NONE', lastTickAt: null };
  }

  async stop(): Promise<void> {
    const current = this.#current;
    this.#current = null;
    if (current) await within(this.#parts.clock, STOP_WAIT_MS, current.stop());
  }
}

/** The feed of one session. */
class Following {
  readonly account: Account;
  readonly prices = new Prices();
  held: readonly HeldPosition[] = [];
  readonly #parts: FeedParts;
  readonly #listeners: Listeners;
  /** Instruments of what is held and open; null before they were read. */
  #watched: readonly FeedInstrument[] | null = null;
  readonly #sockets: { socket: ReconnectingSocket; name: string; orders: boolean; prices: boolean }[];
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;
  #wake = new AbortController();
  #loginCheckedAt = Number.NEGATIVE_INFINITY;
  #ordersLive = false;

  constructor(parts: FeedParts, account: Account, listeners: Listeners) {
    this.#parts = parts;
    this.#listeners = listeners;
    this.account = account;
    this.#sockets = (account.broker.feed ?? []).map((channel) => ({
      name: channel.name,
      orders: channel.orders,
      prices: channel.prices,
      socket: new ReconnectingSocket({
        ...parts,
        channel,
        broker: account.broker.id,
        trading: (instruments) => [...new Set([...instruments].map((each) => each.exchange))].some((name) => this.#open(name)),
        price: (instrument, rupees) => this.#take(instrument, rupees),
        quote: (instrument, quote) => this.#tell(instrument, quote),
        up: () => this.#changed(channel.orders),
        down: () => this.#changed(channel.orders),
        refused: (reason) => void this.#checkLogin(channel.name, reason),
        order: (orderId) => parts.wake('news', orderId),
      }),
    }));
    for (const { socket } of this.#sockets) socket.start();
    this.#running = Promise.all([this.#keepSubscribed(), this.#keepRecording()]);
  }

  refresh(): void {
    this.#wake.abort('changed');
  }

  /** Others listen now than before: what is held and open keeps its place before them. */
  relisten(): void {
    if (this.#watched) this.#subscribe(this.#watched);
  }

  live(): string[] {
    return this.#sockets.filter(({ socket }) => socket.up).map(({ name }) => name);
  }

  silentMs(): number {
    return Math.max(0, ...this.#sockets.map(({ socket }) => socket.silentMs()));
  }

  state(): FeedState {
    const now = this.#parts.clock.mono();
    const quiet = this.#sockets.flatMap(({ socket }) => (socket.up && socket.heardAt !== null ? now - socket.heardAt : []));
    return { sockets: this.#sockets.length, live: this.live().length, quietMs: quiet.length > 0 ? Math.max(...quiet) : null };
  }

  flow(): FeedFlow {
    const word = (what: 'prices' | 'orders'): FeedWord => {
      const carrying = this.#sockets.filter((each) => each[what] && !each.socket.over);
      if (carrying.length === 0) return 'NONE';
      return carrying.some(({ socket }) => socket.up) ? 'LIVE' : 'CONNECTING';
    };
    return { prices: word('prices'), orders: word('orders'), lastTickAt: this.prices.lastAt };
  }

  quote(exchange: string, symbol: string): FeedQuote | null {
    const isLive = this.#sockets.some(({ socket, prices }) => prices && socket.up);
    return isLive ? this.prices.quote(exchange, symbol) : null;
  }

  async stop(): Promise<void> {
    this.#stop.abort('stopped');
    if (this.#ordersLive) this.#parts.wake('quiet');
    await Promise.all([...this.#sockets.map(({ socket }) => socket.stop()), this.#running]);
  }

  #take(instrument: FeedInstrument, rupees: number): void {
    this.prices.take(instrument, rupees, this.#parts.clock.now());
    this.#moved(instrument);
  }

  #tell(instrument: FeedInstrument, quote: FrameQuote): void {
    this.prices.tell(instrument, quote);
    this.#moved(instrument);
  }

  #moved({ exchange, symbol, ...rest }: FeedInstrument): void {
    const quote = this.prices.quote(exchange, symbol);
    if (quote) this.#listeners.tell({ exchange, symbol, ...rest }, quote);
  }

  #subscribe(watched: readonly FeedInstrument[]): void {
    this.#watched = watched;
    const known = new Set(watched.map(nameOf));
    const listened = this.#listeners.instruments().filter((each) => !known.has(nameOf(each)));
    this.prices.keep(watched, listened);
    const carried = this.#sockets.map(({ socket }) => socket.want([...watched, ...listened]));
    this.#listeners.leftOut(listened.filter((each) => !carried.some((some) => some.has(each))));
  }

  #open(exchange: string): boolean {
    return this.#parts.isOpen(exchange, this.#parts.clock.now());
  }

  /** A socket with order updates came up or went: until they flow, and for what they missed meanwhile, reads do the work. */
  #changed(orders: boolean): void {
    if (!orders || this.#stop.signal.aborted) return;
    this.#ordersLive = this.#sockets.every(({ socket, orders: tells }) => !tells || socket.up);
    this.#parts.wake(this.#ordersLive ? 'live' : 'quiet');
  }

  async #keepSubscribed(): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      try {
        const { instruments, held } = await this.#parts.watched(this.account);
        this.held = held;
        this.#subscribe(instruments);
      } catch (error) {
        log.warn({ error: String(error) }, 'What to subscribe to could not be read; it is tried again');
      }
      await clock.sleep(REFRESH_MS, signal);
      await clock.sleep(REFRESH_AT_LEAST_MS, AbortSignal.any([signal, this.#wake.signal]));
    }
  }

  async #keepRecording(): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await clock.sleep(FLUSH_MS, signal);
      const moved = this.prices.moved();
      if (moved.length === 0 || signal.aborted) continue;
      await this.#parts.record(this.account, moved).catch((error: unknown) => {
        log.warn({ error: String(error) }, 'Prices could not be recorded');
      });
    }
  }

  /** Only an ordinary read tells a dead login from a feed that says no: the adapter ends the session when the broker refuses that too. */
  async #checkLogin(feed: string, reason: string): Promise<void> {
    const { clock, log } = this.#parts;
    log.warn({ broker: this.account.broker.id, feed, reason }, 'The broker refused the feed');
    if (clock.mono() - this.#loginCheckedAt < CHECK_LOGIN_MS) return;
    this.#loginCheckedAt = clock.mono();
    await this.account.reads.take('books');
    await this.account.broker.profile().catch(() => undefined);
  }
}

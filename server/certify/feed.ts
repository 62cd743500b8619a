import type { Broker } from '../brokers/broker.ts';
import type { Channel, FeedInstrument } from '../brokers/feed.ts';
import { type Clock, Cut, type Random } from '../clock.ts';
import { ReconnectingSocket } from '../feed/reconnecting-socket.ts';
import type { Log } from '../log.ts';
import { type Finding, failed, notTold, ok, type Said } from './findings.ts';
import { timing } from './reads.ts';

const WAIT_MS = 20_000;
/** A price this many times another one is of another unit: paise for rupees, or the other way round. */
const OTHER_UNIT = 5;

interface Line {
  channel: Channel;
  socket: ReconnectingSocket;
  upAfterMs: number | null;
  refused: string | null;
}

export interface FeedWatchParts {
  broker: Broker;
  clock: Clock;
  random: Random;
  log: Log;
  isOpen(exchange: string): boolean;
}

/** The broker's feed, open from `start` to `stop`, and what came over it. */
export class FeedWatch {
  readonly #parts: FeedWatchParts;
  readonly #lines: Line[] = [];
  readonly #news = new Set<Cut>();
  /** Order ids that updates named; null where one named none. */
  readonly orders: (string | null)[] = [];
  instrument: FeedInstrument | null = null;
  price: number | null = null;
  #priceAfterMs = 0;
  #began = 0;

  constructor(parts: FeedWatchParts) {
    this.#parts = parts;
  }

  /** Follows the first of `instruments` that the price channel carries. */
  start(instruments: readonly FeedInstrument[]): void {
    const { broker, clock } = this.#parts;
    const prices = broker.feed?.filter(({ prices }) => prices) ?? [];
    this.instrument = instruments.find((each) => prices.some((channel) => channel.key(each) !== null)) ?? null;
    this.#began = clock.mono();
    for (const channel of broker.feed ?? []) {
      const line: Line = { channel, upAfterMs: null, refused: null, socket: this.#socket(channel, () => line) };
      this.#lines.push(line);
      if (this.instrument) line.socket.want([this.instrument]);
      line.socket.start();
    }
  }

  #socket(channel: Channel, line: () => Line): ReconnectingSocket {
    const { broker, clock } = this.#parts;
    return new ReconnectingSocket({
      ...this.#parts,
      channel,
      broker: broker.id,
      trading: () => true,
      price: (_instrument, rupees) => {
        if (this.price === null) this.#priceAfterMs = clock.mono() - this.#began;
        this.price = rupees;
        this.#tell();
      },
      order: (orderId) => {
        this.orders.push(orderId);
        this.#tell();
      },
      up: () => {
        line().upAfterMs ??= clock.mono() - this.#began;
        this.#tell();
      },
      down: () => undefined,
      refused: (reason) => {
        line().refused = reason;
        this.#tell();
      },
    });
  }

  #tell(): void {
    for (const cut of this.#news) cut.abort();
  }

  /** Waits until `enough`, `ms` at most. */
  async until(enough: () => boolean, ms = WAIT_MS): Promise<void> {
    const { clock } = this.#parts;
    for (const end = clock.mono() + ms; !enough() && clock.mono() < end; ) {
      const news = new Cut();
      this.#news.add(news);
      await clock.sleep(Math.max(1, end - clock.mono()), news);
      this.#news.delete(news);
    }
  }

  /** Waits for every sign-in and, where one can come, a price; then tells. `known`: a last price from elsewhere, rupees. */
  async findings(known: number | null): Promise<Finding[]> {
    if (this.#lines.length === 0) return [{ name: 'feed', ...notTold('the adapter has none') }];
    const expected = this.instrument !== null && this.#parts.isOpen(this.instrument.exchange);
    const over = ({ upAfterMs, refused }: Line) => upAfterMs !== null || refused !== null;
    const hopeless = () => this.#lines.every(({ channel, refused }) => !channel.prices || refused !== null);
    await this.until(() => this.#lines.every(over) && (!expected || this.price !== null || hopeless()));
    return [
      ...this.#lines.map((line) => ({ name: `feed ${line.channel.name}`, ...signIn(line) })),
      { name: 'feed price', ...this.#tick() },
      { name: 'unit of the feed price', ...unit(this.price, known) },
    ];
  }

  #tick(): Said {
    if (this.price !== null) return ok(`the first came after ${timing([this.#priceAfterMs]).least} ms`, `₹${this.price}`);
    if (this.instrument === null) return notTold('nothing is held to watch: name an instrument with --watch EXCHANGE:SYMBOL:TOKEN');
    const { exchange, symbol } = this.instrument;
    if (!this.#parts.isOpen(exchange)) return notTold('the exchange is closed now: run it again in trading hours', exchange);
    return failed(`none came within ${WAIT_MS / 1000} s, and the exchange is open`, `${exchange} ${symbol}`);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#lines.map(({ socket }) => socket.stop()));
  }
}

function signIn({ upAfterMs, refused }: Line): Said {
  if (upAfterMs !== null) return ok(`signed in after ${timing([upAfterMs]).least} ms`);
  return refused === null ? failed(`not signed in within ${WAIT_MS / 1000} s`) : failed('the broker refused the sign-in', refused);
}

function unit(price: number | null, known: number | null): Said {
  if (price === null || known === null || known <= 0) return notTold('there are no two prices to compare');
  const times = price / known;
  return times > OTHER_UNIT || times < 1 / OTHER_UNIT
    ? failed('the price of the feed and that of the reads are of different size', `₹${price} and ₹${known}`)
    : ok('the price of the feed is of the size of that of the reads');
}

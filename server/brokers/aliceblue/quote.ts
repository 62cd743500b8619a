import { Cut } from '../../clock.ts';
import type { BrokerEnv } from '../broker.ts';
import type { Api } from './api.ts';
import { type OwnSocket, openOwnSocket } from './own-socket.ts';
import { Questions, type Quote } from './questions.ts';
import { type OpenSession, sessionCalls } from './session.ts';

export type { Quote };

/** The whole way to a price, sockets and sign-in included: what comes later is not used. */
const QUOTE_MS = 5_000;
/** Quotes of several that are not told so long after the first was are of instruments Alice Blue does not know: it says nothing of those. */
const LAST_MS = 1_000;
/** The Nifty 50, asked for with them: while it is told, the socket lives. */
const PROBE = 'NSE|26000';
/** A tick of the live feed no older than this stands in for a price that did not come: long enough for one from just before the question. */
const FRESH_MS = 2 * QUOTE_MS;

/** The live feed's hold on the one market data session. */
export interface Claim {
  openSession(): Promise<void>;
  /** Signed in: `ask` wants the depth of an instrument (`NSE|22`) over the live socket. */
  up(ask: (key: string) => void): void;
  /** Hands over a frame of the live socket: the key of the question it answers, else null. */
  take(frame: unknown): string | null;
  /** The live feed told the price of an instrument it watches; `tick` where the frame has it. */
  heard(key: string, price: number, tick: number | null): void;
  /** The live socket is gone, or never came. */
  over(): void;
}

/**
 * Alice Blue tells prices on its market data socket alone, and one session at a time may listen. So a price is asked for over the live feed's
 * socket while that is up or opening; over a socket of the quotes' own only in between. That one gives way: it never ends the live feed's session.
 */
export class Quotes {
  readonly #env: BrokerEnv;
  readonly #api: Api;
  readonly #openSession: OpenSession;
  readonly #questions: Questions;
  /** The last price of what the live feed watches. */
  readonly #ticks = new Map<string, Quote>();
  /** Asks over the socket that is signed in, whosever it is. */
  #ask: ((key: string) => void) | null = null;
  #own: OwnSocket | null = null;
  #claimed: Claim | null = null;
  /** A live feed is about: where no socket of our own can be had, its next one may still come in time. */
  #followed = false;
  #closed = false;

  constructor(env: BrokerEnv, api: Api) {
    this.#env = env;
    this.#api = api;
    this.#openSession = sessionCalls(api);
    this.#questions = new Questions(() => env.clock.now());
  }

  /** The last price now, null when there is none: asked for, or else the live feed's own last tick while that is fresh. Throws when neither comes within 5 s. */
  async quote(exchange: string, token: string): Promise<Quote | null> {
    if (this.#closed) throw new Error('the session was closed');
    const key = `${exchange}|${token}`;
    return this.#asked(key).catch((error: unknown) => {
      const tick = this.#fresh(key);
      if (tick && !this.#closed) return tick;
      throw error;
    });
  }

  /** The frames that tell the depth of these (`NSE|22`), asked for at once; those of unknown instruments are missing. Throws when none comes within 5 s. */
  async frames(wanted: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    if (this.#closed) throw new Error('the session was closed');
    const told = new Map<string, unknown>();
    const [first, patience] = [new Cut(), new Cut()];
    let failed: unknown = new Error(`no price within ${QUOTE_MS / 1000} s`);
    const keys = [...new Set([...wanted, PROBE])];
    const asked = keys.map(async (key) => {
      try {
        const quote = await this.#questions.about(key, (question) => this.#put(question));
        told.set(key, quote?.frame ?? null);
        first.abort();
      } catch (error) {
        failed = error;
      }
    });
    const { clock } = this.#env;
    const late = clock.sleep(QUOTE_MS, first).then(() => clock.sleep(first.aborted ? LAST_MS : 0, patience));
    await Promise.race([Promise.all(asked), late]);
    patience.abort();
    for (const key of keys) if (!told.has(key)) this.#questions.drop(key);
    if (told.size > 0) return told;
    this.#own?.end('the market data socket was silent');
    throw failed;
  }

  #fresh(key: string): Quote | null {
    const tick = this.#ticks.get(key);
    return tick && this.#env.clock.now() - tick.at <= FRESH_MS ? tick : null;
  }

  async #asked(key: string): Promise<Quote | null> {
    const answered = new AbortController();
    const late = this.#env.clock.sleep(QUOTE_MS, answered.signal).then(() => {
      if (answered.signal.aborted) return null;
      this.#questions.drop(key);
      // The socket may be dead without saying so: the next price gets a new one. The live feed looks after its own.
      this.#own?.end('the market data socket was silent');
      throw new Error(`no price within ${QUOTE_MS / 1000} s`);
    });
    late.catch(() => undefined);
    try {
      return await Promise.race([this.#questions.about(key, (asked) => this.#put(asked)), late]);
    } finally {
      answered.abort('answered');
    }
  }

  /** The live feed is about to open its socket: a socket of the quotes' own is ended, and none is opened until the claim is over. */
  claim(): Claim {
    const mine: Claim = {
      openSession: () => this.#openSession(() => this.#claimed === mine),
      up: (over) => {
        if (this.#claimed === mine) this.#up(over);
      },
      take: (frame) => (this.#claimed === mine ? this.#questions.take(frame) : null),
      heard: (key, price, tick) => {
        if (this.#claimed === mine) this.#hear(key, price, tick);
      },
      over: () => {
        if (this.#claimed !== mine) return;
        this.#claimed = null;
        this.#ask = null;
        for (const key of this.#questions.keys()) this.#put(key);
      },
    };
    this.#claimed = mine;
    this.#followed = true;
    for (const key of this.#ticks.keys()) if (!this.#fresh(key)) this.#ticks.delete(key);
    this.#ask = null;
    this.#own?.end('the live feed opens');
    return mine;
  }

  close(): void {
    this.#closed = true;
    this.#claimed = null;
    this.#ask = null;
    this.#own?.end('the session was closed');
    this.#questions.giveUp('the session was closed');
  }

  /** Later frames leave the tick size out. */
  #hear(key: string, price: number, tick: number | null): void {
    const before = this.#ticks.get(key)?.tick ?? null;
    this.#ticks.set(key, { price, tick: tick ?? before, lower: null, upper: null, at: this.#env.clock.now() });
  }

  #put(key: string): void {
    if (this.#ask) this.#ask(key);
    else if (!this.#claimed && !this.#closed) this.#own ??= this.#openOwn();
  }

  #up(over: (key: string) => void): void {
    this.#ask = over;
    for (const key of this.#questions.keys()) over(key);
  }

  #openOwn(): OwnSocket {
    const mine = openOwnSocket({
      env: this.#env,
      api: this.#api,
      openSession: this.#openSession,
      up: () => this.#up((key) => mine.send({ k: key, t: 'd' })),
      frame: (frame) => {
        const key = this.#questions.take(frame);
        if (key) mine.send({ k: key, t: 'ud' });
      },
      over: (why) => {
        this.#own = null;
        if (!this.#claimed) this.#ask = null;
        if (!this.#followed) this.#questions.giveUp(why);
      },
    });
    return mine;
  }
}

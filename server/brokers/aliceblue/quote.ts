import type { BrokerEnv } from '../broker.ts';
import type { Api } from './api.ts';
import { type OwnSocket, openOwnSocket } from './own-socket.ts';
import { sessionCalls } from './session.ts';
import { depthFrame } from './wire.ts';

/** The whole way to a price, sockets and sign-in included: what comes later is not used. */
const QUOTE_MS = 5_000;

/** Rupees; `at` is when it was read (epoch ms). What the feed leaves out is null. */
export interface Quote {
  price: number;
  tick: number | null;
  lower: number | null;
  upper: number | null;
  at: number;
}

export interface Quotes {
  /** The last price now, null when there is none. Throws when it cannot be read within 5 s. */
  quote(exchange: string, token: string): Promise<Quote | null>;
  /** The live feed is about to open its socket: a socket of the quotes' own is ended, and none is opened until the claim is over. */
  claim(): Claim;
  close(): void;
}

/** The live feed's hold on the one market data session. */
export interface Claim {
  openSession(): Promise<void>;
  /** Signed in: `ask` wants the depth of an instrument (`NSE|22`) over the live socket. */
  up(ask: (key: string) => void): void;
  /** Hands over a frame of the live socket: the key of the question it answers, else null. */
  take(frame: unknown): string | null;
  /** The live socket is gone, or never came. */
  over(): void;
}

interface Question {
  promise: Promise<Quote | null>;
  resolve(quote: Quote | null): void;
  reject(error: Error): void;
}

/**
 * Alice Blue tells prices on its market data socket alone, and one session at a time may listen. So a price is asked for over the live feed's
 * socket while that is up or opening; over a socket of the quotes' own only in between. That one gives way: it never ends the live feed's session.
 */
export function createQuotes(env: BrokerEnv, api: Api): Quotes {
  const questions = new Map<string, Question>();
  const openSession = sessionCalls(api);
  /** Asks over the socket that is signed in, whosever it is. */
  let ask: ((key: string) => void) | null = null;
  let own: OwnSocket | null = null;
  let claimed: Claim | null = null;
  /** A live feed is about: where no socket of our own can be had, its next one may still come in time. */
  let followed = false;
  let closed = false;

  function up(over: (key: string) => void): void {
    ask = over;
    for (const key of questions.keys()) over(key);
  }

  function take(frame: unknown): string | null {
    const { data } = depthFrame.safeParse(frame);
    const key = `${data?.e}|${data?.tk}`;
    const question = questions.get(key);
    if (!data || !question) return null;
    questions.delete(key);
    const { lp, ti = null, lc = null, uc = null } = data;
    question.resolve(lp === undefined || lp <= 0 ? null : { price: lp, tick: ti, lower: lc, upper: uc, at: env.clock.now() });
    return key;
  }

  function giveUp(why: string): void {
    for (const question of questions.values()) question.reject(new Error(why));
    questions.clear();
  }

  function openOwn(): OwnSocket {
    const mine = openOwnSocket({
      env,
      api,
      openSession,
      up: () => up((key) => mine.send({ k: key, t: 'd' })),
      frame(frame) {
        const key = take(frame);
        if (key) mine.send({ k: key, t: 'ud' });
      },
      over(why) {
        own = null;
        if (!claimed) ask = null;
        if (!followed) giveUp(why);
      },
    });
    return mine;
  }

  function put(key: string): void {
    if (ask) ask(key);
    else if (!claimed && !closed) own ??= openOwn();
  }

  function questionOf(key: string): Question {
    const before = questions.get(key);
    if (before) return before;
    const question: Question = { ...Promise.withResolvers<Quote | null>() };
    question.promise.catch(() => undefined);
    questions.set(key, question);
    put(key);
    return question;
  }

  async function quote(exchange: string, token: string): Promise<Quote | null> {
    if (closed) throw new Error('the session was closed');
    const key = `${exchange}|${token}`;
    const answered = new AbortController();
    const late = env.clock.sleep(QUOTE_MS, answered.signal).then(() => {
      if (answered.signal.aborted) return null;
      questions.delete(key);
      // The socket may be dead without saying so: the next price gets a new one. The live feed looks after its own.
      own?.end('the market data socket was silent');
      throw new Error(`no price within ${QUOTE_MS / 1000} s`);
    });
    late.catch(() => undefined);
    try {
      return await Promise.race([questionOf(key).promise, late]);
    } finally {
      answered.abort('answered');
    }
  }

  function claim(): Claim {
    const mine: Claim = {
      openSession: () => openSession(() => claimed === mine),
      up(over) {
        if (claimed === mine) up(over);
      },
      take: (frame) => (claimed === mine ? take(frame) : null),
      over() {
        if (claimed !== mine) return;
        claimed = null;
        ask = null;
        for (const key of questions.keys()) put(key);
      },
    };
    claimed = mine;
    followed = true;
    ask = null;
    own?.end('the live feed opens');
    return mine;
  }

  return {
    quote,
    claim,
    close() {
      closed = true;
      claimed = null;
      ask = null;
      own?.end('the session was closed');
      giveUp('the session was closed');
    },
  };
}

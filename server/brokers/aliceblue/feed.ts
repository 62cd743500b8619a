import { createHash } from 'node:crypto';
import { WebSocket } from 'ws';
import type { BrokerEnv } from '../broker.ts';
import { readJson } from '../parse.ts';
import type { Api } from './api.ts';
import { acknowledgement, depthFrame } from './wire.ts';

/** The whole way to a price, sockets and sign-in included: what comes later is not used. */
const QUOTE_MS = 5_000;
/** A socket unused for one to two of these is closed, before Alice Blue would want a heartbeat (50 s). */
const IDLE_MS = 20_000;

/** Rupees; `at` is when it was read (epoch ms). What the feed leaves out is null. */
export interface Quote {
  price: number;
  tick: number | null;
  lower: number | null;
  upper: number | null;
  at: number;
}

export interface Feed {
  /** The last price now, null when there is none. Throws when it cannot be read within 5 s. */
  quote(exchange: string, token: string): Promise<Quote | null>;
  close(): void;
}

interface Waiting {
  promise: Promise<Quote | null>;
  resolve(quote: Quote | null): void;
  reject(error: Error): void;
}

/** Alice Blue tells prices on its market data socket alone. It is opened for the first price asked for and closed when idle. */
export function createFeed(env: BrokerEnv, api: Api): Feed {
  const waiting = new Map<string, Waiting>();
  let connection: Promise<WebSocket> | null = null;
  let live: WebSocket | null = null;
  let uses = 0;
  let closed = false;

  function drop(socket: WebSocket | null, why: string): void {
    if (socket !== live) return;
    connection = null;
    live = null;
    socket?.terminate();
    for (const each of waiting.values()) each.reject(new Error(why));
    waiting.clear();
  }

  /** One session at a time may listen: an older one is ended, and without a new one the socket is refused. */
  async function openSession(): Promise<void> {
    const body = { source: 'API', userId: api.login().account };
    await api.ask('/profile/invalidateWsSess', body);
    const made = await api.ask('/profile/createWsSess', body);
    if (!made.success) throw new Error(made.message);
  }

  async function open(): Promise<WebSocket> {
    await openSession();
    if (closed) throw new Error('the session was closed');
    const socket = new WebSocket(env.feedUrl, { localAddress: env.localAddress, handshakeTimeout: QUOTE_MS, perMessageDeflate: false });
    live = socket;
    void closeWhenIdle(socket);
    return new Promise((resolve, reject) => {
      const failed = (why: string) => {
        reject(new Error(why));
        drop(socket, why);
      };
      socket.on('error', () => failed('the market data socket failed'));
      socket.on('close', () => failed('the market data socket was closed'));
      socket.on('open', () => socket.send(JSON.stringify(greeting(api.login()))));
      socket.on('message', (data) => {
        const frame = readJson(data.toString());
        const acknowledged = acknowledgement.safeParse(frame).data;
        if (acknowledged?.good) resolve(socket);
        else if (acknowledged) failed('Alice Blue refused the market data socket');
        else take(socket, frame);
      });
    });
  }

  function take(socket: WebSocket, frame: unknown): void {
    const { data } = depthFrame.safeParse(frame);
    const key = data && `${data.e}|${data.tk}`;
    const asked = key && waiting.get(key);
    if (!data || !asked) return;
    waiting.delete(key);
    socket.send(JSON.stringify({ k: key, t: 'ud' }));
    const { lp, ti = null, lc = null, uc = null } = data;
    asked.resolve(lp === undefined || lp <= 0 ? null : { price: lp, tick: ti, lower: lc, upper: uc, at: env.clock.now() });
  }

  function ask(key: string): Promise<Quote | null> {
    const before = waiting.get(key);
    if (before) return before.promise;
    const entry: Waiting = { ...Promise.withResolvers<Quote | null>() };
    entry.promise.catch(() => undefined);
    waiting.set(key, entry);
    const mine = connection ?? open();
    connection = mine;
    mine.then(
      (socket) => socket.send(JSON.stringify({ k: key, t: 'd' })),
      (error: Error) => {
        if (connection === mine) connection = null;
        if (waiting.get(key) === entry) waiting.delete(key);
        entry.reject(error);
      },
    );
    return entry.promise;
  }

  async function closeWhenIdle(socket: WebSocket): Promise<void> {
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    while (!gone.signal.aborted) {
      const before = uses;
      await env.clock.sleep(IDLE_MS, gone.signal);
      if (before === uses) drop(socket, 'idle');
    }
  }

  async function quote(exchange: string, token: string): Promise<Quote | null> {
    const key = `${exchange}|${token}`;
    uses += 1;
    const answered = new AbortController();
    const late = env.clock.sleep(QUOTE_MS, answered.signal).then(() => {
      if (answered.signal.aborted) return null;
      waiting.delete(key);
      // The socket may be dead without saying so: the next price gets a new one.
      if (live) drop(live, 'the market data socket was silent');
      throw new Error(`no price within ${QUOTE_MS / 1000} s`);
    });
    late.catch(() => undefined);
    try {
      return await Promise.race([ask(key), late]);
    } finally {
      answered.abort();
    }
  }

  return {
    quote,
    close: () => {
      closed = true;
      drop(live, 'the session was closed');
    },
  };
}

/** The first frame: the token twice hashed, the account with the suffix Alice Blue wants of API users. */
function greeting({ token, account }: { token: string; account: string }) {
  const user = `${account}_API`;
  return { susertoken: sha256(sha256(token)), t: 'c', actid: user, uid: user, source: 'API' };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

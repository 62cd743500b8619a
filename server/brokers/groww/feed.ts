import { z } from 'zod';
import { within } from '../../clock.ts';
import type { BrokerEnv } from '../broker.ts';
import type { Channel, FeedSink, FeedTalk, Frame, WireKey } from '../feed.ts';
import { readJson } from '../parse.ts';
import type { Api, SocketLogin } from './api.ts';
import { decodeOrder, decodePrice } from './feed-messages.ts';
import { type NatsHears, NatsReader } from './feed-nats.ts';
import type { InstrumentList } from './instruments.ts';
import { createNkey, type Nkey } from './nkey.ts';

/** Our PING comes oftener than that, so a quiet market is no silence: Groww is said to shut out whoever reconnects often. */
const SILENCE_MS = 8000;
const PING_EVERY_MS = 5000;
/** Groww allows 1,000 subscriptions; two of them are the orders. */
const MOST_INSTRUMENTS = 998;
const LINES_A_FRAME = 200;
/** The sign-in waits for the list of instruments at most this long. */
const LIST_WAIT_MS = 3000;
const PING = Buffer.from('PING\r\n');
const PONG = Buffer.from('PONG\r\n');

/** Subjects of prices, up to the token. MCX has none. */
const subjects: Readonly<Record<string, string>> = {
  NSE: '/ld/eq/nse/price.',
  BSE: '/ld/eq/bse/price.',
  NFO: '/ld/fo/nse/price.',
  BFO: '/ld/fo/bse/price.',
};
/** Subjects of orders, up to the subscription id: shares, then futures and options. */
const orderSubjects = ['stocks/order/updates.apex.', 'stocks_fo/order/updates.apex.'];

/** Groww's one socket: NATS over WebSocket, prices and orders as protocol buffers. Each connection signs in with a key pair made for it. */
export function feed(env: BrokerEnv, api: Api, list: InstrumentList): Channel[] {
  const channel: Channel = {
    name: 'prices and orders',
    prices: true,
    orders: true,
    heartbeat: { everyMs: PING_EVERY_MS, frame: PING },
    silenceMs: SILENCE_MS,
    mostInstruments: MOST_INSTRUMENTS,
    key: ({ exchange, symbol }) => (Object.hasOwn(subjects, exchange) && /^[\w&-]+$/.test(symbol) ? `${exchange} ${symbol}` : null),
    async open() {
      const nkey = createNkey(env.random);
      const [login] = await Promise.all([api.socketLogin(nkey.publicText), within(env.clock, LIST_WAIT_MS, list.load())]);
      if (!login.success) throw new Error(login.message);
      return { url: env.feedUrl, localAddress: env.localAddress, talk: createTalk(login.data, nkey, list) };
    },
  };
  return [channel];
}

const greeting = z.looseObject({ nonce: z.string().max(1024).default('') });

/** The talk of one connection. Subscriptions have numbers; what is not in the list yet waits for the answer to the next PING. */
export function createTalk(login: SocketLogin, nkey: Nkey, list: InstrumentList): FeedTalk {
  const reader = new NatsReader();
  const orders = orderSubjects.map((subject) => `${subject}${login.subscriptionId}`);
  const byKey = new Map<WireKey, number>();
  const bySid = new Map<number, { key: WireKey; subject: string }>();
  const waiting = new Set<WireKey>();
  let lastSid = orders.length;
  let greeted = false;
  let signedIn = false;

  /** The line that subscribes to an instrument; none when the list has no token for it. */
  function lineOf(key: WireKey): string[] {
    const [exchange = '', symbol = ''] = String(key).split(' ');
    const token = list.token(exchange, symbol);
    if (token === undefined || byKey.has(key) || byKey.size >= MOST_INSTRUMENTS) return [];
    lastSid += 1;
    const subject = `${subjects[exchange]}${token}`;
    byKey.set(key, lastSid);
    bySid.set(lastSid, { key, subject });
    return [`SUB ${subject} ${lastSid}\r\n`];
  }

  function subscribe(keys: readonly WireKey[]): Frame[] {
    if (!list.loaded()) for (const key of keys) waiting.add(key);
    return framed(keys.flatMap(lineOf));
  }

  function unsubscribe(keys: readonly WireKey[]): Frame[] {
    const lines = keys.flatMap((key) => {
      const sid = byKey.get(key);
      waiting.delete(key);
      if (sid === undefined) return [];
      byKey.delete(key);
      bySid.delete(sid);
      return [`UNSUB ${sid}\r\n`];
    });
    return framed(lines);
  }

  function pong(sink: FeedSink): void {
    if (greeted && !signedIn) {
      signedIn = true;
      sink.reply(Buffer.from(orders.map((subject, index) => `SUB ${subject} ${index + 1}\r\n`).join('')));
      sink.ready();
      return;
    }
    if (waiting.size === 0) return;
    if (!list.loaded()) return void list.load();
    const frames = subscribe([...waiting]);
    waiting.clear();
    for (const frame of frames) sink.reply(frame);
  }

  function hearsFor(sink: FeedSink): NatsHears {
    return {
      info(text) {
        const { data } = greeting.safeParse(readJson(text));
        if (!data || greeted) return;
        greeted = true;
        sink.reply(Buffer.concat([Buffer.from(`CONNECT ${JSON.stringify(connectOptions(login, nkey, data.nonce))}\r\n`), PING]));
      },
      ping: () => sink.reply(PONG),
      pong: () => pong(sink),
      error(text) {
        if (!signedIn || /authori[sz]ation|authentication|expired/i.test(text)) sink.refused(text);
      },
      message(subject, sid, payload) {
        if (orders[sid - 1] === subject) return decodeOrder(payload, sink);
        const known = bySid.get(sid);
        if (known?.subject === subject) decodePrice(payload, known.key, sink);
      },
    };
  }

  return {
    hello: [],
    awaitsReady: true,
    subscribe,
    unsubscribe,
    decode: (frame, sink) => reader.take(typeof frame === 'string' ? Buffer.from(frame) : frame, hearsFor(sink)),
  };
}

function connectOptions({ token }: SocketLogin, nkey: Nkey, nonce: string) {
  const client = { lang: 'node', version: '1.0.0', protocol: 1, headers: false, no_responders: false };
  return { verbose: false, pedantic: false, jwt: token, sig: nkey.sign(nonce), ...client };
}

function framed(lines: readonly string[]): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < lines.length; at += LINES_A_FRAME) frames.push(Buffer.from(lines.slice(at, at + LINES_A_FRAME).join('')));
  return frames;
}

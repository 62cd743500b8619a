import { z } from 'zod';
import { within } from '../../clock.ts';
import type { BrokerEnv } from '../broker.ts';
import type { Channel, FeedSink, FeedTalk } from '../feed.ts';
import { readJson } from '../parse.ts';
import type { Api, SocketLogin } from './api.ts';
import { decodeOrder, decodePrice } from './feed-messages.ts';
import { type NatsHears, NatsReader } from './feed-nats.ts';
import { createSubscriptions, MOST_INSTRUMENTS, subjects } from './feed-subscriptions.ts';
import type { InstrumentList } from './instruments.ts';
import { createNkey, type Nkey } from './nkey.ts';

/** Our PING comes oftener than that, so a quiet market is no silence: Groww is said to shut out whoever reconnects often. */
const SILENCE_MS = 8000;
const PING_EVERY_MS = 5000;
/** The sign-in waits for the list of instruments at most this long. */
const LIST_WAIT_MS = 3000;
const PING = Buffer.from('PING\r\n');
const PONG = Buffer.from('PONG\r\n');

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
      const nkey = createNkey();
      const [login] = await Promise.all([api.socketLogin(nkey.publicText), within(env.clock, LIST_WAIT_MS, list.load())]);
      if (!login.success) throw new Error(login.message);
      return { url: env.feedUrl, localAddress: env.localAddress, talk: createTalk(login.data, nkey, list) };
    },
  };
  return [channel];
}

const greeting = z.looseObject({ nonce: z.string().max(1024).default('') });

/** The talk of one connection. What is not in the list yet waits for the answer to the next PING. */
export function createTalk(login: SocketLogin, nkey: Nkey, list: InstrumentList): FeedTalk {
  const reader = new NatsReader();
  const orders = orderSubjects.map((subject) => `${subject}${login.subscriptionId}`);
  const prices = createSubscriptions(list, orders.length);
  let greeted = false;
  let signedIn = false;

  function pong(sink: FeedSink): void {
    if (greeted && !signedIn) {
      signedIn = true;
      sink.reply(Buffer.from(orders.map((subject, index) => `SUB ${subject} ${index + 1}\r\n`).join('')));
      sink.ready();
      return;
    }
    for (const frame of prices.late()) sink.reply(frame);
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
        const key = prices.keyOf(subject, sid);
        if (key !== undefined) decodePrice(payload, key, sink);
      },
    };
  }

  return {
    hello: [],
    awaitsReady: true,
    subscribe: prices.subscribe,
    unsubscribe: prices.unsubscribe,
    decode: (frame, sink) => reader.take(typeof frame === 'string' ? Buffer.from(frame) : frame, hearsFor(sink)),
  };
}

function connectOptions({ token }: SocketLogin, nkey: Nkey, nonce: string) {
  const client = { lang: 'node', version: '1.0.0', protocol: 1, headers: false, no_responders: false };
  return { verbose: false, pedantic: false, jwt: token, sig: nkey.sign(nonce), ...client };
}

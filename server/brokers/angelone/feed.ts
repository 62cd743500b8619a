import { z } from 'zod';
import type { BrokerEnv } from '../broker.ts';
import type { Channel, FeedInstrument, FeedSink, Frame, WireKey } from '../feed.ts';
import { note, readJson } from '../parse.ts';
import { venueOf } from '../quote.ts';
import type { Api } from './api.ts';
import { orderAnswer } from './wire.ts';

/** The official client pings every 10 s and hears `pong`: twice as often, so that a socket on which nothing trades still speaks within SILENCE_MS. */
const PRICE_PING_MS = 5000;
const SILENCE_MS = 8000;
const ORDER_PING_MS = 10_000;
/** An idle order socket sends a byte every 10 s. */
const ORDER_SILENCE_MS = 12_000;
/** Widely quoted, not documented. */
const MOST_INSTRUMENTS = 1000;
/** No limit of one frame is documented. */
const TOKENS_A_FRAME = 200;

/** SmartAPI's number of an exchange by the word of the rows. */
const exchangeTypes: Readonly<Record<string, number>> = { NSE: 1, NFO: 2, BSE: 3, BFO: 4, MCX: 5, NCDEX: 7, CDS: 13 };
const CURRENCY = 13;
const [SUBSCRIBE, UNSUBSCRIBE] = [1, 0];
/** Mode of a packet -> its least size in bytes; the fields of a smaller mode open those of a larger one. */
const LTP = 1;
const sizes: Readonly<Record<number, number>> = { [LTP]: 51, 2: 123, 3: 379 };
const TOKEN_AT = 2;
const TOKEN_BYTES = 25;
const TIME_AT = 35;
const PRICE_AT = 43;
/** The latest time a Date can hold, epoch ms. */
const LATEST_MS = 8_640_000_000_000_000;

/** Angel One's two sockets: prices as packed binary, order updates as JSON on a host of their own. */
export function feed(env: BrokerEnv, api: Api): Channel[] {
  const prices: Channel = {
    name: 'prices',
    prices: true,
    orders: false,
    heartbeat: { everyMs: PRICE_PING_MS, frame: 'ping' },
    silenceMs: SILENCE_MS,
    mostInstruments: MOST_INSTRUMENTS,
    key,
    async open() {
      const { jwt, feed: feedToken } = api.login();
      if (!feedToken) throw new Error('Angel One gave no feed token with this login; the next login brings one');
      const { API_KEY = '', CLIENT_ID = '' } = env.credentials;
      const named = { 'x-api-key': API_KEY, 'x-client-code': CLIENT_ID, 'x-feed-token': feedToken };
      const talk = {
        hello: [],
        awaitsReady: false,
        subscribe: (keys: readonly WireKey[]) => ask(SUBSCRIBE, keys),
        unsubscribe: (keys: readonly WireKey[]) => ask(UNSUBSCRIBE, keys),
        decode: decodePrices,
      };
      return { url: env.feedUrl, headers: { authorization: `Bearer ${jwt}`, ...named }, localAddress: env.localAddress, talk };
    },
  };
  const orders: Channel = {
    name: 'orders',
    prices: false,
    orders: true,
    heartbeat: { everyMs: ORDER_PING_MS, frame: 'ping' },
    silenceMs: ORDER_SILENCE_MS,
    mostInstruments: 0,
    key: () => null,
    async open() {
      const headers = { authorization: `Bearer ${api.login().jwt}` };
      const talk = { hello: [], awaitsReady: true, subscribe: () => [], unsubscribe: () => [], decode: decodeOrders };
      return { url: orderUrl(env.feedUrl), headers, localAddress: env.localAddress, talk };
    },
  };
  return [prices, orders];
}

/** The order socket beside the price socket: on its own host at Angel One, at the same one where the address is overridden. */
export function orderUrl(feedUrl: string): string {
  const url = new URL('smart-order-update', feedUrl);
  if (url.hostname === 'smartapisocket.angelone.in') url.hostname = 'tns.angelone.in';
  return url.href;
}

/** `1:3045`: tokens are unique within an exchange alone. */
function key({ exchange, token }: FeedInstrument): WireKey | null {
  const venue = venueOf(exchange);
  const type = Object.hasOwn(exchangeTypes, venue) ? exchangeTypes[venue] : undefined;
  return type === undefined || !/^\d{1,25}$/.test(token) ? null : `${type}:${token}`;
}

function ask(action: number, keys: readonly WireKey[]): Frame[] {
  const frames: Frame[] = [];
  for (let from = 0; from < keys.length; from += TOKENS_A_FRAME) {
    const byType = new Map<string, string[]>();
    for (const each of keys.slice(from, from + TOKENS_A_FRAME)) {
      const [type = '', token = ''] = String(each).split(':');
      byType.set(type, [...(byType.get(type) ?? []), token]);
    }
    const tokenList = [...byType].map(([type, tokens]) => ({ exchangeType: Number(type), tokens }));
    frames.push(JSON.stringify({ correlationID: 'gatewayfed', action, params: { mode: LTP, tokenList } }));
  }
  return frames;
}

/** Reads one packet of prices; texts (`pong`, and errors about a subscription) say nothing of them. Paise, ten millionths of a rupee for currencies. */
export function decodePrices(frame: Frame, sink: FeedSink): void {
  if (typeof frame === 'string') return;
  const size = sizes[frame[0] ?? 0];
  if (size === undefined || frame.length < size) return;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  const exchangeType = view.getInt8(1);
  const token = tokenIn(frame.subarray(TOKEN_AT, TOKEN_AT + TOKEN_BYTES));
  const units = Number(view.getBigInt64(PRICE_AT, true));
  if (token === null || !Number.isSafeInteger(units)) return;
  const at = Number(view.getBigInt64(TIME_AT, true));
  sink.price(`${exchangeType}:${token}`, units / (exchangeType === CURRENCY ? 10_000_000 : 100), at > 0 && at <= LATEST_MS ? at : null);
}

/** ASCII digits, then NULs. */
function tokenIn(bytes: Uint8Array): string | null {
  return /^(\d+)\0*$/.exec(String.fromCharCode(...bytes))?.[1] ?? null;
}

const update = z.looseObject({
  'status-code': z.union([z.string(), z.int()]).transform(String),
  'order-status': note,
  'error-message': note,
  orderData: z.unknown(),
});
const CONNECTED = 'AB00';

/** Reads one frame of the order socket. The first one, AB00 around an order without an id, answers the sign-in; the idle byte is no text. */
export function decodeOrders(frame: Frame, sink: FeedSink): void {
  const said = typeof frame === 'string' ? update.safeParse(readJson(frame)).data : undefined;
  if (!said) return;
  if (said['status-code'] !== '200') {
    sink.refused([said['status-code'], said['error-message']].filter(Boolean).join(' '));
    return;
  }
  sink.ready();
  // The documents show an order under AB00 too.
  const named = orderAnswer.safeParse(said.orderData).data;
  if (named) sink.order(named.orderid);
  else if (said['order-status'] !== CONNECTED) sink.order(null);
}

import { z } from 'zod';
import type { BrokerEnv } from '../broker.ts';
import type { Channel, FeedSink, Frame, FrameQuote, WireKey } from '../feed.ts';
import { readJson, word } from '../parse.ts';
import type { Api } from './api.ts';

/** Kite sends a one-byte frame each second when nothing trades. */
const SILENCE_MS = 8000;
const MOST_INSTRUMENTS = 3000;
/** Units of a rupee in a price, by the segment in the lowest byte of an instrument token; 100 for every other. */
const CDS = 3;
const BCD = 6;
/** Commodities on NSE. */
const NCO = 12;
const divisors: Readonly<Record<number, number>> = { [CDS]: 10_000_000, [BCD]: 10_000, [NCO]: 10_000 };
const INDICES = 9;
const QUOTE_TIME = 60;
const INDEX_TIME = 28;
/** A packet with the depth, and where the best prices stand in it. */
const FULL_SIZE = 184;
const BEST_BID = 68;
const BEST_ASK = 128;

const orderFrame = z.looseObject({ type: z.literal('order'), data: z.looseObject({ order_id: word }) });
const errorFrame = z.looseObject({ type: z.literal('error'), data: z.string() });

/** Kite's one socket: prices as packed binary, order updates as JSON, both without asking for the latter. */
export function feed(env: BrokerEnv, api: Api): Channel[] {
  const channel: Channel = {
    name: 'prices and orders',
    prices: true,
    orders: true,
    silenceMs: SILENCE_MS,
    mostInstruments: MOST_INSTRUMENTS,
    key: ({ token }) => (/^[1-9]\d{0,9}$/.test(token) ? Number(token) : null),
    async open() {
      const query = new URLSearchParams({ api_key: env.credentials.API_KEY ?? '', access_token: api.login() });
      return {
        url: `${env.feedUrl}?${query}`,
        headers: { 'x-kite-version': '3' },
        localAddress: env.localAddress,
        talk: { hello: [], awaitsReady: false, subscribe, unsubscribe: (keys) => [ask('unsubscribe', keys)], decode },
      };
    },
  };
  return [channel];
}

/** Mode `full` carries the exchange's time. */
function subscribe(keys: readonly WireKey[]): Frame[] {
  return [ask('subscribe', keys), ask('mode', ['full', keys])];
}

function ask(action: string, value: unknown): string {
  return JSON.stringify({ a: action, v: value });
}

/** Reads one frame: text is an order or a message, bytes are packets of prices. Whatever it cannot read it leaves out. */
export function decode(frame: Frame, sink: FeedSink): void {
  if (typeof frame === 'string') decodeText(frame, sink);
  else if (frame.length >= 4) decodePackets(frame, sink);
}

function decodePackets(frame: Uint8Array, sink: FeedSink): void {
  const { length } = frame;
  const view = new DataView(frame.buffer, frame.byteOffset, length);
  let at = 2;
  for (let left = view.getUint16(0); left > 0 && at + 2 <= length; left -= 1) {
    const size = view.getUint16(at);
    at += 2;
    if (size < 8 || at + size > length) return;
    decodePacket(view, at, size, sink);
    at += size;
  }
}

function decodePacket(view: DataView, at: number, size: number, sink: FeedSink): void {
  const token = view.getUint32(at);
  const segment = token & 0xff;
  const timeAt = segment === INDICES ? INDEX_TIME : QUOTE_TIME;
  const seconds = size >= timeAt + 4 ? view.getInt32(at + timeAt) : 0;
  const units = divisors[segment] ?? 100;
  sink.price(token, view.getInt32(at + 4) / units, seconds > 0 ? seconds * 1000 : null);
  if (sink.quote && segment !== INDICES && size >= FULL_SIZE) sink.quote(token, told(view, at, units));
}

/** Filled for each packet anew: packets come too often to make an object for each. */
const quote: Required<FrameQuote> = { bid: 0, ask: 0, open: 0, high: 0, low: 0, close: 0, volume: 0 };

function told(view: DataView, at: number, units: number): FrameQuote {
  quote.volume = view.getUint32(at + 16);
  quote.open = view.getInt32(at + 28) / units;
  quote.high = view.getInt32(at + 32) / units;
  quote.low = view.getInt32(at + 36) / units;
  quote.close = view.getInt32(at + 40) / units;
  quote.bid = view.getInt32(at + BEST_BID) / units;
  quote.ask = view.getInt32(at + BEST_ASK) / units;
  return quote;
}

function decodeText(text: string, sink: FeedSink): void {
  const body = readJson(text);
  const order = orderFrame.safeParse(body);
  if (order.success) sink.order(order.data.data.order_id);
  const error = errorFrame.safeParse(body);
  if (error.success) sink.refused(error.data.data);
}

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { BrokerEnv } from '../broker.ts';
import type { Channel, FeedInstrument, FeedOpening, FeedSink, FeedTalk, Frame, WireKey } from '../feed.ts';
import { readJson, word } from '../parse.ts';
import { ProtoReader } from '../protobuf.ts';
import type { Api } from './api.ts';

/** The heartbeat is a plain ping of the socket. */
const SILENCE_MS = 8000;
/** Keys of one connection whose only mode is `ltpc`, the last price with its time. */
const MOST_INSTRUMENTS = 5000;
/** Upstox names no limit for one request; this keeps a frame near 10 kB. */
const KEYS_A_REQUEST = 500;

/** Upstox's two sockets. Both are entered at the API's host, which redirects to an address with a code that works once: the token goes along as a header. */
export function feed(env: BrokerEnv, api: Api): Channel[] {
  const open = async (path: string, talk: Partial<FeedTalk> & Pick<FeedTalk, 'decode'>): Promise<FeedOpening> => ({
    url: `${env.feedUrl}${path}`,
    headers: { authorization: `Bearer ${api.login()}`, accept: '*/*' },
    followRedirects: true,
    localAddress: env.localAddress,
    talk: { hello: [], awaitsReady: false, subscribe: () => [], unsubscribe: () => [], ...talk },
  });
  const prices = {
    subscribe: (keys: readonly WireKey[]) => requests('sub', keys),
    unsubscribe: (keys: readonly WireKey[]) => requests('unsub', keys),
    decode: decodePrices,
  };
  const common = { silenceMs: SILENCE_MS, mostInstruments: MOST_INSTRUMENTS };
  return [
    { ...common, name: 'prices', prices: true, orders: false, key: keyOf, open: () => open('/v3/feed/market-data-feed', prices) },
    {
      ...common,
      name: 'orders',
      prices: false,
      orders: true,
      key: () => null,
      open: () => open('/v2/feed/portfolio-stream-feed?update_types=order', { decode: decodeOrders }),
    },
  ];
}

/** Our token is Upstox's instrument key: `NSE_EQ|INE062A01020`, `NSE_FO|43919`. */
function keyOf({ token }: FeedInstrument): WireKey | null {
  return /^[A-Z]+_[A-Z]+\|[\w .&-]{1,60}$/.test(token) ? token : null;
}

/** JSON that Upstox wants as bytes. */
function requests(method: 'sub' | 'unsub', keys: readonly WireKey[]): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < keys.length; at += KEYS_A_REQUEST) {
    const instrumentKeys = keys.slice(at, at + KEYS_A_REQUEST);
    const data = method === 'sub' ? { instrumentKeys, mode: 'ltpc' } : { instrumentKeys };
    frames.push(Buffer.from(JSON.stringify({ guid: randomUUID(), method, data })));
  }
  return frames;
}

/** Field numbers of Upstox's MarketDataFeedV3.proto that lead from a frame to its last prices. */
const RESPONSE = { feeds: 2 } as const;
const ENTRY = { key: 1, feed: 2 } as const;
const FEED = { ltpc: 1, full: 2, greeks: 3 } as const;
const FULL = { market: 1, index: 2 } as const;
/** In every message that holds more than a last price, the last price comes first. */
const INNER = { ltpc: 1 } as const;
const LTPC = { price: 1, time: 2 } as const;

interface Last {
  rupees: number;
  at: number | null;
}

/** Reads one frame of prices, a FeedResponse. Whatever it cannot read it leaves out. */
export function decodePrices(frame: Frame, sink: FeedSink): void {
  if (typeof frame === 'string') return;
  const response = ProtoReader.of(frame);
  while (response.next()) {
    const entry = response.field === RESPONSE.feeds ? response.message() : null;
    let key: string | null = null;
    let last: Last | null = null;
    while (entry?.next()) {
      if (entry.field === ENTRY.key) key = entry.text();
      if (entry.field === ENTRY.feed) last = lastOf(entry.message());
    }
    if (key !== null && last) sink.price(key, last.rupees, last.at);
  }
}

function lastOf(feed: ProtoReader | null): Last | null {
  let last: Last | null = null;
  while (feed?.next()) {
    if (feed.field === FEED.ltpc) last = ltpc(feed.message());
    if (feed.field === FEED.greeks) last = inner(feed.message());
    if (feed.field !== FEED.full) continue;
    const full = feed.message();
    while (full?.next()) if (full.field === FULL.market || full.field === FULL.index) last = inner(full.message());
  }
  return last;
}

function inner(message: ProtoReader | null): Last | null {
  let last: Last | null = null;
  while (message?.next()) if (message.field === INNER.ltpc) last = ltpc(message.message());
  return last;
}

function ltpc(message: ProtoReader | null): Last | null {
  let rupees = 0;
  let at = 0;
  while (message?.next()) {
    if (message.field === LTPC.price) rupees = message.double() ?? 0;
    if (message.field === LTPC.time) at = message.integer() ?? 0;
  }
  return rupees > 0 && Number.isFinite(rupees) ? { rupees, at: at > 0 ? at : null } : null;
}

const orderFrame = z.looseObject({ update_type: z.literal('order'), order_id: word.nullish().catch(null) });

/** Reads one frame of the portfolio stream: JSON that says what changed. Only news of orders are asked for. */
export function decodeOrders(frame: Frame, sink: FeedSink): void {
  const news = orderFrame.safeParse(readJson(typeof frame === 'string' ? frame : Buffer.from(frame).toString('utf8')));
  if (news.success) sink.order(news.data.order_id ?? null);
}

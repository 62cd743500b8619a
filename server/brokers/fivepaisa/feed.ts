import { z } from 'zod';
import type { BrokerEnv } from '../broker.ts';
import type { Channel, FeedInstrument, FeedSink, Frame, WireKey } from '../feed.ts';
import { frameNames, toldIn } from '../frame-quote.ts';
import { readJson, word } from '../parse.ts';
import { venueOf } from '../quote.ts';
import type { Api } from './api.ts';
import { epochMs, toldOrder } from './rows.ts';
import { segments } from './wire.ts';

/** 5paisa documents no heartbeat, and no limit of a connection or a frame. */
const SILENCE_MS = 8000;
const MOST_INSTRUMENTS = 1000;
const SCRIPS_A_FRAME = 100;

/** Exchange and type, one letter each, by the word of the rows. */
const letters: Readonly<Record<string, string>> = { ...segments, BCD: 'BU' };
/** Host of the feed by the claim of the token: on another one the order updates are silently missing. */
const hosts = { A: 'aopenfeed.5paisa.com', B: 'bopenfeed.5paisa.com', C: 'openfeed.5paisa.com' } as const;
const claims = z.looseObject({ RedirectServer: z.enum(['A', 'B', 'C']) });

/** 5paisa's one socket, JSON both ways. A second connection ends the first, so prices and orders share it. */
export function feed(env: BrokerEnv, api: Api): Channel[] {
  const channel: Channel = {
    name: 'prices and orders',
    prices: true,
    orders: true,
    silenceMs: SILENCE_MS,
    mostInstruments: MOST_INSTRUMENTS,
    key,
    async open() {
      const { token, client } = api.login();
      const talk = {
        hello: [JSON.stringify({ Method: 'OrderTradeConfirmations', Operation: 'Subscribe', ClientCode: client })],
        awaitsReady: false,
        subscribe: (keys: readonly WireKey[]) => ask('Subscribe', client, keys),
        unsubscribe: (keys: readonly WireKey[]) => ask('Unsubscribe', client, keys),
        decode,
      };
      const url = `${hostOf(env.feedUrl, token)}?Value1=${encodeURIComponent(token)}|${encodeURIComponent(client)}`;
      return { url, localAddress: env.localAddress, talk };
    },
  };
  return [channel];
}

/** The feed's address for a token: the host its claim names, unless the address is overridden or there is no such claim. */
export function hostOf(feedUrl: string, token: string): string {
  const url = new URL(feedUrl);
  const claim = claims.safeParse(readJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).data?.RedirectServer;
  const own: readonly string[] = Object.values(hosts);
  if (claim && own.includes(url.hostname)) url.hostname = hosts[claim];
  return url.href;
}

/** `NC1660`: codes are unique within an exchange and type alone. */
function key({ exchange, token }: FeedInstrument): WireKey | null {
  const venue = venueOf(exchange);
  const place = Object.hasOwn(letters, venue) ? letters[venue] : undefined;
  return place === undefined || !/^[1-9]\d{0,14}$/.test(token) ? null : place + token;
}

function ask(Operation: 'Subscribe' | 'Unsubscribe', ClientCode: string, keys: readonly WireKey[]): Frame[] {
  const frames: Frame[] = [];
  for (let from = 0; from < keys.length; from += SCRIPS_A_FRAME) {
    const MarketFeedData = keys.slice(from, from + SCRIPS_A_FRAME).map((each) => {
      const [Exch = '', ExchType = '', ...code] = String(each);
      return { Exch, ExchType, ScripCode: Number(code.join('')) };
    });
    frames.push(JSON.stringify({ Method: 'MarketFeedV3', Operation, ClientCode, MarketFeedData }));
  }
  return frames;
}

const letter = z.string().length(1);
const tick = z.looseObject({ Exch: letter, ExchType: letter, Token: z.int().min(1), LastRate: z.number(), TickDt: epochMs.catch(null) });
const members = frameNames({
  bid: 'BidRate',
  ask: 'OffRate',
  open: 'OpenRate',
  high: 'High',
  low: 'Low',
  close: 'PClose',
  volume: 'TotalQty',
});
const orderFrame = z.looseObject({ ReqType: word });

/** Reads one frame: a list of prices, or what happened to an order. `TickDt` is the time; the `Time` beside it has no day. */
export function decode(frame: Frame, sink: FeedSink): void {
  const body = typeof frame === 'string' ? readJson(frame) : undefined;
  for (const item of Array.isArray(body) ? body : [body]) {
    const moved = tick.safeParse(item).data;
    if (moved) {
      const key = moved.Exch + moved.ExchType + moved.Token;
      sink.price(key, moved.LastRate, moved.TickDt);
      const told = sink.quote && toldIn(moved, members);
      if (told) sink.quote?.(key, told);
    } else if (orderFrame.safeParse(item).success) sink.order(toldOrder.safeParse(item).data ?? null);
  }
}

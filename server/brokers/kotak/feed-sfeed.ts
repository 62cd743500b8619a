import { z } from 'zod';
import type { FeedSink, FeedTalk, Frame, FrameQuote, WireKey } from '../feed.ts';
import { readJson } from '../parse.ts';

/** Kotak's price socket ("SFeed", native_batch): JSON to sign in and subscribe, packed little-endian packets end to end for prices. */

const TOKENS_A_FRAME = 500;
const SIGNED_IN = [1117, 1119];
/** Of the closing auction, the market's status and an index: what is at the level's place there means nothing. */
const OTHER_CODES = [104, 105, 6511, 6521, 7207];

const HEADER = 9;
const CODE_AT = 2;
const EXCHANGE_AT = 4;
const LEVEL_AT = 5;
const TOKEN_AT = 9;
/** Where the last price stands and how long a packet must be, by level: 1 is the mini packet, the others are market pictures. */
const picture = { priceAt: 69, size: 144 };
const layouts: Readonly<Record<number, { priceAt: number; size: number }>> = {
  1: { priceAt: 21, size: 54 },
  2: picture,
  4: picture,
  8: picture,
  16: picture,
};

/** In a market picture: the quantity traded, how many rows of depth stand a side, and the size of a row. */
const VOLUME_AT = 29;
const BIDS_AT = 89;
const ASKS_AT = 93;
const ROW = 16;

interface Segment {
  name: string;
  /** Units of its prices in a rupee; 0 while the broker has not told. */
  divider: number;
}

/** Segments by number. Paise are certain where the exchange quotes in them; elsewhere the sign-in must tell. */
const segments: Readonly<Record<number, Segment>> = {
  1: { name: 'nse_cm', divider: 100 },
  2: { name: 'nse_fo', divider: 100 },
  3: { name: 'cde_fo', divider: 0 },
  4: { name: 'nse_com', divider: 100 },
  5: { name: 'bse_cm', divider: 100 },
  6: { name: 'bse_fo', divider: 100 },
  7: { name: 'bse_cd', divider: 0 },
  8: { name: 'bse_co', divider: 100 },
  9: { name: 'mcx_fo', divider: 100 },
  10: { name: 'ncd_co', divider: 0 },
};
const names = Object.values(segments).map(({ name }) => name);

const said = z.looseObject({
  message_code: z.int(),
  message: z.string().optional().catch(undefined),
  format: z.string().optional().catch(undefined),
  exchanges: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
const described = z.looseObject({ value: z.int(), divider: z.int().positive() });

/** `nse_cm|11536` in a segment the feed has; null for what is no token there. */
export function wireKey(segment: string, token: string): WireKey | null {
  return names.includes(segment) && /^\d{1,10}$/.test(token) ? `${segment}|${Number(token)}` : null;
}

/** The talk of one connection of customer `ucc` with the session id `sid`. `now`: epoch ms. */
export function sfeedTalk({ ucc, sid, now }: { ucc: string; sid: string; now: number }): FeedTalk {
  let known = segments;
  let signedIn = false;

  function decode(frame: Frame, sink: FeedSink): void {
    if (typeof frame === 'string') control(frame, sink);
    else if (signedIn) packets(frame, known, sink);
  }

  function control(text: string, sink: FeedSink): void {
    const { data } = said.safeParse(readJson(text));
    if (!data || signedIn) return;
    if (!SIGNED_IN.includes(data.message_code)) sink.refused(data.message || `Kotak answered the sign-in with ${data.message_code}`);
    else if (data.format !== 'native_batch') sink.refused(`Kotak offers the format ${data.format ?? 'none'} instead of native_batch`);
    else {
      known = told(data.exchanges ?? {});
      signedIn = true;
      sink.ready();
    }
  }

  const about = { source: 'NEOTRADEAPI', platform: 'Web', version: '1.2.3', sdk_version: 2, sdk_date: '2026-08-07T09:41:17.667Z' };
  return {
    hello: [JSON.stringify({ user: ucc, auth: sid, format: 'native_batch', ...about, conn_req_time: now, sessionValidation: false })],
    awaitsReady: true,
    subscribe: (keys) => inFrames('subscribeScrips', keys, { ack_symbol: true }),
    unsubscribe: (keys) => inFrames('unsubscribeScrips', keys, {}),
    decode,
  };
}

function inFrames(event: string, keys: readonly WireKey[], more: object): Frame[] {
  const frames: Frame[] = [];
  for (let from = 0; from < keys.length; from += TOKENS_A_FRAME)
    frames.push(JSON.stringify({ event, inputtoken: keys.slice(from, from + TOKENS_A_FRAME).join(','), ...more }));
  return frames;
}

/** Our segments with the dividers the sign-in told; names the feed should not have are left out. */
function told(exchanges: Record<string, unknown>): Readonly<Record<number, Segment>> {
  const list = names.flatMap((name) => {
    const { data } = described.safeParse(Object.hasOwn(exchanges, name) ? exchanges[name] : undefined);
    return data ? [[data.value, { name, divider: data.divider }] as const] : [];
  });
  return { ...segments, ...Object.fromEntries(list) };
}

function packets(frame: Uint8Array, known: Readonly<Record<number, Segment>>, sink: FeedSink): void {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  for (let at = 0; at + HEADER <= frame.length; ) {
    const size = view.getUint16(at, true);
    if (size < HEADER || at + size > frame.length) return;
    packet(view, at, size, known, sink);
    at += size;
  }
}

function packet(view: DataView, at: number, size: number, known: Readonly<Record<number, Segment>>, sink: FeedSink): void {
  const layout = layouts[view.getUint8(at + LEVEL_AT)];
  const segment = known[view.getInt8(at + EXCHANGE_AT)];
  if (!layout || !segment?.divider || size < layout.size || OTHER_CODES.includes(view.getUint16(at + CODE_AT, true))) return;
  const price = view.getUint32(at + layout.priceAt, true) / segment.divider;
  // In which unit the time of a trade counts is not documented.
  const key = `${segment.name}|${view.getUint32(at + TOKEN_AT, true)}`;
  sink.price(key, price, null);
  if (sink.quote && layout === picture) sink.quote(key, pictured(view, at, size, segment.divider));
}

/** Filled for each packet anew: packets come too often to make an object for each. */
const quote: Required<FrameQuote> = { bid: 0, ask: 0, open: 0, high: 0, low: 0, close: 0, volume: 0 };

/** What a market picture tells beside the last price: bids stand before asks, each as many as the packet says; 0 where there are none. */
function pictured(view: DataView, at: number, size: number, divider: number): FrameQuote {
  const price = (offset: number) => view.getUint32(at + offset, true) / divider;
  const [bids, asks] = [view.getUint32(at + BIDS_AT, true), view.getUint32(at + ASKS_AT, true)];
  const best = (row: number, count: number) =>
    count > 0 && picture.size + (row + 1) * ROW <= size ? price(picture.size + row * ROW + 8) : 0;
  quote.volume = Number(view.getBigInt64(at + VOLUME_AT, true));
  quote.open = price(53);
  quote.close = price(57);
  quote.high = price(61);
  quote.low = price(65);
  quote.bid = best(0, bids);
  quote.ask = best(bids, asks);
  return quote;
}

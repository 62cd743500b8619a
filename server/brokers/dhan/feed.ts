import { z } from 'zod';
import type { BrokerEnv } from '../broker.ts';
import type { Channel, FeedInstrument, FeedSink, Frame, WireKey } from '../feed.ts';
import { note, readJson, word } from '../parse.ts';
import type { Api } from './api.ts';
import { segments } from './wire.ts';

/** Dhan pings every 10 s and answers our pings. */
const SILENCE_MS = 8000;
const MOST_INSTRUMENTS = 5000;
const INSTRUMENTS_A_FRAME = 100;

/** Dhan's words for segments, each at the number it has in the frames; order words beyond ours keep Dhan's in the rows. */
const segmentWords = ['IDX_I', 'NSE_EQ', 'NSE_FNO', 'NSE_CURRENCY', 'BSE_EQ', 'MCX_COMM', '', 'BSE_CURRENCY', 'BSE_FNO'];
const [SUBSCRIBE_TICKER, UNSUBSCRIBE_TICKER] = [15, 16];

/** Packets: code -> size in bytes. What is behind a price does not matter; the rest is known to be stepped over. */
const [TICKER, QUOTE, FULL, DISCONNECT] = [2, 4, 8, 50];
const sizes: Readonly<Record<number, number>> = { [TICKER]: 16, 3: 112, [QUOTE]: 50, 5: 12, 6: 16, 7: 8, [FULL]: 162, [DISCONNECT]: 10 };
const HEADER = 8;
/** Why Dhan ends a connection: what makes the sign-in a refused one. 805, a newer connection took the place, does not. */
const refusals: Readonly<Record<number, string>> = {
  806: 'market data is not subscribed',
  807: 'the token is expired',
  808: 'authentication failed',
  809: 'the token is invalid',
  810: 'the client id is invalid',
};

/** Dhan's two sockets: prices as packed binary, order updates as JSON on a host of their own. */
export function feed(env: BrokerEnv, api: Api): Channel[] {
  const prices: Channel = {
    name: 'prices',
    prices: true,
    orders: false,
    silenceMs: SILENCE_MS,
    mostInstruments: MOST_INSTRUMENTS,
    key,
    async open() {
      const query = new URLSearchParams({ version: '2', token: api.login().token, clientId: api.login().client, authType: '2' });
      const talk = {
        hello: [],
        awaitsReady: false,
        subscribe: (keys: readonly WireKey[]) => ask(SUBSCRIBE_TICKER, keys),
        unsubscribe: (keys: readonly WireKey[]) => ask(UNSUBSCRIBE_TICKER, keys),
        decode: decodePrices,
      };
      return { url: `${env.feedUrl}?${query}`, localAddress: env.localAddress, talk };
    },
  };
  const orders: Channel = {
    name: 'orders',
    prices: false,
    orders: true,
    silenceMs: SILENCE_MS,
    mostInstruments: 0,
    key: () => null,
    async open() {
      const login = { LoginReq: { MsgCode: 42, ClientId: api.login().client, Token: api.login().token }, UserType: 'SELF' };
      // Dhan does not answer a login it takes.
      const talk = { hello: [JSON.stringify(login)], awaitsReady: false, subscribe: () => [], unsubscribe: () => [], decode: decodeOrders };
      return { url: orderUrl(env.feedUrl), localAddress: env.localAddress, talk };
    },
  };
  return [prices, orders];
}

/** The order socket: a host of its own at Dhan. Where the address is overridden both are one, told apart by the query that this one lacks. */
export function orderUrl(feedUrl: string): string {
  const url = new URL(feedUrl);
  if (url.hostname === 'api-feed.dhan.co') url.hostname = 'api-order-update.dhan.co';
  return url.href;
}

/** `1:1333`: security ids are unique within a segment alone. Holdings name no exchange. */
function key({ exchange, token }: FeedInstrument): WireKey | null {
  const named: Readonly<Record<string, string>> = { ...segments, NSE_INDEX: 'IDX_I', BSE_INDEX: 'IDX_I' };
  const segment = segmentWords.indexOf((Object.hasOwn(named, exchange) && named[exchange]) || exchange || 'none');
  return segment < 0 || !/^[1-9]\d{0,9}$/.test(token) || Number(token) > 0x7fff_ffff ? null : `${segment}:${token}`;
}

function ask(RequestCode: number, keys: readonly WireKey[]): Frame[] {
  const frames: Frame[] = [];
  for (let from = 0; from < keys.length; from += INSTRUMENTS_A_FRAME) {
    const InstrumentList = keys.slice(from, from + INSTRUMENTS_A_FRAME).map((each) => {
      const [segment = '', SecurityId = ''] = String(each).split(':');
      return { ExchangeSegment: segmentWords[Number(segment)], SecurityId };
    });
    frames.push(JSON.stringify({ RequestCode, InstrumentCount: InstrumentList.length, InstrumentList }));
  }
  return frames;
}

/** Reads the packets of one frame. Their time is left out: whether it counts from an epoch in UTC or in India is not sure. */
export function decodePrices(frame: Frame, sink: FeedSink): void {
  if (typeof frame === 'string') return;
  const { length } = frame;
  const view = new DataView(frame.buffer, frame.byteOffset, length);
  for (let at = 0; at + HEADER <= length; ) {
    const code = view.getUint8(at);
    const size = sizes[code];
    if (size === undefined || at + size > length) return;
    if (code === TICKER || code === QUOTE || code === FULL) {
      const rupees = rupeesOf(view.getFloat32(at + HEADER, true));
      sink.price(`${view.getUint8(at + 3)}:${view.getInt32(at + 4, true)}`, rupees, null);
    } else if (code === DISCONNECT) {
      const reason = view.getUint16(at + HEADER, true);
      if (refusals[reason]) sink.refused(`${reason}: ${refusals[reason]}`);
    }
    at += size;
  }
}

/** The decimal behind a 32-bit float: in paise where that gives the same float, else in hundredths of a paisa. */
function rupeesOf(float: number): number {
  const paise = Number(float.toFixed(2));
  if (Math.fround(paise) === float) return paise;
  return Number(float.toFixed(4));
}

const alert = z.looseObject({ type: z.string().regex(/^order_alert$/i), data: z.record(z.string(), z.unknown()) });
const named = z.looseObject({ orderno: z.union([word, z.int().transform(String)]) });
const refused = z
  .looseObject({ errorcode: z.union([word, z.int().transform(String)]), errormessage: note })
  .transform(({ errorcode, errormessage }) => [errorcode, errormessage].filter(Boolean).join(' '));

/** Reads one frame of the order socket; its keys come in either case. How a refused login reads is not documented: an error code is taken for one. */
export function decodeOrders(frame: Frame, sink: FeedSink): void {
  if (typeof frame !== 'string') return;
  const body = lowered(readJson(frame));
  const told = alert.safeParse(body).data;
  if (told) sink.order(named.safeParse(lowered(told.data)).data?.orderno ?? null);
  const refusal = told ? undefined : refused.safeParse(body).data;
  if (refusal !== undefined) sink.refused(refusal);
}

/** An object with its own keys in lower case. */
function lowered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]));
}

import { z } from 'zod';
import type { BrokerEnv } from '../broker.ts';
import type { Channel, FeedInstrument, FeedSink, FeedTalk, Frame, WireKey } from '../feed.ts';
import { frameNames, toldIn } from '../frame-quote.ts';
import { decimal, note, readJson, word } from '../parse.ts';
import { venueOf } from '../quote.ts';
import type { Api } from './api.ts';

/** Shoonya sends nothing by itself: what is quiet longer than this in market hours is opened anew, with growing patience. */
const SILENCE_MS = 8000;
const HEARTBEAT_MS = 30_000;
/** Documented as unlimited; one user saw the instruments beyond about a hundred get no data, and nothing said so. */
const MOST_INSTRUMENTS = 100;
const NAMES_A_FRAME = 50;
const carried = ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS'];

/** A price of the touchline or the depth, the first frame whole, later ones of what changed. `ft` is in seconds since 1970. */
const priceFrame = z.looseObject({
  t: z.enum(['tk', 'tf', 'dk', 'df']),
  e: word,
  tk: word,
  lp: decimal.optional(),
  ft: z.unknown().optional(),
});
const members = frameNames({ bid: 'bp1', ask: 'sp1', open: 'o', high: 'h', low: 'l', close: 'c', volume: 'v' });
const acknowledgement = z.looseObject({ t: z.enum(['ak', 'ck']), s: z.string(), emsg: note });
/** The id is misspelt in some documents. */
const orderFrame = z.looseObject({ t: z.literal('om'), norenordno: note, norenoordno: note });

/** Shoonya's one socket: JSON of texts both ways, prices and order updates, each asked for. */
export function feed(env: BrokerEnv, api: Api): Channel[] {
  const channel: Channel = {
    name: 'prices and orders',
    prices: true,
    orders: true,
    heartbeat: { everyMs: HEARTBEAT_MS, frame: JSON.stringify({ t: 'h' }) },
    silenceMs: SILENCE_MS,
    mostInstruments: MOST_INSTRUMENTS,
    key: keyOf,
    async open() {
      const { token, user, account } = api.login();
      if (!token) throw new Error('Shoonya has no login');
      // Its address ends in a slash, which settings lose.
      return { url: env.feedUrl.replace(/\/?$/, '/'), localAddress: env.localAddress, talk: talk(token, user, account) };
    },
  };
  return [channel];
}

/** `NSE|22`, an index too: `NSE|26000`. */
function keyOf({ exchange, token }: FeedInstrument): WireKey | null {
  const venue = venueOf(exchange);
  return carried.includes(venue) && /^\d{1,20}$/.test(token) ? `${venue}|${token}` : null;
}

/** The talk of one connection; the orders are asked for as soon as the sign-in is taken. */
export function talk(token: string, user: string, account: string): FeedTalk {
  return {
    hello: [JSON.stringify({ t: 'a', uid: user, actid: account, source: 'API', accesstoken: token })],
    awaitsReady: true,
    subscribe: (keys) => named('t', keys),
    unsubscribe: (keys) => named('u', keys),
    decode: (frame, sink) => decode(frame, sink, account),
  };
}

function named(t: string, keys: readonly WireKey[]): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < keys.length; at += NAMES_A_FRAME) {
    frames.push(JSON.stringify({ t, k: keys.slice(at, at + NAMES_A_FRAME).join('#') }));
  }
  return frames;
}

/** Reads one frame. Whatever it cannot read it leaves out. */
function decode(frame: Frame, sink: FeedSink, account: string): void {
  const body = readJson(typeof frame === 'string' ? frame : Buffer.from(frame).toString('utf8'));
  const price = priceFrame.safeParse(body).data;
  if (price) {
    const key = `${price.e}|${price.tk}`;
    if (price.lp !== undefined) sink.price(key, price.lp, /^\d{10}$/.test(String(price.ft)) ? Number(price.ft) * 1000 : null);
    const told = sink.quote && toldIn(price, members);
    if (told) sink.quote?.(key, told);
    return;
  }
  const order = orderFrame.safeParse(body).data;
  if (order) sink.order(order.norenordno ?? order.norenoordno);
  const answer = acknowledgement.safeParse(body).data;
  if (!answer) return;
  if (answer.s.toUpperCase() !== 'OK') {
    sink.refused(answer.emsg ?? answer.s);
    return;
  }
  sink.reply(JSON.stringify({ t: 'o', actid: account }));
  sink.ready();
}

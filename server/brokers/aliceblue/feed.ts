import { z } from 'zod';
import type { BrokerEnv } from '../broker.ts';
import { type Channel, type FeedInstrument, type FeedOpening, type FeedTalk, type Frame, NotOffered, type WireKey } from '../feed.ts';
import { frameNames, toldIn } from '../frame-quote.ts';
import { decimal, note, readJson, word } from '../parse.ts';
import { venueOf } from '../quote.ts';
import type { Api } from './api.ts';
import type { Claim, Quotes } from './quote.ts';
import { greeting, priceSocketUrl } from './session.ts';
import { acknowledgement, isOk } from './wire.ts';

/** Alice Blue sends nothing by itself: what is quiet longer than this in market hours is opened anew, with growing patience. */
const SILENCE_MS = 8000;
/** Wanted within 50 s on the one socket and within 60 s on the other. */
const HEARTBEAT_MS = 25_000;
/** Not documented; over as many, the API before this one lost connections. */
const MOST_INSTRUMENTS = 250;
const NAMES_A_FRAME = 50;
const carried = ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS', 'BCD'];
const ORDER_SOCKET = '/open-api/order-notify/websocket';

/** A price of the touchline or the depth, the first frame whole, later ones of what changed. `ft` is in seconds since 1970. */
const priceFrame = z.looseObject({
  t: z.enum(['tk', 'tf', 'dk', 'df']),
  e: word,
  tk: word,
  lp: decimal.optional(),
  ti: decimal.optional().catch(undefined),
  ft: z.unknown().optional(),
});
const members = frameNames({ bid: 'bp1', ask: 'sp1', open: 'o', high: 'h', low: 'l', close: 'c', volume: 'v' });
const orderFrame = z.looseObject({ t: z.literal('om'), norenordno: note });
/** Orders have a status too, and a type beside it. */
const orderSignIn = z.looseObject({ t: z.undefined().optional(), status: z.string(), message: note });
const socketToken = z.looseObject({ orderToken: word });

/** Alice Blue's two sockets: prices under the one market data session of the client, and order updates. */
export function feed(env: BrokerEnv, api: Api, quotes: Quotes): Channel[] {
  return [prices(env, api, quotes), orders(env, api)];
}

function prices(env: BrokerEnv, api: Api, quotes: Quotes): Channel {
  return {
    name: 'prices',
    prices: true,
    orders: false,
    heartbeat: { everyMs: HEARTBEAT_MS, frame: JSON.stringify({ k: '', t: 'h' }) },
    silenceMs: SILENCE_MS,
    mostInstruments: MOST_INSTRUMENTS,
    key: keyOf,
    async open(): Promise<FeedOpening> {
      const claim = quotes.claim();
      try {
        await claim.openSession();
      } catch (error) {
        claim.over();
        throw error;
      }
      return { url: priceSocketUrl(env), localAddress: env.localAddress, talk: priceTalk(api.login(), claim) };
    },
  };
}

/** `NSE|22`, an index too: `NSE|26000`. */
function keyOf({ exchange, token }: FeedInstrument): WireKey | null {
  const venue = venueOf(exchange);
  return carried.includes(venue) && /^\d{1,20}$/.test(token) ? `${venue}|${token}` : null;
}

function orders(env: BrokerEnv, api: Api): Channel {
  return {
    name: 'orders',
    prices: false,
    orders: true,
    heartbeat: {
      everyMs: HEARTBEAT_MS,
      get frame() {
        return JSON.stringify({ heartbeat: 'h', userId: api.login().account });
      },
    },
    silenceMs: SILENCE_MS,
    mostInstruments: 0,
    key: () => null,
    async open(): Promise<FeedOpening> {
      const made = await api.orderSocketToken();
      if (!made.success) throw made.empty ? new NotOffered(made.message) : new Error(made.message);
      const told = socketToken.safeParse(made.data[0]);
      if (!told.success) throw new Error('Alice Blue gave no token for the order socket');
      const url = env.apiUrl.replace(/^http/, 'ws').replace(/\/$/, '') + ORDER_SOCKET;
      return { url, localAddress: env.localAddress, talk: orderTalk(told.data.orderToken, api.login().account) };
    },
  };
}

/** The talk of one price socket; the depth of an instrument may be asked for in between, for a quote. */
export function priceTalk(login: { token: string; account: string }, claim: Claim): FeedTalk {
  const watched = new Set<WireKey>();

  /** A watched instrument is dropped first, so that its depth comes whole, and asked for again: whether depth replaces the touchline is not known. */
  function askDepth(key: string): string[] {
    return watched.has(key) ? [named('u', key), named('d', key), named('t', key)] : [named('d', key)];
  }

  function endDepth(key: string): string[] {
    return watched.has(key) ? [named('ud', key), named('t', key)] : [named('ud', key)];
  }

  return {
    hello: [greeting(login)],
    awaitsReady: true,
    subscribe(keys) {
      for (const key of keys) watched.add(key);
      return inPieces('t', keys);
    },
    unsubscribe(keys) {
      for (const key of keys) watched.delete(key);
      return inPieces('u', keys);
    },
    ended: () => claim.over(),
    decode(frame, sink) {
      const body = bodyOf(frame);
      const { data: price } = priceFrame.safeParse(body);
      const reply = (message: string) => sink.reply(message);
      if (price) {
        const key = `${price.e}|${price.tk}`;
        if (price.lp !== undefined) sink.price(key, price.lp, /^\d{10}$/.test(String(price.ft)) ? Number(price.ft) * 1000 : null);
        const told = sink.quote && toldIn(price, members);
        if (told) sink.quote?.(key, told);
        if (price.lp !== undefined && watched.has(key) && price.lp > 0) claim.heard(key, price.lp, price.ti ?? null);
      }
      if (price && price.t !== 'dk') return;
      const asked = claim.take(body);
      if (asked) endDepth(asked).forEach(reply);
      const answer = acknowledgement.safeParse(body).data;
      if (answer?.good) {
        claim.up((key) => askDepth(key).forEach(reply));
        sink.ready();
      } else if (answer) sink.refused('Alice Blue refused the market data socket');
    },
  };
}

/** The talk of one order socket. Everything about an order is in its frame, and only its id is used. */
export function orderTalk(orderToken: string, userId: string): FeedTalk {
  return {
    hello: [JSON.stringify({ orderToken, userId })],
    awaitsReady: true,
    subscribe: () => [],
    unsubscribe: () => [],
    decode(frame, sink) {
      const body = bodyOf(frame);
      const order = orderFrame.safeParse(body).data;
      if (order) sink.order(order.norenordno);
      const answer = orderSignIn.safeParse(body).data;
      if (!answer) return;
      if (isOk(answer.status)) sink.ready();
      else sink.refused(answer.message ?? answer.status);
    },
  };
}

function named(t: string, key: string): string {
  return JSON.stringify({ k: key, t });
}

function inPieces(t: string, keys: readonly WireKey[]): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < keys.length; at += NAMES_A_FRAME) frames.push(named(t, keys.slice(at, at + NAMES_A_FRAME).join('#')));
  return frames;
}

function bodyOf(frame: Frame): unknown {
  return readJson(typeof frame === 'string' ? frame : Buffer.from(frame).toString('utf8'));
}

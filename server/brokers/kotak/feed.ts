import { z } from 'zod';
import type { BrokerEnv } from '../broker.ts';
import type { Channel, FeedSink, Frame } from '../feed.ts';
import { quantity, readJson } from '../parse.ts';
import type { Api, Session } from './api.ts';
import { sfeedTalk, wireKey } from './feed-sfeed.ts';
import { isKotakHost, type Profile } from './login.ts';
import { orderNumber, segments, stateOf } from './wire.ts';

/** Kotak's own price socket, as its Python client 3.0.9 has it (3.0.1: `/betafeed`). The order socket lies on the host a login names. */
export const PRICES_URL = 'wss://sfeed.kotaksecurities.com/apifeed';

const SILENCE_MS = 8000;
const MOST_INSTRUMENTS = 3000;

/** Exchanges without a word of ours stand in rows as Kotak writes them. */
const segmentNames: ReadonlyMap<string, string> = new Map(Object.entries(segments));

const connected = z.looseObject({ type: z.literal('cn'), ak: z.string().optional(), msg: z.string().optional() });
const data = z.looseObject({
  nOrdNo: orderNumber.nullish().catch(null),
  ordSt: z.string().catch(''),
  fldQty: quantity.nullish().catch(null),
});
const pushed = z.looseObject({ type: z.literal('order'), data });
const position = z.looseObject({ type: z.literal('position') });
const addresses = z.looseObject({ feedUrl: z.string().optional().catch(undefined), rtUrl: z.string().optional().catch(undefined) });

/** Kotak's two sockets: prices as packed binary, orders as JSON. `profile`: what the login told. */
export function feed(env: BrokerEnv, api: Api, profile: () => Profile | null): Channel[] {
  function session(): Session {
    const current = api.login();
    if (!current.token) throw new Error('not signed in to Kotak');
    return current;
  }
  const prices: Channel = {
    name: 'prices',
    prices: true,
    orders: false,
    silenceMs: SILENCE_MS,
    mostInstruments: MOST_INSTRUMENTS,
    key: ({ exchange, token }) => wireKey(segmentNames.get(exchange) ?? exchange, token),
    async open() {
      const { sid } = session();
      const talk = sfeedTalk({ ucc: env.credentials.UCC ?? '', sid, now: env.clock.now() });
      return { url: pricesUrl(env, profile()), localAddress: env.localAddress, talk };
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
      const { token, sid, baseUrl } = session();
      // Not JSON: Kotak's own client and documents have it so.
      const hello = [`{type:cn,Authorization:${token},Sid:${sid},src:WEB}`];
      const talk = { hello, awaitsReady: true, subscribe: () => [], unsubscribe: () => [], decode: decodeOrders };
      return { url: ordersUrl(env, baseUrl, profile()), localAddress: env.localAddress, talk };
    },
  };
  return [prices, orders];
}

/** KOTAK_FEED_URL where it is set, else what the login names, else Kotak's usual address. */
export function pricesUrl(env: Pick<BrokerEnv, 'apiUrl' | 'feedUrl'>, profile: Profile | null): string {
  return (env.feedUrl === PRICES_URL && own(env.apiUrl, addresses.safeParse(profile).data?.feedUrl)) || env.feedUrl;
}

/** What the login names for order updates, else `/realtime` of the host that serves the customer. */
export function ordersUrl(env: Pick<BrokerEnv, 'apiUrl'>, baseUrl: string, profile: Profile | null): string {
  return own(env.apiUrl, addresses.safeParse(profile).data?.rtUrl) ?? new URL('/realtime', baseUrl).href.replace(/^http/, 'ws');
}

/** A socket address the login named, if it is a host of Kotak's. */
function own(apiUrl: string, url: string | undefined): string | undefined {
  const socket = url?.replace(/^http/, 'ws');
  return socket && isKotakHost(apiUrl, socket.replace(/^ws/, 'http')) ? socket : undefined;
}

const waiting = ['TRANSIT', 'OPEN', 'TRIGGER_PENDING'];

/**
 * Reads a frame of the order socket. An order that merely travels or rests and has filled nothing is no news: the planned reads see it, and Kotak
 * counts every read. Whatever is pushed shows that the sign-in held, as its answer does.
 */
export function decodeOrders(frame: Frame, sink: FeedSink): void {
  const body = readJson(typeof frame === 'string' ? frame : Buffer.from(frame).toString());
  const answer = connected.safeParse(body).data;
  if (answer?.ak === 'ok') sink.ready();
  else if (answer) sink.refused(answer.msg || 'Kotak refused the login of the order socket');
  if (position.safeParse(body).success) sink.ready();
  const order = pushed.safeParse(body).data?.data;
  if (!order) return;
  sink.ready();
  if (!waiting.includes(stateOf(order.ordSt)) || order.fldQty !== 0) sink.order(order.nOrdNo ?? null);
}

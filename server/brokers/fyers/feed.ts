import { z } from 'zod';
import type { BrokerEnv } from '../broker.ts';
import type { Channel, FeedInstrument, FeedSink, Frame, WireKey } from '../feed.ts';
import { readJson, word } from '../parse.ts';
import type { Api } from './api.ts';
import { heartbeatFrame, hsmTalk } from './feed-hsm.ts';
import { orderId } from './wire.ts';

const SILENCE_MS = 8000;
const HEARTBEAT_MS = 10_000;
const MOST_INSTRUMENTS = 5000;

/** Our exchange -> how its fyTokens begin (exchange and segment), and its segment on the price socket. */
const segments: Readonly<Record<string, readonly [head: string, segment: string]>> = {
  NSE: ['1010', 'nse_cm'],
  NFO: ['1011', 'nse_fo'],
  CDS: ['1012', 'cde_fo'],
  NCO: ['1020', 'nse_com'],
  MCX: ['1120', 'mcx_fo'],
  BSE: ['1210', 'bse_cm'],
  BFO: ['1211', 'bse_fo'],
  BCD: ['1212', 'bcs_fo'],
};

const claims = z.looseObject({ hsm_key: word });
const code = z.int().nullish().catch(null);
const row = z.looseObject({ id: orderId.nullish().catch(null), org_ord_status: code, ord_status: code, qty_filled: code });
const pushed = z.looseObject({ orders: row });
const said = z.looseObject({ s: z.string(), code: z.int().optional(), message: z.string().optional() });

/** FYERS' two sockets: prices as packed binary, orders as JSON. */
export function feed(env: BrokerEnv, api: Api): Channel[] {
  const notice = noticeLog(env);
  const prices: Channel = {
    name: 'prices',
    prices: true,
    orders: false,
    heartbeat: { everyMs: HEARTBEAT_MS, frame: heartbeatFrame },
    silenceMs: SILENCE_MS,
    mostInstruments: MOST_INSTRUMENTS,
    key: topicOf,
    // The key in the token signs in; with an Authorization header the server never answers.
    open: async () => ({
      url: `${env.feedUrl}/hsm/v1-5/prod`,
      localAddress: env.localAddress,
      talk: hsmTalk(feedKeyOf(api.login()), MOST_INSTRUMENTS, notice),
    }),
  };
  const orders: Channel = {
    name: 'orders',
    prices: false,
    orders: true,
    heartbeat: { everyMs: HEARTBEAT_MS, frame: 'ping' },
    silenceMs: SILENCE_MS,
    mostInstruments: 0,
    key: () => null,
    open: async () => ({
      url: `${env.feedUrl}/trade/v3`,
      headers: { authorization: `${env.credentials.APP_ID}:${api.login()}` },
      localAddress: env.localAddress,
      talk: { hello: [followOrders], awaitsReady: true, subscribe: () => [], unsubscribe: () => [], decode: decodeOrders },
    }),
  };
  return [prices, orders];
}

/** So many notices are remembered as logged. */
const MOST_NOTICES = 100;

/** A log line for each thing the price socket says in words, once. */
function noticeLog({ log }: BrokerEnv): (text: string) => void {
  const told = new Set<string>();
  return (text) => {
    if (told.has(text) || told.size >= MOST_NOTICES) return;
    told.add(text);
    log.warn({ broker: 'fyers', feed: 'prices', reason: text }, 'FYERS does not follow all prices that were asked for');
  };
}

/** A fill is told as a change of its order too; trades beside it would make a second read of a scarce budget. */
const followOrders = JSON.stringify({ T: 'SUB_ORD', SLIST: ['orders'], SUB_T: 1 });

/** Orders on their way or at rest: public codes (in transit, pending), and the order system's own for them. */
const onTheWay = [4, 6];
const onTheWayRaw = [11, 12, 20, 21, 22, 23, 24, 25, 26, 51, 52, 53, 54, 55, 61, 62, 63, 64, 71, 72];

/** `sf|nse_cm|3045` from a fyToken of that exchange or from the exchange's own code; null for anything else. */
export function topicOf({ exchange, token }: FeedInstrument): WireKey | null {
  const [head, segment] = (Object.hasOwn(segments, exchange) ? segments[exchange] : undefined) ?? [];
  if (segment === undefined || !/^\d+$/.test(token)) return null;
  if (token.length < 10) return `sf|${segment}|${Number(token)}`;
  const [start, own] = [token.slice(0, 4), token.slice(10)];
  return start === head && own.length > 0 && own.length < 10 ? `sf|${segment}|${own}` : null;
}

/** The key of the price socket, which the access token carries. Throws when it has none. */
function feedKeyOf(token: string): string {
  const body = claims.safeParse(readJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()));
  if (!body.success) throw new Error("FYERS' access token carries no hsm_key: prices cannot be followed with it");
  return body.data.hsm_key;
}

/**
 * Reads a frame of the order socket; the answer to the subscription makes it ready. An order that merely travels or rests and has filled nothing
 * is no news: the planned reads see it, and FYERS counts every read.
 */
export function decodeOrders(frame: Frame, sink: FeedSink): void {
  const body = typeof frame === 'string' ? readJson(frame) : undefined;
  const push = pushed.safeParse(body).data;
  if (push) {
    sink.ready();
    const { id, org_ord_status: status, ord_status: raw, qty_filled: filled } = push.orders;
    const waits = typeof status === 'number' ? onTheWay.includes(status) : onTheWayRaw.includes(raw ?? 0);
    if (!waits || filled !== 0) sink.order(id ?? null);
    return;
  }
  const answer = said.safeParse(body).data;
  if (answer?.s === 'ok') sink.ready();
  else if (answer?.s === 'error') sink.refused(answer.message || `code ${answer.code ?? 'none'}`);
}

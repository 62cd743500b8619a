import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import { findInstrument } from '../instruments.ts';
import type { ExchangeOrder, Instrument, Trade } from '../types.ts';
import type { WireReply, WireRequest } from '../wire/message.ts';
import type { Frame, Link, Stream, Talk, Tick } from '../wire/stream.ts';
import * as hsm from './hsm.ts';
import { orderRow, tradeRow } from './rows.ts';
import { failure, refusalText } from './words.ts';

/** FYERS' sockets: binary prices, whose sign-in is their first frame, and orders as JSON. */

const MOST_TOPICS = 5000;
/** A frame's length is 16 bits wide. */
const TICKS_A_FRAME = 100;

interface Parts {
  exchange: Exchange;
  /** Whether a feed key is that of a living login. */
  holdsKey(key: string): boolean;
  /** The refusal of a request whose login does not hold, or null. */
  unauthorised(request: WireRequest): WireReply | null;
}

export function fyersStreams({ exchange, holdsKey, unauthorised }: Parts): Stream[] {
  const byTopic = new Map(exchange.instruments.map((instrument) => [hsm.topicOf(instrument), instrument]));
  const prices: Stream = {
    path: '/hsm/v1-5/prod',
    admit: () => null,
    talk: (link) => priceTalk(link, { exchange, holdsKey, byTopic }),
  };
  const orders: Stream = {
    path: '/trade/v3',
    admit: (request, refused) => (refused || unauthorised(request) ? failure(403, -15, 'Please provide valid token') : null),
    talk: (link) => orderTalk(link, exchange),
  };
  return [prices, orders];
}

/** What one connection has been told of a topic. */
interface Told {
  topicId: number;
  channel: number;
  /** As last sent; null before the snapshot. */
  values: number[] | null;
}

function priceTalk(
  link: Link,
  { exchange, holdsKey, byTopic }: Pick<Parts, 'exchange' | 'holdsKey'> & { byTopic: Map<string, Instrument> },
): Talk {
  const told = new Map<Instrument, Told>();
  const lite = new Set<number>();
  const paused = new Set<number>();
  // With an Authorization header the server takes the socket and never says a word.
  const mute = link.request.headers.authorization !== undefined;
  let signedIn = false;
  let topicIds = 0;
  let frames = 0;

  function signIn(key: string): void {
    signedIn = !link.refused && holdsKey(key);
    link.send(signedIn ? hsm.welcome() : hsm.reply(hsm.types.auth, false));
  }

  /** Topics are numbered with 16 bits. */
  function newTopicId(): number {
    topicIds = (topicIds % 0xffff) + 1;
    return topicIds;
  }

  function subscribe(names: readonly string[], channel: number): boolean {
    const found = names.flatMap((name) => byTopic.get(name) ?? []);
    if (told.size + found.length > MOST_TOPICS) return false;
    for (const instrument of found) {
      if (!told.has(instrument)) told.set(instrument, { topicId: newTopicId(), channel, values: null });
      link.wants.add(instrument);
    }
    return true;
  }

  function unsubscribe(names: readonly string[]): boolean {
    for (const instrument of names.flatMap((name) => byTopic.get(name) ?? [])) {
      told.delete(instrument);
      link.wants.delete(instrument);
    }
    return true;
  }

  function message(frame: Buffer): void {
    const asked = hsm.readFrame(frame);
    if (!asked || mute) return;
    const { type, fields } = asked;
    const [first, second] = [fields.get(1) ?? Buffer.alloc(0), fields.get(2) ?? Buffer.alloc(0)];
    if (type === hsm.types.auth) signIn(first.toString('latin1'));
    else if (signedIn && type !== hsm.types.ack && type !== hsm.types.keepAlive)
      link.send(hsm.reply(type, requests[type]?.(first, second) ?? false));
  }

  function eachChannel(mask: Buffer, act: (channel: number) => void): boolean {
    for (const channel of channelsOf(mask)) act(channel);
    return mask.length === 8;
  }

  const requests: Readonly<Record<number, (first: Buffer, second: Buffer) => boolean>> = {
    [hsm.types.subscribe]: (list, channel) => subscribe(hsm.readTopics(list), channel[0] ?? 0),
    [hsm.types.unsubscribe]: (list) => unsubscribe(hsm.readTopics(list)),
    [hsm.types.pause]: (mask) => eachChannel(mask, (channel) => paused.add(channel)),
    [hsm.types.resume]: (mask) => eachChannel(mask, (channel) => paused.delete(channel)),
    [hsm.types.mode]: (mask, mode) =>
      eachChannel(mask, (channel) => void (mode.toString() === 'L' ? lite.add(channel) : lite.delete(channel))),
  };

  function part(tick: Tick): Buffer[] {
    const topic = told.get(tick.instrument);
    if (!topic || paused.has(topic.channel)) return [];
    const now = exchange.clock.now();
    if (topic.values === null) {
      topic.values = hsm.valuesOf(tick, now);
      return [hsm.snapshot(topic.topicId, tick, now)];
    }
    return [lite.has(topic.channel) ? hsm.lite(topic.topicId, tick) : hsm.update(topic.topicId, tick, topic.values, now)];
  }

  function ticks(moved: readonly Tick[]): Frame[] {
    const parts = moved.flatMap(part);
    const sent: Frame[] = [];
    for (let from = 0; from < parts.length; from += TICKS_A_FRAME)
      sent.push(hsm.dataFrame(++frames, parts.slice(from, from + TICKS_A_FRAME)));
    return sent;
  }

  return { message, ticks };
}

/** Channel numbers whose bits are set in a mask of 64. */
function channelsOf(mask: Buffer): number[] {
  if (mask.length !== 8) return [];
  const bits = mask.readBigUInt64BE();
  return Array.from({ length: 64 }, (_, channel) => channel).filter((channel) => (bits >> BigInt(channel)) & 1n);
}

const Asked = z.object({ T: z.literal('SUB_ORD'), SLIST: z.array(z.string()), SUB_T: z.literal([1, -1]) });

function orderTalk(link: Link, exchange: Exchange): Talk {
  const follows = new Set<string>();

  function message(frame: Buffer): void {
    const said = frame.toString();
    link.send(said === 'ping' ? 'pong' : JSON.stringify(answer(parse(said))));
  }

  function answer(asked: unknown): object {
    const { data } = Asked.safeParse(asked);
    if (!data) return { code: -50, message: 'Invalid request', s: 'error' };
    for (const name of data.SLIST) {
      if (data.SUB_T === 1) follows.add(name);
      else follows.delete(name);
    }
    return { code: 1605, message: `Successfully ${data.SUB_T === 1 ? 'subscribed' : 'unsubscribed'}`, s: 'ok' };
  }

  function told(order: ExchangeOrder, trade: Trade | undefined): Frame[] {
    const instrument = findInstrument(order.exchange, order.symbol);
    if (!instrument) return [];
    const frames: Frame[] = [];
    if (follows.has('orders')) frames.push(JSON.stringify({ s: 'ok', orders: pushedOrder(order, instrument, exchange) }));
    if (trade && follows.has('trades')) frames.push(JSON.stringify({ s: 'ok', trades: pushedTrade(trade, order, instrument) }));
    return frames;
  }

  return { message, order: told };
}

/** The order system's own codes for the public ones. */
const rawStatus: Readonly<Record<number, number>> = { 1: 91, 2: 90, 4: 20, 5: 92, 6: 22, 7: 73 };

function pushedOrder(order: ExchangeOrder, instrument: Instrument, exchange: Exchange): object {
  const reason = order.refusal && order.state === 'REJECTED' ? refusalText(order.refusal) : '';
  const row = orderRow(order, instrument, exchange.quote(instrument), 1, reason);
  return {
    client_id: row.clientId,
    id: row.id,
    id_exchange: row.exchOrdId,
    id_fyers: row.id_fyers,
    qty: row.qty,
    qty_remaining: row.remainingQuantity,
    qty_filled: row.filledQty,
    price_limit: row.limitPrice,
    price_stop: row.stopPrice,
    price_traded: row.tradedPrice,
    ord_type: row.type,
    ord_status: rawStatus[row.status],
    org_ord_status: row.status,
    oms_msg: row.message,
    status_msg: row.message,
    ordertag: row.orderTag,
    fy_token: row.fyToken,
    exchange: row.exchange,
    segment: row.segment,
    symbol: row.symbol,
    instrument: row.instrument,
    offline_flag: row.offlineOrder,
    time_oms: row.orderDateTime,
    time_epoch_oms: Math.floor(order.updatedAt / 1000),
    validity: row.orderValidity,
    product_type: row.productType,
    tran_side: row.side,
    ord_source: row.source,
    symbol_exch: row.ex_sym,
    symbol_desc: row.description,
    lot_size: instrument.lotSize,
    tick_size: Number(instrument.tick),
  };
}

function pushedTrade(trade: Trade, order: ExchangeOrder, instrument: Instrument): object {
  const row = tradeRow(trade, order, instrument);
  return {
    id_fill: row.tradeNumber,
    id: row.orderNumber,
    qty_traded: row.tradedQty,
    price_traded: row.tradePrice,
    traded_val: row.tradeValue,
    product_type: row.productType,
    client_id: row.clientId,
    id_exchange: row.exchangeOrderNo,
    ord_type: row.orderType,
    tran_side: row.side,
    symbol: row.symbol,
    fill_time: row.orderDateTime,
    fy_token: row.fyToken,
    exchange: row.exchange,
    segment: row.segment,
    ordertag: row.orderTag,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

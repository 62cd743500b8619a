import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Instrument } from '../types.ts';
import { depthOf, unitsIn } from '../views.ts';
import { little, u8, zeros } from '../wire/bytes.ts';
import { readJson } from '../wire/message.ts';
import type { Frame, Link, Talk, Tick } from '../wire/stream.ts';
import { epochSeconds } from '../wire/times.ts';
import { credentials } from './login.ts';
import { quotedAs, securityId } from './words.ts';

/** Dhan's prices: packed little-endian packets, told by the token in the query of the handshake. */

const { u16, u32, i32, f32 } = little;
const INDEX_SEGMENT = 0;
const segmentCodes = { NSE: 1, NFO: 2, CDS: 3, BSE: 4, MCX: 5, BFO: 8 } as const;
/** Request code -> what is subscribed; the code after it takes it back. */
const modes: ReadonlyMap<number, Mode> = new Map([
  [15, 'ticker'],
  [17, 'quote'],
  [21, 'full'],
]);
type Mode = 'ticker' | 'quote' | 'full';
const DISCONNECT = 12;
const MOST_A_MESSAGE = 100;
const MOST_CONNECTIONS = 5;
const [TOO_MANY, EXPIRED, BAD_TOKEN, BAD_CLIENT] = [805, 807, 809, 810];
/** Packet codes. */
const codes = { ticker: 2, quote: 4, interest: 5, close: 6, full: 8, disconnect: 50 } as const;
const Asked = z.object({
  RequestCode: z.int(),
  InstrumentList: z
    .array(z.object({ ExchangeSegment: z.string(), SecurityId: z.string() }))
    .max(MOST_A_MESSAGE)
    .default([]),
});

/** The talks of all connections for prices, of which the account may have five. */
export function priceTalks(exchange: Exchange, lives: (token: string) => boolean): (link: Link) => Talk {
  const open: Link[] = [];

  function refusalOf({ refused, request: { query } }: Link): number | null {
    if (refused) return EXPIRED;
    if (query.get('clientId') !== credentials.CLIENT_ID) return BAD_CLIENT;
    return lives(query.get('token') ?? '') ? null : BAD_TOKEN;
  }

  function opened(link: Link): void {
    const reason = refusalOf(link);
    open.push(link);
    const [oldest = link] = open;
    if (reason !== null) end(link, reason);
    else if (open.length > MOST_CONNECTIONS) end(oldest, TOO_MANY);
  }

  function end(link: Link, reason: number): void {
    forget(link);
    link.send(Buffer.concat([u8(codes.disconnect), u16(10), zeros(5), u16(reason)]));
    link.close();
  }

  function forget(link: Link): void {
    if (open.includes(link)) open.splice(open.indexOf(link), 1);
  }

  return (link) => {
    const { message, ticks } = priceTalk(exchange, link, () => open.includes(link));
    return { opened: () => opened(link), message, ticks, closed: () => forget(link) };
  };
}

/** One connection; what it asks counts while it `stays`. */
function priceTalk(exchange: Exchange, link: Link, stays: () => boolean) {
  const wanted = new Map<Instrument, Mode>();

  function subscribe(instrument: Instrument, mode: Mode): void {
    wanted.set(instrument, mode);
    link.wants.add(instrument);
    link.send(packet(codes.close, instrument, [f32(Number(exchange.quote(instrument).close)), zeros(4)]));
  }

  function unsubscribe(instrument: Instrument): void {
    wanted.delete(instrument);
    link.wants.delete(instrument);
  }

  function message(frame: Buffer): void {
    const asked = Asked.safeParse(readJson(frame.toString())).data;
    if (!asked || !stays()) return;
    if (asked.RequestCode === DISCONNECT) link.close();
    const mode = modes.get(asked.RequestCode);
    for (const instrument of asked.InstrumentList.flatMap((each) => quotedAs(each.ExchangeSegment, each.SecurityId) ?? [])) {
      if (mode) subscribe(instrument, mode);
      else if (wanted.get(instrument) === modes.get(asked.RequestCode - 1)) unsubscribe(instrument);
    }
  }

  const ticks = (moved: readonly Tick[]) =>
    moved.flatMap((tick) => packets(tick, wanted.get(tick.instrument) ?? 'ticker', epochSeconds(exchange.clock.now())));
  return { message, ticks };
}

/** A packet: code, its whole size, segment and security id, then its own fields. */
function packet(code: number, instrument: Instrument, fields: readonly Buffer[]): Buffer {
  const body = Buffer.concat(fields);
  const segment = instrument.kind === 'INDEX' ? INDEX_SEGMENT : segmentCodes[instrument.exchange];
  return Buffer.concat([u8(code), u16(8 + body.length), u8(segment), i32(securityId(instrument)), body]);
}

function packets({ instrument, quote }: Tick, mode: Mode, seconds: number): Frame[] {
  const price = (rupees: string) => f32(Number(rupees));
  const last = price(quote.last);
  if (mode === 'ticker') return [packet(codes.ticker, instrument, [last, u32(seconds)])];
  const { bids, asks } = depthOf(instrument, quote);
  const totals = [quote.volume, unitsIn(instrument, asks), unitsIn(instrument, bids)].map(u32);
  const trade = [last, u16(Math.min(instrument.lotSize, 0xffff)), u32(seconds), last, ...totals];
  const day = [quote.open, quote.close, quote.high, quote.low].map(price);
  if (mode === 'quote') return [packet(codes.quote, instrument, [...trade, ...day]), packet(codes.interest, instrument, [zeros(4)])];
  const depth = bids.flatMap((bid, index) => {
    const both = [bid, asks[index] ?? bid];
    return [
      ...both.map(({ lots }) => u32(lots * instrument.lotSize)),
      ...both.map(({ orders }) => u16(orders)),
      ...both.map((each) => f32(Number(each.price))),
    ];
  });
  return [packet(codes.full, instrument, [...trade, zeros(12), ...day, ...depth])];
}

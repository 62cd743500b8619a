import { z } from 'zod';
import { istText } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import type { ExchangeOrder, Instrument, Trade } from '../types.ts';
import type { Frame, Link, Stream, Talk, Tick } from '../wire/stream.ts';
import { credentials } from './login.ts';
import { findSecurity, instrumentOf, readJson } from './orders.ts';
import { orderRow, statusOf } from './rows.ts';

/**
 * Dhan's two sockets under one address: prices, told by the token in their query, as packed little-endian packets;
 * orders, which sign in by a message, as JSON. At Dhan each has a host of its own.
 */

const segmentCodes = { NSE: 1, NFO: 2, CDS: 3, BSE: 4, MCX: 5 } as const;
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
const Asked = z.object({
  RequestCode: z.int(),
  InstrumentList: z
    .array(z.object({ ExchangeSegment: z.string(), SecurityId: z.string() }))
    .max(MOST_A_MESSAGE)
    .default([]),
});

export function feedStream(exchange: Exchange, lives: (token: string) => boolean): Stream {
  const open: Link[] = [];

  function marketTalk(link: Link): Talk {
    const wanted = new Map<Instrument, Mode>();
    const { query } = link.request;

    function opened(): void {
      const reason = refusalOf();
      open.push(link);
      const [oldest = link] = open;
      if (reason !== null) end(link, reason);
      else if (open.length > MOST_CONNECTIONS) end(oldest, TOO_MANY);
    }

    function refusalOf(): number | null {
      if (link.refused) return EXPIRED;
      if (query.get('clientId') !== credentials.CLIENT_ID) return BAD_CLIENT;
      return lives(query.get('token') ?? '') ? null : BAD_TOKEN;
    }

    function message(frame: Buffer): void {
      const asked = Asked.safeParse(readJson(frame.toString())).data;
      if (!asked || !open.includes(link)) return;
      if (asked.RequestCode === DISCONNECT) link.close();
      const listed = asked.InstrumentList.flatMap((each) => findSecurity(each.ExchangeSegment, each.SecurityId) ?? []);
      const mode = modes.get(asked.RequestCode);
      for (const instrument of listed) {
        if (mode) subscribe(instrument, mode);
        else if (wanted.get(instrument) === modes.get(asked.RequestCode - 1)) unsubscribe(instrument);
      }
    }

    function subscribe(instrument: Instrument, mode: Mode): void {
      wanted.set(instrument, mode);
      link.wants.add(instrument);
      link.send(packet(6, instrument, 16, (bytes) => bytes.writeFloatLE(Number(exchange.quote(instrument).close), 8)));
    }

    function unsubscribe(instrument: Instrument): void {
      wanted.delete(instrument);
      link.wants.delete(instrument);
    }

    return {
      opened,
      message,
      closed: () => void forget(link),
      ticks: (moved) => moved.flatMap((tick) => packets(tick, wanted.get(tick.instrument) ?? 'ticker', exchange.clock.now())),
    };
  }

  function end(link: Link, reason: number): void {
    forget(link);
    const bytes = Buffer.alloc(10);
    bytes.writeUInt8(50, 0);
    bytes.writeUInt16LE(10, 1);
    bytes.writeUInt16LE(reason, 8);
    link.send(bytes);
    link.close();
  }

  function forget(link: Link): void {
    if (open.includes(link)) open.splice(open.indexOf(link), 1);
  }

  return {
    path: '/',
    admit: () => null,
    talk: (link) => (link.request.query.has('token') ? marketTalk(link) : orderTalk(link, lives)),
  };
}

/** A packet: code, its whole size, segment and security id, then what `put` writes from byte 8 on. */
function packet(code: number, { exchange, exchangeToken }: Instrument, size: number, put: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt8(code, 0);
  bytes.writeUInt16LE(size, 1);
  bytes.writeUInt8(segmentCodes[exchange], 3);
  bytes.writeInt32LE(exchangeToken, 4);
  put(bytes);
  return bytes;
}

function packets({ instrument, quote }: Tick, mode: Mode, now: number): Frame[] {
  const seconds = Math.floor(now / 1000);
  const floats = (bytes: Buffer, offset: number, values: readonly string[]) => {
    for (const [index, value] of values.entries()) bytes.writeFloatLE(Number(value), offset + 4 * index);
  };
  const day = [quote.open, quote.close, quote.high, quote.low];
  const put = (bytes: Buffer) => {
    floats(bytes, 8, [quote.last]);
    if (mode === 'ticker') {
      bytes.writeUInt32LE(seconds, 12);
      return;
    }
    bytes.writeUInt16LE(Math.min(instrument.lotSize, 0xffff), 12);
    bytes.writeUInt32LE(seconds, 14);
    floats(bytes, 18, [quote.last]);
    for (const [index, value] of [quote.volume, 1000, 1000].entries()) bytes.writeUInt32LE(value, 22 + 4 * index);
    floats(bytes, mode === 'full' ? 46 : 34, day);
    for (let level = 0; level < 5 && mode === 'full'; level++) {
      for (const offset of [0, 4]) bytes.writeUInt32LE(100, 62 + 20 * level + offset);
      for (const offset of [8, 10]) bytes.writeUInt16LE(1, 62 + 20 * level + offset);
      floats(bytes, 62 + 20 * level + 12, [quote.bid, quote.ask]);
    }
  };
  if (mode === 'ticker') return [packet(2, instrument, 16, put)];
  if (mode === 'full') return [packet(8, instrument, 162, put)];
  return [packet(4, instrument, 50, put), packet(5, instrument, 12, () => undefined)];
}

const LoginReq = z.object({ LoginReq: z.object({ MsgCode: z.literal(42), ClientId: z.string(), Token: z.string() }) });

/** Says nothing to a login it takes. How one it refuses reads is not documented: here as over REST, then the end. */
function orderTalk(link: Link, lives: (token: string) => boolean): Talk {
  let signedIn = false;
  return {
    message(frame) {
      const login = LoginReq.safeParse(readJson(frame.toString())).data?.LoginReq;
      signedIn = !link.refused && login?.ClientId === credentials.CLIENT_ID && lives(login.Token);
      if (signedIn) return;
      const errorMessage = 'Client ID or user generated access token is invalid or expired.';
      link.send(JSON.stringify({ errorType: 'Invalid_Authentication', errorCode: 'DH-901', errorMessage }));
      link.close();
    },
    order: (order, trade) => (signedIn && isTold(order) ? [JSON.stringify(alert(order, trade))] : []),
  };
}

/** What the exchange has acknowledged: neither a request in transit nor one to change or cancel. */
function isTold(order: ExchangeOrder): boolean {
  return statusOf(order) !== 'TRANSIT' && !['MODIFY_VALIDATION', 'MODIFY_PENDING', 'CANCEL_PENDING'].includes(order.state);
}

const productLetters = { INTRADAY: 'I', DELIVERY: 'C', CARRYFORWARD: 'M' } as const;
const typeWords = { MARKET: 'MKT', LIMIT: 'LMT', SL: 'SL', 'SL-M': 'SLM' } as const;
const segmentLetters = { NSE: ['NSE', 'E'], BSE: ['BSE', 'E'], NFO: ['NSE', 'D'], MCX: ['MCX', 'M'], CDS: ['NSE', 'C'] } as const;

/** The keys as they are seen on the wire; the documents print them with capitals. */
function alert(order: ExchangeOrder, trade: Trade | undefined): object {
  const instrument = instrumentOf(order);
  const row = orderRow(order, instrument);
  const [exchange, segment] = segmentLetters[order.exchange];
  const status = statusOf(order);
  const data = {
    exchange,
    segment,
    source: 'P',
    securityId: row.securityId,
    clientId: credentials.CLIENT_ID,
    exchOrderNo: row.exchangeOrderId,
    orderNo: order.orderId,
    product: productLetters[order.product],
    txnType: order.side === 'BUY' ? 'B' : 'S',
    orderType: typeWords[order.orderType],
    validity: order.validity,
    discQuantity: row.disclosedQuantity,
    remainingQuantity: row.remainingQuantity,
    quantity: order.quantity,
    tradedQty: order.filled,
    price: row.price,
    triggerPrice: row.triggerPrice,
    tradedPrice: Number(trade?.price ?? 0),
    avgTradedPrice: row.averageTradedPrice,
    offMktFlag: order.variety === 'AMO' ? '1' : '0',
    orderDateTime: row.createTime,
    exchOrderTime: row.exchangeTime,
    lastUpdatedTime: istText(order.updatedAt),
    reasonDescription: row.omsErrorDescription,
    legNo: 1,
    symbol: row.tradingSymbol,
    displayName: instrument.name,
    isin: instrument.isin ?? 'NA',
    status: status.slice(0, 1) + status.slice(1).toLowerCase(),
    correlationId: row.correlationId ?? '',
    remarks: '',
  };
  return { Data: data, Type: 'order_alert' };
}

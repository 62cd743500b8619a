import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Big } from '../../money.ts';
import type { Exchange } from '../exchange.ts';
import { findInstrument } from '../instruments.ts';
import { averageOf } from '../matching.ts';
import { type ExchangeOrder, type Instrument, type OrderState, type Quote, remaining, type Trade } from '../types.ts';
import { newToken } from '../wire/message.ts';
import { type Kind, norenPrices, parsed, type Row } from '../wire/noren.ts';
import type { Frame, Link, Stream, Talk } from '../wire/stream.ts';
import { plainName, seriesName, unitsOf } from './rows.ts';
import { clientId, refusalText } from './words.ts';

/** Alice Blue's two sockets, JSON of texts: prices at /NorenWS, to whoever has the one session, and order updates, to whoever has a token for them. */

const Greeting = z.looseObject({ t: z.literal('c'), susertoken: z.string(), uid: z.string(), actid: z.string(), source: z.literal('API') });
const SignIn = z.looseObject({ orderToken: z.string(), userId: z.string() });
const Beat = z.looseObject({ heartbeat: z.literal('h'), userId: z.string() });
const Kinds = z.looseObject({ t: z.string() });
/** An order socket without a heartbeat this long is closed, a price socket after this. */
const ORDERS_UNBEATEN_MS = 60_000;
const PRICES_UNBEATEN_MS = 50_000;

export interface Sockets {
  streams: Stream[];
  /** Makes a market data session for the holder of a token; a socket of the one before ends. */
  createSession(token: string): void;
  invalidateSession(): void;
  /** A token for one order socket. */
  orderToken(): string;
}

export function createSockets(exchange: Exchange): Sockets {
  const listening = new Set<Link>();
  const orderTokens = new Set<string>();
  let allowed: string | null = null;

  function invalidateSession(): void {
    allowed = null;
    for (const link of listening) link.close();
    listening.clear();
  }

  function prices(link: Link): Talk {
    let known = false;
    const patience = closeUnbeaten(exchange, link, PRICES_UNBEATEN_MS);
    const subscribed = norenPrices({ exchange, link, answersEnd: false, row: (...of) => priceRow(...of, exchange.clock.now()) });

    function greet(frame: unknown): void {
      const { data } = Greeting.safeParse(frame);
      const user = `${clientId}_API`;
      known = !link.refused && data?.uid === user && data.actid === user && data.susertoken === allowed;
      if (known) {
        for (const other of listening) other.close();
        listening.clear();
        listening.add(link);
      }
      link.send(JSON.stringify({ t: 'ck', s: known ? 'OK' : 'NOT_OK' }));
    }

    return {
      message(bytes) {
        const frame = parsed(bytes);
        const { t } = Kinds.safeParse(frame).data ?? {};
        patience.anew();
        if (t === 'c') greet(frame);
        else if (t === undefined) link.close();
        else if (t !== 'h' && known) subscribed.message(frame);
      },
      ticks: subscribed.ticks,
      closed() {
        listening.delete(link);
        patience.end();
      },
    };
  }

  function orders(link: Link): Talk {
    let known = false;
    const patience = closeUnbeaten(exchange, link, ORDERS_UNBEATEN_MS);

    function signIn({ orderToken, userId }: z.infer<typeof SignIn>): void {
      known = !link.refused && userId === clientId && orderTokens.delete(orderToken);
      link.send(JSON.stringify(known ? { status: 'Ok' } : { status: 'Not_ok', message: 'Invalid order token' }));
    }

    return {
      message(bytes) {
        const frame = parsed(bytes);
        const { data } = SignIn.safeParse(frame);
        if (data) signIn(data);
        else if (Beat.safeParse(frame).success) patience.anew();
        else link.close();
      },
      order: (order, trade) => (known ? orderFrames(order, trade) : []),
      closed: patience.end,
    };
  }

  return {
    streams: [
      { path: '/NorenWS', admit: () => null, talk: prices },
      { path: '/open-api/order-notify/websocket', admit: () => null, talk: orders },
    ],
    createSession(token) {
      invalidateSession();
      allowed = hashed(token);
    },
    invalidateSession,
    orderToken() {
      const token = newToken();
      orderTokens.add(token);
      return token;
    },
  };
}

/** Closes a connection that is not heard of for so long. */
function closeUnbeaten({ clock }: Exchange, link: Link, patienceMs: number) {
  let waiting = new AbortController();
  const end = () => waiting.abort('over');
  function anew(): void {
    end();
    waiting = new AbortController();
    const { signal } = waiting;
    void clock.sleep(patienceMs, signal).then(() => {
      if (!signal.aborted) link.close();
    });
  }
  anew();
  return { anew, end };
}

/** A client shows that it has the token by the hash of its hash. */
function hashed(token: string): string {
  const once = (text: string) => createHash('sha256').update(text).digest('hex');
  return once(once(token));
}

function priceRow(instrument: Instrument, quote: Quote, kind: Kind, now: number): Row {
  const places = instrument.exchange === 'CDS' ? 4 : 2;
  const two = (price: string) => new Big(price).toFixed(places);
  const touch = { bp1: two(quote.bid), sp1: two(quote.ask), bq1: '1000', sq1: '300' };
  const depth = { lc: two(instrument.lowerCircuit), uc: two(instrument.upperCircuit), tbq: '1000', tsq: '300', bo1: '1', so1: '1' };
  return {
    pp: String(places),
    ml: '1',
    e: instrument.exchange,
    tk: String(instrument.exchangeToken),
    ts: seriesName(instrument),
    ls: String(instrument.lotSize),
    ti: instrument.tick,
    c: two(quote.close),
    lp: two(quote.last),
    pc: new Big(quote.last).minus(quote.close).div(quote.close).times(100).toFixed(2),
    ft: String(Math.floor(now / 1000)),
    o: two(quote.open),
    h: two(quote.high),
    l: two(quote.low),
    ap: two(quote.last),
    v: String(quote.volume),
    ...touch,
    ...(kind === 'd' ? depth : {}),
  };
}

/** Status and report of an order update, in the words of the order system behind Alice Blue. */
const words: Readonly<Record<OrderState, readonly [string, string]>> = {
  RECEIVED: ['PENDING', 'NewAck'],
  VALIDATION: ['PENDING', 'NewAck'],
  OPEN_PENDING: ['PENDING', 'PendingNew'],
  AMO_RECEIVED: ['PENDING', 'NewAck'],
  OPEN: ['OPEN', 'New'],
  TRIGGER_PENDING: ['TRIGGER_PENDING', 'New'],
  MODIFY_VALIDATION: ['PENDING', 'ModAck'],
  MODIFY_PENDING: ['PENDING', 'PendingReplace'],
  MODIFIED: ['OPEN', 'Replaced'],
  CANCEL_PENDING: ['PENDING', 'PendingCancel'],
  FILLED: ['COMPLETE', 'Fill'],
  REJECTED: ['REJECTED', 'Rejected'],
  CANCELLED: ['CANCELED', 'Canceled'],
  EXPIRED: ['CANCELED', 'Canceled'],
};
const typeWord = { MARKET: 'MKT', LIMIT: 'LMT', SL: 'SL-LMT', 'SL-M': 'SL-MKT' } as const;
const productWord = { INTRADAY: 'I', DELIVERY: 'C', CARRYFORWARD: 'M' } as const;

function orderFrames(order: ExchangeOrder, trade: Trade | undefined): Frame[] {
  const instrument = findInstrument(order.exchange, order.symbol);
  if (!instrument) return [];
  const units = (quantity: number) => String(quantity * unitsOf(instrument));
  const two = (price: string) => new Big(price).toFixed(2);
  const [status, report] = words[order.state];
  const fill = trade && { flid: trade.tradeId, flqty: units(trade.quantity), flprc: two(trade.price) };
  const filled = order.filled > 0 ? { fillshares: units(order.filled), avgprc: two(averageOf(order)) } : {};
  const frame = {
    t: 'om',
    norenordno: order.orderId,
    uid: clientId,
    actid: clientId,
    exch: order.exchange,
    tsym: order.exchange === 'NSE' ? seriesName(instrument) : plainName(instrument),
    qty: units(order.quantity),
    prc: two(order.price),
    pcode: productWord[order.product],
    remarks: order.tag ?? '',
    rejreason: order.refusal && order.state === 'REJECTED' ? refusalText(order.refusal, order) : '',
    prctyp: typeWord[order.orderType],
    ret: order.validity,
    dscqty: '0',
    trantype: order.side === 'BUY' ? 'B' : 'S',
    status,
    reporttype: trade ? 'Fill' : report,
    ...filled,
    ...(status === 'CANCELED' ? { cancelqty: units(remaining(order)) } : {}),
    ...fill,
  };
  return [JSON.stringify(frame)];
}

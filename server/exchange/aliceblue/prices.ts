import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Instrument, Quote } from '../types.ts';
import { dayChange } from '../views.ts';
import { sha256 } from '../wire/login.ts';
import { readJson } from '../wire/message.ts';
import { type Kind, norenPrices, type Row } from '../wire/noren.ts';
import { places, pricePlaces } from '../wire/numbers.ts';
import type { Link, Stream, Talk } from '../wire/stream.ts';
import { epochSeconds } from '../wire/times.ts';
import { seriesName } from './rows.ts';
import { clientId } from './words.ts';

/** Alice Blue's prices at /NorenWS, told to whoever has the one market data session. */

const user = `${clientId}_API`;
const Greeting = z.looseObject({
  t: z.literal('c'),
  susertoken: z.string(),
  uid: z.literal(user),
  actid: z.literal(user),
  source: z.literal('API'),
});
const Typed = z.looseObject({ t: z.string() });
export interface PriceSocket {
  streams: Stream[];
  /** Makes a market data session for the holder of a token; a socket of the one before ends. */
  createSession(token: string): void;
  invalidateSession(): void;
}

export function priceSocket(exchange: Exchange): PriceSocket {
  const listening = new Set<Link>();
  let allowed: string | null = null;

  function endAll(): void {
    for (const link of listening) link.close();
    listening.clear();
  }

  function talk(link: Link): Talk {
    let known = false;
    const subscribed = norenPrices({ exchange, link, answersEnd: false, row: (...of) => priceRow(...of, exchange.clock.now()) });

    function greet(frame: unknown): void {
      const { data } = Greeting.safeParse(frame);
      known = !link.refused && data !== undefined && data.susertoken === allowed;
      if (known) {
        endAll();
        listening.add(link);
      }
      link.send(JSON.stringify({ t: 'ck', s: known ? 'OK' : 'NOT_OK' }));
    }

    function message(bytes: Buffer): void {
      const frame = readJson(bytes.toString());
      const { t } = Typed.safeParse(frame).data ?? {};
      if (t === 'c') greet(frame);
      else if (t === undefined) link.close();
      else if (t !== 'h' && known) subscribed.message(frame);
    }

    return { message, ticks: subscribed.ticks, closed: () => void listening.delete(link) };
  }

  return {
    // Documented without the slash at the end; official SDKs dial it with one. Heartbeats are advised, not demanded.
    streams: ['/NorenWS', '/NorenWS/'].map((path) => ({ path, admit: () => null, talk })),
    createSession(token) {
      endAll();
      // A client shows that it has the token by the hash of its hash.
      allowed = sha256(sha256(token));
    },
    invalidateSession() {
      endAll();
      allowed = null;
    },
  };
}

function priceRow(instrument: Instrument, quote: Quote, kind: Kind, now: number): Row {
  const price = places(pricePlaces(instrument));
  const touch = { bp1: price(quote.bid), sp1: price(quote.ask), bq1: '1000', sq1: '300' };
  const depth = { lc: price(instrument.lowerCircuit), uc: price(instrument.upperCircuit), tbq: '1000', tsq: '300', bo1: '1', so1: '1' };
  return {
    pp: String(pricePlaces(instrument)),
    ml: '1',
    e: instrument.exchange,
    tk: String(instrument.exchangeToken),
    ts: seriesName(instrument),
    ls: String(instrument.lotSize),
    ti: instrument.tick,
    c: price(quote.close),
    lp: price(quote.last),
    pc: dayChange(quote).percent.toFixed(2),
    ft: String(epochSeconds(now)),
    o: price(quote.open),
    h: price(quote.high),
    l: price(quote.low),
    ap: price(quote.last),
    v: String(quote.volume),
    ...touch,
    ...(kind === 'd' ? depth : {}),
  };
}

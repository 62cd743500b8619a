import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { Big } from '../money.ts';
import { instrumentOf, plainName } from './aliceblue-rows.ts';
import { clientId } from './aliceblue-words.ts';
import type { Exchange } from './exchange.ts';
import type { Instrument } from './types.ts';

/** Market data at /NorenWS: JSON frames, all values text. A subscription is answered with one full frame; the prices that follow are not pushed. */

const Frame = z.looseObject({ t: z.string(), k: z.string().default('') });
const Greeting = z.looseObject({ t: z.literal('c'), susertoken: z.string(), uid: z.string(), actid: z.string(), source: z.literal('API') });

export interface MarketFeed {
  /** Lets the holder of a token connect, or no longer. */
  allow(token: string): void;
  forbid(token: string): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export function createMarketFeed(exchange: Exchange): MarketFeed {
  const server = new WebSocketServer({ noServer: true });
  const allowed = new Set<string>();

  function greet(frame: unknown): boolean {
    const { data } = Greeting.safeParse(frame);
    const user = `${clientId}_API`;
    return data !== undefined && data.uid === user && data.actid === user && allowed.has(data.susertoken);
  }

  function serve(socket: WebSocket): void {
    let known = false;
    const send = (frame: unknown) => socket.send(JSON.stringify(frame));
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => {
      const frame = Frame.safeParse(parse(data.toString())).data;
      if (!frame) return socket.close();
      if (frame.t === 'c') {
        known = greet(frame);
        return send({ t: 'ck', s: known ? 'OK' : 'NOT_OK' });
      }
      if (known && (frame.t === 't' || frame.t === 'd')) for (const row of rows(frame.k, frame.t)) send(row);
    });
  }

  function rows(names: string, kind: 't' | 'd'): unknown[] {
    return names.split('#').flatMap((name) => {
      const [segment = '', token = ''] = name.split('|');
      const instrument = instrumentOf(segment, token);
      return instrument ? [fullFrame(exchange, instrument, kind)] : [];
    });
  }

  return {
    allow: (token) => allowed.add(hashed(token)),
    forbid: (token) => allowed.delete(hashed(token)),
    upgrade(request, socket, head) {
      if (request.url?.split('?')[0] === '/NorenWS') server.handleUpgrade(request, socket, head, serve);
      else socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
    },
  };
}

/** A client shows that it has the token by the hash of its hash. */
function hashed(token: string): string {
  const once = (text: string) => createHash('sha256').update(text).digest('hex');
  return once(once(token));
}

function fullFrame(exchange: Exchange, instrument: Instrument, kind: 't' | 'd') {
  const quote = exchange.quote(instrument);
  const two = (price: string) => new Big(price).toFixed(instrument.exchange === 'CDS' ? 4 : 2);
  const touch = { bp1: two(quote.bid), sp1: two(quote.ask), bq1: '1000', sq1: '300' };
  const depth = { lc: two(instrument.lowerCircuit), uc: two(instrument.upperCircuit), tbq: '1000', tsq: '300', bo1: '1', so1: '1' };
  return {
    t: kind === 'd' ? 'dk' : 'tk',
    pp: instrument.exchange === 'CDS' ? '4' : '2',
    ml: '1',
    e: instrument.exchange,
    tk: String(instrument.exchangeToken),
    ts: instrument.exchange === 'NSE' ? `${instrument.symbol}-EQ` : plainName(instrument),
    ls: String(instrument.lotSize),
    ti: instrument.tick,
    c: two(quote.close),
    lp: two(quote.last),
    pc: new Big(quote.last).minus(quote.close).div(quote.close).times(100).toFixed(2),
    ft: String(Math.floor(exchange.clock.now() / 1000)),
    o: two(quote.open),
    h: two(quote.high),
    l: two(quote.low),
    ap: two(quote.last),
    v: String(quote.volume),
    ...touch,
    ...(kind === 'd' ? depth : {}),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

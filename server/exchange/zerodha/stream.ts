import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { ExchangeOrder, Instrument, Trade } from '../types.ts';
import type { WireRequest } from '../wire/message.ts';
import type { Frame, Link, Stream, Talk, Tick } from '../wire/stream.ts';
import { failure } from './words.ts';

/** Kite's ticker: JSON in, packed big-endian packets and JSON order frames out. */

const BEAT_MS = 1000;
const modes = { ltp: 8, quote: 44, full: 184 } as const;
type Mode = keyof typeof modes;
const tokens = z.array(z.int().min(0));
const Asked = z.discriminatedUnion('a', [
  z.object({ a: z.literal('subscribe'), v: tokens }),
  z.object({ a: z.literal('unsubscribe'), v: tokens }),
  z.object({ a: z.literal('mode'), v: z.tuple([z.enum(['ltp', 'quote', 'full']), tokens]) }),
]);

interface Parts {
  exchange: Exchange;
  /** Whether key and token of a handshake are those of a living login. */
  holds(key: string, token: string): boolean;
  tokenOf(instrument: Instrument): number;
  /** The order as the postback has it. */
  orderData(order: ExchangeOrder): object;
}

export function tickerStream({ exchange, holds, tokenOf, orderData }: Parts): Stream {
  const byToken = new Map(exchange.instruments.map((instrument) => [tokenOf(instrument), instrument]));

  function talk(link: Link): Talk {
    const mode = new Map<Instrument, Mode>();

    function each(list: readonly number[], act: (instrument: Instrument) => void): void {
      for (const token of list) {
        const instrument = byToken.get(token);
        if (instrument) act(instrument);
      }
    }

    function message(frame: Buffer): void {
      const { data } = Asked.safeParse(parse(frame.toString()));
      if (!data) link.send(JSON.stringify({ type: 'error', data: 'Invalid request' }));
      else if (data.a === 'mode') each(data.v[1], (instrument) => mode.set(instrument, data.v[0]));
      else if (data.a === 'subscribe') each(data.v, (instrument) => link.wants.add(instrument));
      else each(data.v, (instrument) => link.wants.delete(instrument));
    }

    return {
      message,
      ticks: (moved) => [
        packed(moved.map((tick) => packet(tick, tokenOf(tick.instrument), mode.get(tick.instrument) ?? 'quote', exchange.clock.now()))),
      ],
      order: (order, trade) => (isTold(order, trade) ? [JSON.stringify({ type: 'order', data: orderData(order) })] : []),
      beat: { everyMs: BEAT_MS, frame: () => Buffer.alloc(1) },
    };
  }

  return {
    path: '/',
    admit(request: WireRequest, refused: boolean) {
      const { query } = request;
      if (!refused && holds(query.get('api_key') ?? '', query.get('access_token') ?? '')) return null;
      return failure(403, 'TokenException', 'Incorrect `api_key` or `access_token`.');
    },
    talk,
  };
}

/** Kite tells of trades, changes, cancellations and rejections, not of an order that merely rests. */
function isTold(order: ExchangeOrder, trade: Trade | undefined): boolean {
  // A change of an open order is a line of its history: the order is OPEN again in the same moment.
  const changed = order.state === 'MODIFIED' || (order.state === 'OPEN' && order.history.at(-2)?.state === 'MODIFIED');
  return trade !== undefined || changed || ['REJECTED', 'CANCELLED', 'EXPIRED'].includes(order.state);
}

function packed(packets: readonly Buffer[]): Frame {
  const count = Buffer.alloc(2);
  count.writeUInt16BE(packets.length);
  return Buffer.concat([
    count,
    ...packets.flatMap((each) => {
      const size = Buffer.alloc(2);
      size.writeUInt16BE(each.length);
      return [size, each];
    }),
  ]);
}

function packet({ instrument, quote }: Tick, token: number, mode: Mode, now: number): Buffer {
  const bytes = Buffer.alloc(modes[mode]);
  const scale = instrument.exchange === 'CDS' ? 10_000_000 : 100;
  const price = (rupees: string) => Math.round(Number(rupees) * scale);
  const seconds = Math.floor(now / 1000);
  const put = (offset: number, values: readonly number[]) => {
    for (const [index, value] of values.entries()) if (offset + 4 * index < bytes.length) bytes.writeInt32BE(value, offset + 4 * index);
  };
  bytes.writeUInt32BE(token, 0);
  put(4, [price(quote.last), 1, price(quote.last), quote.volume, 1000, 1000]);
  put(28, [price(quote.open), price(quote.high), price(quote.low), price(quote.close)]);
  put(44, [seconds, 0, 0, 0, seconds]);
  for (let level = 0; level < 10 && mode === 'full'; level++) {
    put(64 + 12 * level, [100, price(level < 5 ? quote.bid : quote.ask)]);
    bytes.writeUInt16BE(1, 72 + 12 * level);
  }
  return bytes;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

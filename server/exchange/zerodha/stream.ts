import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { ExchangeOrder, Instrument, Trade } from '../types.ts';
import type { OrderView } from '../views.ts';
import { big, zeros } from '../wire/bytes.ts';
import { readJson, type WireRequest } from '../wire/message.ts';
import { inUnits } from '../wire/numbers.ts';
import type { Frame, Link, Stream, Talk, Tick } from '../wire/stream.ts';
import { byKey } from '../wire/subscriptions.ts';
import { epochSeconds } from '../wire/times.ts';
import { totalsOf } from './market-rows.ts';
import { failure } from './words.ts';

/** Kite's ticker: JSON in, packed big-endian packets and JSON order frames out. */

const { u16, u32, i32 } = big;
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
  orderData(order: OrderView): object;
}

export function tickerStream({ exchange, holds, tokenOf, orderData }: Parts): Stream {
  const byToken = byKey(exchange.instruments, tokenOf);

  function talk(link: Link): Talk {
    const mode = new Map<Instrument, Mode>();

    function each(list: readonly number[], act: (instrument: Instrument) => void): void {
      for (const token of list) {
        const instrument = byToken.get(token);
        if (instrument) act(instrument);
      }
    }

    function message(frame: Buffer): void {
      const { data } = Asked.safeParse(readJson(frame.toString()));
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
  return Buffer.concat([u16(packets.length), ...packets.flatMap((each) => [u16(each.length), each])]);
}

/** A packet: what fits into the size of its mode. */
function packet({ instrument, quote }: Tick, token: number, mode: Mode, now: number): Buffer {
  const price = inUnits(instrument.exchange === 'CDS' ? 10_000_000 : 100);
  const [last, seconds] = [price(quote.last), epochSeconds(now)];
  const totals = totalsOf(instrument, quote);
  const average = price(String(totals.average_price));
  const trade = [last, totals.last_quantity, average, totals.volume, totals.buy_quantity, totals.sell_quantity];
  const day = [quote.open, quote.high, quote.low, quote.close].map(price);
  const depth = [...totals.depth.buy, ...totals.depth.sell].flatMap((level) => [
    i32(level.quantity),
    i32(price(String(level.price))),
    u16(level.orders),
    zeros(2),
  ]);
  const whole = [u32(token), ...[...trade, ...day, seconds, 0, 0, 0, seconds].map(i32), ...depth];
  return Buffer.concat(whole).subarray(0, modes[mode]);
}

import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import { findInstrument } from '../instruments.ts';
import { averageOf } from '../matching.ts';
import { type ExchangeOrder, type OrderState, remaining, type Trade } from '../types.ts';
import { shortLived } from '../wire/codes.ts';
import { newToken, readJson } from '../wire/message.ts';
import { places } from '../wire/numbers.ts';
import { closeUnheard } from '../wire/patience.ts';
import type { Frame, Link, Stream, Talk } from '../wire/stream.ts';
import { plainName, seriesName, unitsOf } from './rows.ts';
import { clientId, refusalText } from './words.ts';

/** Alice Blue's order updates, told to whoever has a token for them. */

const SignIn = z.looseObject({ orderToken: z.string(), userId: z.string() });
const Beat = z.looseObject({ heartbeat: z.literal('h'), userId: z.string() });
/** A socket without a heartbeat this long is closed. */
const UNHEARD_MS = 60_000;

export interface OrderSocket {
  stream: Stream;
  /** A token for one socket. */
  orderToken(): string;
}

export function orderSocket({ clock }: Pick<Exchange, 'clock'>): OrderSocket {
  const tokens = shortLived(clock);

  function talk(link: Link): Talk {
    let known = false;
    const patience = closeUnheard(clock, link, UNHEARD_MS);

    function signIn({ orderToken, userId }: z.infer<typeof SignIn>): void {
      known = !link.refused && userId === clientId && tokens.spend(orderToken) === true;
      link.send(JSON.stringify(known ? { status: 'Ok' } : { status: 'Not_ok', message: 'Invalid order token' }));
    }

    function message(bytes: Buffer): void {
      const frame = readJson(bytes.toString());
      const { data } = SignIn.safeParse(frame);
      if (data) signIn(data);
      else if (Beat.safeParse(frame).success) patience.anew();
      else link.close();
    }

    return { message, order: (order, trade) => (known ? orderFrames(order, trade) : []), closed: patience.end };
  }

  return {
    stream: { path: '/open-api/order-notify/websocket', admit: () => null, talk },
    orderToken: () => tokens.keep(newToken(), true),
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
  const two = places(2);
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

import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { OrderView, TradeView } from '../views.ts';
import { shortLived } from '../wire/codes.ts';
import { newToken, readJson } from '../wire/message.ts';
import { places } from '../wire/numbers.ts';
import { closeUnheard } from '../wire/patience.ts';
import { norenWords } from '../wire/state-words.ts';
import type { Frame, Link, Stream, Talk } from '../wire/stream.ts';
import { plainName, seriesName, unitsOf } from './rows.ts';
import { clientId, refusalText } from './words.ts';

/** Alice Blue's order updates, told to whoever has a token for them. */

const SignIn = z.looseObject({ orderToken: z.string(), userId: z.string() });
const Beat = z.looseObject({ heartbeat: z.literal('h'), userId: z.string() });
/** A socket without a heartbeat this long is closed. */
const UNHEARD_MS = 60_000;

export interface OrderSocket {
  streams: Stream[];
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

    return { message, order: (order, trade) => (known ? [orderFrame(order, trade)] : []), closed: patience.end };
  }

  return {
    // The documents' path, and the one official SDKs dial.
    streams: ['/open-api/order-notify/websocket', '/order-notify/websocket'].map((path) => ({ path, admit: () => null, talk })),
    orderToken: () => tokens.keep(newToken(), true),
  };
}

const typeWord = { MARKET: 'MKT', LIMIT: 'LMT', SL: 'SL-LMT', 'SL-M': 'SL-MKT' } as const;
const productWord = { INTRADAY: 'I', DELIVERY: 'C', CARRYFORWARD: 'M' } as const;

function orderFrame(order: OrderView, trade: TradeView | undefined): Frame {
  const { instrument } = order;
  const units = (quantity: number) => String(quantity * unitsOf(instrument));
  const two = places(2);
  const [status, report] = norenWords[order.state];
  const fill = trade && { flid: trade.tradeId, flqty: units(trade.quantity), flprc: two(trade.price) };
  const filled = order.filled > 0 ? { fillshares: units(order.filled), avgprc: two(order.average) } : {};
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
    rejreason: order.refusal ? refusalText(order.refusal, order) : '',
    prctyp: typeWord[order.orderType],
    ret: order.validity,
    dscqty: '0',
    trantype: order.side === 'BUY' ? 'B' : 'S',
    status,
    reporttype: trade ? 'Fill' : report,
    ...filled,
    ...(status === 'CANCELED' ? { cancelqty: units(order.cancelled) } : {}),
    ...fill,
  };
  return JSON.stringify(frame);
}

import type { Exchange } from '../exchange.ts';
import type { OrderState } from '../types.ts';
import { bare, type WireReply, type WireRequest } from '../wire/message.ts';
import type { Link, Stream, Talk } from '../wire/stream.ts';
import type { TokenSessions } from '../wire/token-sessions.ts';
import { handshakeToken } from './login.ts';
import * as rows from './rows.ts';

/** SmartAPI's order updates: JSON in an envelope with a code. */

/** The code of an order update; nothing is told of what the broker has not passed on yet. */
const codes: Readonly<Partial<Record<OrderState, string>>> = {
  OPEN_PENDING: 'AB09',
  AMO_RECEIVED: 'AB06',
  OPEN: 'AB01',
  TRIGGER_PENDING: 'AB10',
  MODIFY_PENDING: 'AB11',
  FILLED: 'AB05',
  REJECTED: 'AB03',
  CANCELLED: 'AB02',
  EXPIRED: 'AB02',
};
const CONNECTED = 'AB00';
const CHANGED = 'AB04';
const IDLE_MS = 10_000;
const MOST_CONNECTIONS = 3;
/** Clients must ping every 10 s: one that has not for this long does not count any more. */
const FORGOTTEN_MS = 30_000;

/** Holds handshakes against the tokens of calls. */
export function orderStream({ clock }: Pick<Exchange, 'clock'>, sessions: TokenSessions): Stream {
  const seats = new Set<{ heardAt: number }>();

  function admit(request: WireRequest, refused: boolean): WireReply | null {
    const jwt = handshakeToken(request);
    if (sessions.validUntil(jwt) === undefined) return bare(401);
    if (refused || !sessions.lives(jwt)) return bare(403);
    const taken = [...seats].filter(({ heardAt }) => clock.now() - heardAt < FORGOTTEN_MS);
    return taken.length >= MOST_CONNECTIONS ? bare(429) : null;
  }

  function talk(link: Link): Talk {
    const seat = { heardAt: clock.now() };
    seats.add(seat);
    return {
      opened: () => link.send(enveloped(CONNECTED, blank)),
      message() {
        seat.heardAt = clock.now();
      },
      order(order) {
        const code = order.history.at(-2)?.state === 'MODIFIED' ? CHANGED : codes[order.state];
        return code === undefined ? [] : [enveloped(code, rows.orderRow(order, 'details'))];
      },
      closed: () => void seats.delete(seat),
      beat: { everyMs: IDLE_MS, frame: () => Buffer.alloc(1) },
    };
  }

  return { path: '/smart-order-update', admit, talk };
}

/** Around the first frame stands an order with nothing in it. */
const blank: Partial<Record<keyof ReturnType<typeof rows.orderRow>, string>> = {
  variety: '',
  ordertype: '',
  producttype: '',
  tradingsymbol: '',
  transactiontype: '',
  exchange: '',
  symboltoken: '',
  ordertag: '',
  orderid: '',
  text: '',
  status: '',
  orderstatus: '',
  uniqueorderid: '',
};

function enveloped(code: string, orderData: object): string {
  return JSON.stringify({ 'user-id': rows.clientCode, 'status-code': '200', 'order-status': code, 'error-message': '', orderData });
}

import { expect } from 'vitest';
import type { BrokerId } from '../../contract/words.ts';

/** What a broker's own rows and messages say where the ten do the same. */
interface OwnWords {
  /** Its row of a LIMIT order that rests after it was changed; `price` in rupees. */
  rests(price: number, quantity: number): object;
  cancelled: object;
  /** The answer to a second cancel. */
  cancelledAgain: object;
  rateLimited: RegExp;
  unregisteredAddress: RegExp;
}

const refused = (words: string) => ({ success: false, message: expect.stringContaining(words) });
/** The broker's code leaves open what happened, so the order is read again. */
const readAgain = { success: true, message: 'The order is cancelled' };

export const ownWords: Readonly<Record<BrokerId, OwnWords>> = {
  aliceblue: {
    rests: (price, quantity) => ({ price, quantity, orderStatus: 'OPEN' }),
    cancelled: { orderStatus: 'CANCELED' },
    cancelledAgain: refused('EC992'),
    rateLimited: /Too many requests/,
    unregisteredAddress: /203\.0\.113\.5.*EC097/,
  },
  angelone: {
    rests: (price, quantity) => ({ price: String(price), quantity: String(quantity), status: 'open', ordertype: 'LIMIT' }),
    cancelled: { status: 'cancelled' },
    cancelledAgain: readAgain,
    rateLimited: /exceeding access rate/,
    unregisteredAddress: /Unregistered IP/,
  },
  dhan: {
    rests: (price, quantity) => ({ price, quantity, orderStatus: 'PENDING' }),
    cancelled: { orderStatus: 'CANCELLED' },
    cancelledAgain: refused('cannot be processed'),
    rateLimited: /Too many requests/,
    unregisteredAddress: /Invalid IP/,
  },
  fivepaisa: {
    rests: (price, quantity) => ({ Rate: price, Qty: quantity, OrderStatus: 'Pending' }),
    cancelled: { OrderStatus: 'Cancelled' },
    cancelledAgain: refused('already CANCELLED'),
    rateLimited: /Too Many/,
    unregisteredAddress: /203\.0\.113\.5/,
  },
  fyers: {
    rests: (price, quantity) => ({ limitPrice: price, qty: quantity, type: 1, status: 6 }),
    cancelled: { status: 1 },
    cancelledAgain: refused('no longer pending'),
    rateLimited: /limit reached/,
    unregisteredAddress: /203\.0\.113\.5/,
  },
  groww: {
    rests: (price, quantity) => ({ price, quantity, order_status: expect.stringMatching(/^(OPEN|APPROVED)$/) }),
    cancelled: { order_status: 'CANCELLED' },
    cancelledAgain: readAgain,
    rateLimited: /Too many requests/,
    unregisteredAddress: /203\.0\.113\.5/,
  },
  kotak: {
    rests: (price, quantity) => ({ prc: price.toFixed(2), qty: quantity, ordSt: 'open', GuiOrdId: expect.stringMatching(/-ADMINAPI$/) }),
    cancelled: { ordSt: 'cancelled' },
    cancelledAgain: { success: false, message: 'order is completed' },
    rateLimited: /Too many requests/,
    unregisteredAddress: /unauthorized.*registered addresses.*127\.0\.0\.1/,
  },
  shoonya: {
    rests: (price, quantity) => ({ prc: price.toFixed(2), qty: String(quantity), status: 'OPEN' }),
    cancelled: { status: 'CANCELED' },
    cancelledAgain: refused('ORA:Order is CANCELLED'),
    rateLimited: /too many requests/,
    unregisteredAddress: /203\.0\.113\.5/,
  },
  upstox: {
    rests: (price, quantity) => ({ price, quantity, status: 'open' }),
    cancelled: { status: 'cancelled' },
    cancelledAgain: refused('UDAPI100040'),
    rateLimited: /Too Many Request.*UDAPI10005/,
    unregisteredAddress: /203\.0\.113\.5/,
  },
  zerodha: {
    rests: (price, quantity) => ({ price, quantity, status: 'OPEN' }),
    cancelled: { status: 'CANCELLED' },
    cancelledAgain: refused('cannot be changed'),
    rateLimited: /Too many requests/,
    unregisteredAddress: /203\.0\.113\.5/,
  },
};

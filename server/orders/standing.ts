import type { Account } from '../brokers/account.ts';
import type { InstrumentName } from '../brokers/instrument.ts';
import type { LiveBook } from './live-book.ts';

/** What names the position that an order of a side would reduce. */
export interface Reducing {
  name: InstrumentName;
  product: string;
  side: string;
  /** Shares held from earlier days do not count. */
  positionAlone?: boolean;
}

/** How much of a position can be reduced, by all that is known now. Quantities in the broker's own unit. */
export interface Standing {
  /** The most a reduce_only order of this side may have now. */
  reducible: number;
  /** The same once nothing of ours rests on this side, and once nothing of ours is unknown either. */
  whole: number;
  room: number;
  /** Net of the product, positive long; null where it is not known for sure. What is held from earlier days does not count. */
  net: number | null;
  /** Orders of ours on this side in this product: whose fate or fill is not known, and that rest, at what they may still fill. */
  unknown: number;
  working: number;
  /** Words for one of the unknown. */
  unresolved: string | null;
  /** The newest positions hold a row that cannot be read and may be this one. */
  unreadable: boolean;
}

/** An open position by our own books, for when the broker's cannot be read: what is sure of it. */
export interface HeldPosition {
  name: InstrumentName;
  product: string;
  net: number;
}

/** An order of ours at rest, as the live book has it. Prices in rupees as exact text; null where the record does not say. */
export interface RestingOrder {
  name: InstrumentName;
  orderId: string;
  product: string;
  side: string;
  orderType: string | null;
  price: string | null;
  quantity: number;
  filled: number;
}

/** The key of an instrument: the same text for every spelling that the broker trades as one. */
export function keyOf(book: LiveBook, account: Account, name: InstrumentName): string {
  return book.of(account).names.key(name);
}

export function standingOf(book: LiveBook, account: Account, { name, product, side, positionAlone = false }: Reducing): Standing {
  const instrument = book.of(account).instrument(name);
  const { own, unknown, working, unresolved, ...situation } = instrument.situation({ product, side, positionAlone }, true);
  const elsewhere = situation.elsewhere();
  const room = Math.max(0, (side === 'SELL' ? own.low : -own.high) - elsewhere);
  const { low, high } = instrument.belief(product).range;
  return {
    reducible: Math.max(0, room - unknown.own - working),
    whole: Math.max(0, room - unknown.own),
    room,
    net: low === high && unknown.own === 0 && elsewhere === 0 ? low : null,
    unknown: unknown.own,
    working,
    unresolved: unknown.own > 0 ? unresolved : null,
    unreadable: instrument.unreadable,
  };
}

export function heldPositions(book: LiveBook, account: Account): HeldPosition[] {
  return book
    .of(account)
    .living()
    .flatMap((instrument) =>
      [...instrument.products()].flatMap(([product, { low, high }]) => {
        const net = Math.max(0, low) || Math.min(0, high);
        return net === 0 ? [] : [{ name: { ...instrument.alias, symbol: instrument.name ?? instrument.alias.symbol }, product, net }];
      }),
    );
}

export function restingOrders(book: LiveBook, account: Account): RestingOrder[] {
  return book
    .of(account)
    .living()
    .flatMap((instrument) =>
      [...instrument.orders]
        .filter(({ stage, orderId }) => stage === 'resting' && orderId !== '')
        .map(({ orderId, product, side, attempt, quantity, filled }) => {
          const { orderType = null, price = null } = attempt ?? {};
          return { name: instrument.alias, orderId, product, side, orderType, price, quantity, filled };
        }),
    );
}

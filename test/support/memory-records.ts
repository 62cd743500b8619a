import { priced } from '../../server/books/order-record.ts';
import type { Attempt, OrderTruth } from '../../server/journal/attempt.ts';
import type { OpenOrderRecord, OpenRecords, PositionRecord } from '../../server/journal/journal.ts';

interface KnownOrder extends OpenOrderRecord {
  status: OrderTruth['status'];
}

const FINAL: readonly string[] = ['FILLED', 'REJECTED', 'CANCELLED'];
const OPEN: readonly string[] = ['PLACED', 'PARTIALLY_FILLED'];

/** Order and position records in memory, of quantities alone, as the books keep them of our own orders. */
export class MemoryRecords {
  readonly #orders = new Map<string, KnownOrder>();
  readonly #positions = new Map<string, PositionRecord>();

  /** What is known of an attempt's order: a fill is never taken back, a final state never left, and a fill without its price waits for it. */
  record(attempt: Attempt, truth: OrderTruth): void {
    const told = priced(truth);
    const { broker, account, tradingDay, exchange, symbol, product, side, orderType, quantity, price } = attempt;
    const name = nameOf(broker, account, tradingDay, told.orderId);
    const known = this.#orders.get(name);
    const token = told.token ?? attempt.token;
    const filled = known?.filledQuantity ?? 0;
    const isNew = truth.status === 'PLACED' && truth.filledQuantity === 0;
    const stays = known && (isNew || FINAL.includes(known.status) || (told.status === 'PLACED' && filled > 0));
    const fresh = {
      broker,
      account,
      exchange,
      symbol,
      token,
      product,
      side,
      orderId: told.orderId,
      orderType,
      quantity,
      price,
      tradingDay,
    };
    this.#orders.set(name, {
      ...(known ?? fresh),
      token: token ?? known?.token ?? null,
      external: false,
      filledQuantity: Math.max(told.filledQuantity, filled),
      status: stays ? known.status : told.status,
    });
    if (told.filledQuantity > filled && !truth.past) this.#fill({ ...fresh, token }, told.filledQuantity - filled);
  }

  open(): OpenRecords {
    const orders = [...this.#orders.values()].filter(({ status }) => OPEN.includes(status)).map(({ status, ...order }) => order);
    orders.sort((a, b) => (a.tradingDay > b.tradingDay ? -1 : 1));
    return { orders, positions: [...this.#positions.values()].map((position) => ({ ...position })) };
  }

  /** Those of the order ids that one of this account's orders of a day or later has. */
  placed(broker: string, account: string, since: string, orderIds: readonly string[]): string[] {
    const own = [...this.#orders.values()].filter((one) => one.broker === broker && one.account === account && one.tradingDay >= since);
    const ids = new Set(own.map(({ orderId }) => orderId));
    return orderIds.filter((id) => ids.has(id));
  }

  /** One place holds one account's position: another account's is given up. What flips is a new position. */
  #fill({ broker, account, exchange, symbol, token, product, side }: Omit<PositionRecord, 'net'> & { side: string }, added: number): void {
    const place = nameOf(broker, exchange, symbol, product);
    const held = this.#positions.get(place);
    const before = held?.account === account ? held.net : 0;
    const net = before + (side === 'BUY' ? added : -added);
    const same = held?.account === account && Math.sign(before) === Math.sign(net);
    this.#positions.delete(place);
    if (net !== 0) this.#positions.set(place, { broker, account, exchange, symbol, token: same ? held.token : token, product, net });
  }
}

function nameOf(...parts: string[]): string {
  return JSON.stringify(parts);
}

import type { OrderState } from '../../server/brokers/broker.ts';
import { type ModelOrder, placeOf, signed } from './model.ts';
import type { Name } from './real-book.ts';

/** Two instruments, each in spellings that reach the broker as one. */
export const spellings: readonly (readonly Name[])[] = [
  [
    { exchange: 'NSE', symbol: 'SBIN', token: '3045' },
    { exchange: 'NSE', symbol: 'SBIN-EQ', token: '03045' },
  ],
  [
    { exchange: 'NSE', symbol: 'INFY', token: '1594' },
    { exchange: 'NSE', symbol: 'infy', token: '001594' },
  ],
];
export const products = ['INTRADAY', 'DELIVERY', 'CARRYFORWARD'] as const;

interface Row {
  at: number;
  quantity: number;
  filled: number;
  state: OrderState;
}

/** An order as the exchange has it, with all it ever was. */
export class VenueOrder {
  readonly order: ModelOrder;
  readonly #rows: Row[];

  constructor(order: ModelOrder, at: number) {
    this.order = order;
    this.#rows = [{ at, quantity: order.quantity, filled: 0, state: 'OPEN' }];
  }

  get now(): Row {
    const row = this.#rows.at(-1);
    if (!row) throw new Error('An order has a row from its beginning on');
    return row;
  }

  get alive(): boolean {
    return this.now.state === 'OPEN';
  }

  /** What it may still fill. */
  get left(): number {
    return this.alive ? this.now.quantity - this.now.filled : 0;
  }

  /** As it was at an instant; undefined before it arrived. */
  at(at: number): Row | undefined {
    return this.#rows.findLast((row) => row.at <= at);
  }

  change(at: number, change: Partial<Row>): void {
    this.#rows.push({ ...this.now, ...change, at });
  }
}

/** The truth: what the exchange holds of one account, at every instant so far. */
export class Venue {
  readonly orders = new Map<ModelOrder, VenueOrder>();
  readonly #trades = new Map<string, { at: number; amount: number }[]>();

  arrive(order: ModelOrder, at: number): void {
    this.orders.set(order, new VenueOrder(order, at));
  }

  fill(venueOrder: VenueOrder, quantity: number, at: number): void {
    const { order, now } = venueOrder;
    const filled = now.filled + quantity;
    venueOrder.change(at, { filled, ...(filled === now.quantity && { state: 'FILLED' }) });
    this.trade(placeOf(order), signed(order.side, quantity), at);
  }

  trade(place: string, amount: number, at: number): void {
    const trades = this.#trades.get(place) ?? [];
    this.#trades.set(place, trades);
    trades.push({ at, amount });
  }

  net(place: string, at: number): number {
    let net = 0;
    for (const trade of this.#trades.get(place) ?? []) if (trade.at <= at) net += trade.amount;
    return net;
  }
}

import type { OrderRow, OrderState } from '../../contract/rows.ts';
import { tradingDay } from '../../server/clock.ts';

/** One execution. Epoch ms, units, paise. */
export interface Fill {
  at: number;
  quantity: number;
  paise: number;
}

/** What becomes of an order is settled when the venue takes it; every read only asks how much of it has happened by then. */
export interface VenueOrder {
  id: string;
  /** The tag it came with, also where the venue's rows do not show it; null for one placed by hand. */
  tag: string | null;
  symbol: string;
  side: string;
  orderType: string;
  quantity: number;
  receivedAt: number;
  /** Order books show it from here on. */
  visibleAt: number;
  /** The exchange acknowledges it; before that it is in transit. */
  ackAt: number;
  fills: Fill[];
  /** How it ends when it is not filled whole. */
  end: { at: number; state: 'REJECTED' | 'CANCELLED' } | null;
  /** The average price appears this much later than the quantity. */
  averageLagMs: number;
}

export const EXCHANGE = 'NSE';

export function filledBy(order: VenueOrder, at: number): Fill[] {
  return order.fills.filter((fill) => fill.at <= at);
}

export function quantityOf(fills: readonly Fill[]): number {
  return fills.reduce((sum, fill) => sum + fill.quantity, 0);
}

/** Rupees; 0 when nothing filled. */
export function averageOf(fills: readonly Fill[]): number {
  const quantity = quantityOf(fills);
  return quantity === 0 ? 0 : Math.round((fills.reduce((sum, fill) => sum + fill.quantity * fill.paise, 0) / quantity) * 100) / 10_000;
}

export function stateOf(order: VenueOrder, at: number): OrderState {
  if (order.end && at >= order.end.at) return order.end.state;
  if (quantityOf(filledBy(order, at)) === order.quantity) return 'FILLED';
  return at < order.ackAt ? 'TRANSIT' : 'OPEN';
}

/** One broker's books. Nothing in it ever waits: time is an argument. */
export class Venue {
  readonly broker: string;
  readonly showsTags: boolean;
  readonly orders: VenueOrder[] = [];

  constructor(broker: string, showsTags: boolean) {
    this.broker = broker;
    this.showsTags = showsTags;
  }

  take(order: Omit<VenueOrder, 'id'>): VenueOrder {
    const taken = { ...order, id: `${this.broker.slice(0, 1)}${1001 + this.orders.length}` };
    this.orders.push(taken);
    return taken;
  }

  /** False when nothing is left to cancel. */
  cancel(id: string, at: number): boolean {
    const order = this.orders.find((one) => one.id === id);
    if (!order || order.visibleAt > at || ['FILLED', 'REJECTED', 'CANCELLED'].includes(stateOf(order, at))) return false;
    order.fills = filledBy(order, at);
    order.end = { at, state: 'CANCELLED' };
    return true;
  }

  book(at: number): OrderRow[] {
    const day = tradingDay(at);
    return this.orders
      .filter((order) => order.visibleAt <= at && order.receivedAt <= at && tradingDay(order.receivedAt) === day)
      .map((order) => this.#row(order, at));
  }

  net(symbol: string, at: number): number {
    return this.orders
      .filter((order) => order.symbol === symbol)
      .reduce((net, order) => net + (order.side === 'BUY' ? 1 : -1) * quantityOf(filledBy(order, at)), 0);
  }

  #row(order: VenueOrder, at: number): OrderRow {
    const fills = filledBy(order, at);
    const state = stateOf(order, at);
    const lastFill = fills.at(-1);
    const averageKnown = lastFill !== undefined && at >= lastFill.at + order.averageLagMs;
    return {
      order_id: order.id,
      symbol: order.symbol,
      token: null,
      exchange: EXCHANGE,
      transaction_type: order.side,
      order_type: order.orderType,
      product_type: 'INTRADAY',
      quantity: order.quantity,
      filled_quantity: quantityOf(fills),
      price: null,
      trigger_price: null,
      average_price: averageKnown ? averageOf(fills) : null,
      status: state === 'TRANSIT' || state === 'OPEN' ? 'PLACED' : state === 'FILLED' ? 'FILLED' : 'CANCELLED',
      state,
      status_message: state === 'REJECTED' ? 'Rejected by the risk desk' : null,
      tag: this.showsTags ? order.tag : null,
      variety: null,
      placed_at: new Date(Math.floor(order.receivedAt / 1000) * 1000).toISOString(),
    };
  }
}

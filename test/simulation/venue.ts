import type { HoldingRow, OrderRow, PositionRow } from '../../contract/rows.ts';
import { EXCHANGE, instrumentAt, instruments, products } from './instruments.ts';
import {
  averageOf,
  dayBegins,
  dayNumber,
  type Fill,
  filledBy,
  openOf,
  quantityOf,
  signOf,
  stateOf,
  type VenueOrder,
  versionOf,
} from './venue-order.ts';

/** How a venue shows and names things. */
export interface VenueTraits {
  showsTags: boolean;
  /** Its rows have the tags in capitals. */
  capitalTags: boolean;
  /** It trades by token, whatever the symbol says. */
  byToken: boolean;
  /** The sellable quantity of its holdings falls with today's sales. */
  holdingsFall: boolean;
}

export type NewOrder = Omit<VenueOrder, 'id' | 'day' | 'versions' | 'token'> & {
  quantity: number;
  orderType: string;
  price?: number;
  day?: number;
};

const plain: VenueTraits = { showsTags: true, capitalTags: false, byToken: false, holdingsFall: false };
const money = { average_price: null, last_price: null, realized_pnl: null, unrealized_pnl: null, multiplier: 1 };

/** Ids of orders for a later session. */
const LATER = 5001;

/** One broker's books. Nothing in it ever waits: time is an argument. */
export class Venue {
  readonly broker: string;
  readonly traits: VenueTraits;
  readonly orders: VenueOrder[] = [];
  /** Shares held when the first day began, by symbol. */
  readonly held = new Map<string, number>();

  constructor(broker: string, traits: Partial<VenueTraits> = {}) {
    this.broker = broker;
    this.traits = { ...plain, ...traits };
  }

  /** Takes an order for today's session, or for a later day's; at midnight its session is over. Ids begin anew every day, but for those that two days' books show. */
  take({ quantity, orderType, price = 0, day = 0, ...order }: NewOrder): VenueOrder {
    const today = dayNumber(order.receivedAt);
    const session = Math.max(day, today);
    const isLater = session > today;
    const before = this.orders.filter((one) => (isLater ? Number(one.id.slice(1)) >= LATER : one.day === session)).length;
    const taken: VenueOrder = {
      ...order,
      id: `${this.broker.slice(0, 1)}${(isLater ? LATER : 1001) + before}`,
      day: session,
      token: instruments.find((one) => one.symbol === order.symbol)?.token ?? null,
      versions: [{ at: order.receivedAt, askedAt: order.receivedAt, quantity, orderType, price }],
    };
    this.orders.push(taken);
    endWithItsDay(taken);
    return taken;
  }

  /** The order of today's book with an id. */
  order(id: string, at: number): VenueOrder | undefined {
    return this.orders.find((one) => one.id === id && this.#isIn(one, dayNumber(at)));
  }

  /** False when nothing is left to cancel. */
  cancel(id: string, at: number): boolean {
    const order = this.order(id, at);
    if (!order || order.visibleAt > at || openOf(order, at) === 0) return false;
    order.fills = filledBy(order, at);
    order.end = { at, state: 'CANCELLED' };
    return true;
  }

  /** Changes an open order; `course`: what becomes of what is left. False when nothing is open, or less is asked than has filled. */
  modify(
    id: string,
    change: { askedAt: number; quantity?: number; orderType?: string; price?: number },
    at: number,
    course: readonly Fill[],
  ): boolean {
    const order = this.order(id, at);
    if (!order || order.visibleAt > at || stateOf(order, at) !== 'OPEN') return false;
    const version = { ...versionOf(order, at), ...change, at };
    const filled = quantityOf(filledBy(order, at));
    if (version.quantity <= filled) return false;
    order.versions.push(version);
    order.fills = [...filledBy(order, at), ...course];
    order.end = null;
    endWithItsDay(order);
    return true;
  }

  book(at: number): OrderRow[] {
    const day = dayNumber(at);
    return this.orders
      .filter((order) => order.visibleAt <= at && order.receivedAt <= at && this.#isIn(order, day))
      .map((order) => this.#row(order, at));
  }

  /** An order for a later session stands in the books of the days before. */
  #isIn({ receivedAt, day }: VenueOrder, today: number): boolean {
    return dayNumber(receivedAt) <= today && today <= day;
  }

  /** Net of one product: intraday positions end with their day, delivered shares are holdings from the next day on. */
  net(symbol: string, product: string, at: number): number {
    const today = dayNumber(at);
    const counts = ({ at: filledAt }: Fill) => product === 'CARRYFORWARD' || dayNumber(filledAt) === today;
    return this.#sum(symbol, product, at, counts);
  }

  /** Shares held from the days before. */
  holding(symbol: string, at: number): number {
    const today = dayNumber(at);
    return (this.held.get(symbol) ?? 0) + this.#sum(symbol, 'DELIVERY', at, (fill) => dayNumber(fill.at) < today);
  }

  /** Shares a delivery sale may take, its own and other open sales not counted. */
  sellable(symbol: string, at: number): number {
    return this.holding(symbol, at) + this.net(symbol, 'DELIVERY', at);
  }

  positions(at: number): PositionRow[] {
    const rows: PositionRow[] = [];
    for (const { symbol, token } of instruments) {
      for (const product of products) {
        const traded = this.orders.some((order) => order.symbol === symbol && order.product === product);
        const row = { symbol, token: this.traits.byToken ? token : null, exchange: EXCHANGE, product_type: product, ...money };
        if (traded) rows.push({ ...row, net_quantity: this.net(symbol, product, at) });
      }
    }
    return rows;
  }

  holdings(at: number): HoldingRow[] {
    return instruments.flatMap(({ symbol, token }) => {
      const quantity = this.holding(symbol, at);
      const sold = this.traits.holdingsFall ? Math.max(0, -this.net(symbol, 'DELIVERY', at)) : 0;
      const names = { symbol, token: this.traits.byToken ? token : null, exchange: EXCHANGE, isin: null };
      return quantity > 0
        ? [{ ...names, quantity, sellable_quantity: quantity - sold, average_price: null, last_price: null, pnl: null }]
        : [];
    });
  }

  /** The instrument an order or attempt names here. */
  instrument(name: { symbol: string; token: string | null }): string {
    return instrumentAt(this.traits.byToken, name) ?? '';
  }

  #sum(symbol: string, product: string, at: number, counts: (fill: Fill) => boolean): number {
    let net = 0;
    for (const order of this.orders) {
      if (order.symbol === symbol && order.product === product) net += signOf(order.side) * quantityOf(filledBy(order, at).filter(counts));
    }
    return net;
  }

  #row(order: VenueOrder, at: number): OrderRow {
    const fills = filledBy(order, at);
    const state = stateOf(order, at);
    const { quantity, orderType, price } = versionOf(order, at);
    const lastFill = fills.at(-1);
    const averageKnown = lastFill !== undefined && at >= lastFill.at + order.averageLagMs;
    const { showsTags, capitalTags } = this.traits;
    return {
      order_id: order.id,
      symbol: order.symbol,
      token: order.token,
      exchange: EXCHANGE,
      transaction_type: order.side,
      order_type: orderType,
      product_type: order.product,
      quantity,
      filled_quantity: quantityOf(fills),
      price: price || null,
      trigger_price: null,
      average_price: averageKnown ? averageOf(fills) : null,
      status: state === 'TRANSIT' || state === 'OPEN' ? 'PLACED' : state === 'FILLED' ? 'FILLED' : 'CANCELLED',
      state,
      status_message: state === 'REJECTED' ? 'Rejected by the risk desk' : null,
      tag: showsTags ? ((capitalTags ? order.tag?.toUpperCase() : order.tag) ?? null) : null,
      variety: null,
      placed_at: new Date(Math.floor(order.receivedAt / 1000) * 1000).toISOString(),
    };
  }
}

/** What has not filled by midnight never will. */
function endWithItsDay(order: VenueOrder): void {
  const midnight = dayBegins(order.day + 1);
  order.fills = order.fills.filter((fill) => fill.at < midnight);
  const { quantity } = versionOf(order, Number.POSITIVE_INFINITY);
  if (quantityOf(order.fills) < quantity && !(order.end && order.end.at < midnight)) order.end = { at: midnight, state: 'EXPIRED' };
}

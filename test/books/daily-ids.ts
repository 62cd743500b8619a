import { tradingDay } from '../../server/clock.ts';
import type { Exchange } from '../../server/exchange/exchange.ts';
import type { Trade } from '../../server/exchange/types.ts';

/** Ids of a broker that begins anew each day: its orders are 1, 2, 3, and so are its trades. */
export class DailyIds {
  readonly #exchange: Exchange;
  readonly #given = new Map<string, { id: string; day: string }>();
  readonly #counts = new Map<string, number>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** The id and the trading day of an order of the exchange's. */
  order(orderId: string): { id: string; day: string } {
    const known = this.#given.get(`order ${orderId}`);
    if (known) return known;
    const order = this.#exchange.ledger().orders.find((one) => one.orderId === orderId);
    if (!order) throw new Error(`no order ${orderId}`);
    return this.#give(`order ${orderId}`, `orders of ${tradingDay(order.receivedAt)}`, tradingDay(order.receivedAt));
  }

  /** The id of a trade. */
  trade({ tradeId, at }: Pick<Trade, 'tradeId' | 'at'>): string {
    const day = tradingDay(at);
    return (this.#given.get(`trade ${tradeId}`) ?? this.#give(`trade ${tradeId}`, `trades of ${day}`, day)).id;
  }

  #give(name: string, series: string, day: string): { id: string; day: string } {
    const count = (this.#counts.get(series) ?? 0) + 1;
    this.#counts.set(series, count);
    const given = { id: String(count), day };
    this.#given.set(name, given);
    return given;
  }
}

import type { BrokerOrder, BrokerTraits, OrderRow } from '../brokers/broker.ts';
import { failed, ok, type Said } from './findings.ts';
import type { OrderAsked } from './price.ts';

/** The order as it goes out. */
export interface OrderFacts {
  order: BrokerOrder;
  tag: string;
  traits: BrokerTraits;
}

/** A LIMIT BUY for delivery, or to be carried where there is no delivery. */
export function orderOf({ exchange, symbol, token, quantity }: OrderAsked, price: string): BrokerOrder {
  return {
    symbol,
    token,
    exchange,
    transactiontype: 'BUY',
    ordertype: 'LIMIT',
    producttype: ['NSE', 'BSE'].includes(exchange) ? 'DELIVERY' : 'CARRYFORWARD',
    quantity: String(quantity),
    price,
    triggerprice: '0',
    variety: 'NORMAL',
    duration: 'DAY',
    tradingsymbol: symbol,
  };
}

/** The clock, the broker's delay and the second's grain of its times lie in between. */
const OFF_MS = 120_000;

/** Whether the order book's row says what was sent, and when (epoch ms). */
export function bookedAs(row: OrderRow, { order, traits }: OrderFacts, placedAt: number): Said {
  const name = { exchange: order.exchange, symbol: order.tradingsymbol, token: order.token };
  const differs = {
    exchange: row.exchange !== order.exchange,
    instrument: traits.tradedBy(row) !== traits.tradedBy(name) && row.symbol !== name.symbol,
    transaction_type: row.transaction_type !== 'BUY',
    order_type: row.order_type !== 'LIMIT',
    product_type: row.product_type !== order.producttype,
    quantity: row.quantity !== Number(order.quantity),
    price: row.price !== Number(order.price),
    filled_quantity: row.filled_quantity !== 0,
    placed_at: row.placed_at === null || Math.abs(Date.parse(row.placed_at) - placedAt) > OFF_MS,
  };
  const wrong = Object.entries(differs).flatMap(([member, other]) => (other ? [member] : []));
  return wrong.length === 0 ? ok('it says what was sent') : failed(`it says otherwise than what was sent in ${wrong.join(', ')}`);
}

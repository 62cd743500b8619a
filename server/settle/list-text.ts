import { istText } from '../clock.ts';
import { printable } from '../printable.ts';
import type { Listed } from './requests.ts';

const WHAT_TO_DO = `What to do: find each order at the broker, by its tag or by instrument, side, quantity and time, in the order book of its day or the contract note. Then say what became of it:
  npm run orders -- resolve KEY --filled QUANTITY --at PRICE [--order ID] [--reason TEXT]
  npm run orders -- resolve KEY --absent [--reason TEXT]
Those in SENDING, ACCEPTED and AMBIGUOUS are still being looked for by the gateway itself.`;

/** The orders as a person reads them; instants in India's time. */
export function listText(orders: readonly Listed[]): string {
  if (orders.length === 0) return 'There is no order whose fate is not known.';
  const count = orders.length === 1 ? 'One order whose fate is' : `${orders.length} orders whose fate is`;
  return [`${count} not known:`, ...orders.map(orderText), WHAT_TO_DO].join('\n\n');
}

function orderText(order: Listed): string {
  const { key, state, startedAt, tradingDay, broker, account, exchange, symbol, product, side, quantity, orderType, price, tag } = order;
  const limit = Number(price) > 0 ? ` at ${price}` : '';
  const lines = [
    key,
    `  ${side} ${quantity} ${symbol} on ${exchange}, ${product}, ${orderType}${limit}; ${broker}, account ${account}`,
    `  ${state} since ${istText(startedAt)} IST, trading day ${tradingDay}`,
    `  tag ${tag}, ${idText(order)}`,
    `  its caller was answered: ${order.response ?? 'nothing yet'}`,
  ];
  return lines.map(printable).join('\n');
}

function idText({ orderId, candidates }: Listed): string {
  if (orderId) return `order id ${orderId}`;
  return candidates.length > 0 ? `no order id; may be ${candidates.join(' or ')}` : 'no order id';
}

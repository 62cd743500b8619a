import type { BrokerChange, OrderRow } from '../brokers/broker.ts';

/**
 * Whether a change of a resting order lets it do more than before: a larger quantity always; of an entry also another type, and a price or a trigger
 * that is met sooner. What cannot be compared counts as more.
 */
export function isMoreAggressive(change: BrokerChange, row: OrderRow, isEntry: boolean): boolean {
  // Where it leaves the quantity alone, that is no number and not larger.
  if (Number(change.quantity) > row.quantity) return true;
  if (!isEntry) return false;
  if (change.ordertype !== undefined && change.ordertype !== row.order_type) return true;
  const buys = row.transaction_type !== 'SELL';
  // A limit far away is never met; a price of 0 asks for the market, and none is no number.
  if (isMoved(change.price, row.price, buys) || Number(change.price) === 0) return true;
  // A stop to buy waits for a rise, so that a lower trigger comes sooner.
  return isMoved(change.triggerprice, row.trigger_price, !buys);
}

function isMoved(to: string | undefined, from: number | null, up: boolean): boolean {
  if (to === undefined) return false;
  if (from === null) return true;
  return up ? Number(to) > from : Number(to) < from;
}

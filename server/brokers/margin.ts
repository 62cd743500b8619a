import type { BrokerOrder, Margin } from './broker.ts';
import type { Answer } from './dialect.ts';
import { hasLimit, hasTrigger } from './order-rules.ts';
import { failure, fundsAt } from './parse.ts';

/**
 * What an answer says an order needs, by its path (`0.total`), and what is free for it: the sum of what stands at these, those with a minus taken off.
 * A figure that cannot be read is none.
 */
export function marginOf(answer: Answer, broker: string, required: string, ...free: string[]): Margin {
  if (!answer.success) return failure(answer.message);
  const needed = fundsAt(required)(answer.data);
  if (needed === null || Number(needed) < 0) return failure(`${broker} told no margin of this order`);
  const told = free.every((path) => fundsAt(path)(answer.data) !== null);
  return { success: true, required: needed, available: told ? fundsAt(...free)(answer.data) : null, data: answer.data };
}

/** The price an order names itself, rupees: its limit, of a stop without one its trigger; "0" at MARKET. */
export function ownPrice({ ordertype, price, triggerprice }: BrokerOrder): string {
  if (hasLimit(ordertype)) return price;
  return hasTrigger(ordertype) ? triggerprice : '0';
}

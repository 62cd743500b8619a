import type { Account } from '../../server/brokers/account.ts';
import type { Broker } from '../../server/brokers/broker.ts';
import { Door } from '../../server/brokers/door.ts';
import { OrderBudget } from '../../server/brokers/order-budget.ts';
import { QuoteRead } from '../../server/brokers/quote-read.ts';
import { ReadBudget } from '../../server/brokers/read-budget.ts';
import { SharedRead } from '../../server/brokers/shared-read.ts';
import type { Clock } from '../../server/clock.ts';

/** A signed-in account of a test's broker, without limits unless told otherwise. */
export function accountOf(broker: Broker, clock: Clock, change: Partial<Account> = {}): Account {
  const reads = new ReadBudget(clock, []);
  return {
    broker,
    id: 'TEST1',
    positions: new SharedRead(() => broker.positions(), reads),
    orderBook: new SharedRead(() => broker.orders(), reads),
    holdings: new SharedRead(() => broker.holdings(), reads),
    quotes: new QuoteRead(broker, reads),
    reads,
    budget: new OrderBudget(clock, []),
    door: new Door(),
    ...change,
  };
}

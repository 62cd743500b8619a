import { describe, expect, test } from 'vitest';
import { brokerIds } from '../../contract/words.ts';
import { practiceCredentials } from '../../server/exchange/host.ts';
import { proven } from '../support/proven.ts';
import { certifying, failures, leaked, orderFor, type Ran } from './practice.ts';

const { run, venue } = certifying();

/** Everything a day leaves is there to be checked by. */
const mustBeSeen = [
  'order ids',
  'status words',
  'prices of filled orders',
  'trades belong to orders',
  'fills agree with trades',
  'net quantities by their parts',
  'net quantities by the trades',
  'prices of positions',
  'available funds',
  'clock',
  'feed price',
];

const seen = ({ checks }: Ran) => checks.filter(({ result }) => result === 'ok').map(({ name }) => name);

/** Every check is seen at all ten in the run with an order; here nothing but reads goes out. */
describe.each(proven)('%s', (id) => {
  test('passes by its reads alone, and nothing is sent', async () => {
    const before = venue().exchange.ledger().requests.length;
    const ran = await run(id);
    expect(failures(ran)).toEqual([]);
    expect(ran).toMatchObject({ passed: true, open: null, report: { verdict: 'nothing failed', broker: id, order_steps: [] } });
    expect(seen(ran)).toEqual(expect.arrayContaining(mustBeSeen));
    expect(venue().exchange.ledger().requests.length).toBe(before);
  });
});

describe.each(brokerIds)('%s', (id) => {
  test('passes with one order, which is cancelled and buys nothing, and the report holds nothing of the account', async () => {
    const ran = await run(id, { wanted: { order: orderFor(id, 'SBIN', '740') } });
    expect(failures(ran)).toEqual([]);
    expect(ran).toMatchObject({ passed: true, open: null });
    expect(seen(ran)).toEqual(expect.arrayContaining(mustBeSeen));
    expect(ran.report.order_steps).toEqual([
      { call: 'place', fate: 'accepted' },
      { call: 'modify', fate: 'accepted' },
      { call: 'cancel', fate: 'accepted' },
    ]);
    const placed = venue()
      .exchange.ledger()
      .orders.filter((order) => order.broker === id && order.tag !== null);
    expect(placed).toMatchObject([{ side: 'BUY', quantity: 1, filled: 0, status: 'CANCELLED', changedAt: expect.any(Number) }]);

    const { orders, trades } = venue().exchange.ledger();
    const ids = orders.filter(({ broker }) => broker === id).flatMap(({ orderId, tag, average }) => [orderId, tag ?? '', average]);
    const mine = trades.filter(({ account }) => account === id).flatMap(({ tradeId, price }) => [tradeId, price]);
    // Practice secrets are words such as practicekey; prices of four digits and more are told apart from other numbers.
    const secrets = [...Object.values(practiceCredentials(id)), ...ids, ...mine, '1000000', 'RELIANCE', 'TATASTEEL', 'WIPRO'];
    expect(leaked(ran, secrets)).toEqual([]);
    expect(Object.keys(ran.report.shapes).sort()).toEqual(['funds', 'holdings', 'orders', 'positions', 'profile', 'trades']);
  });
});

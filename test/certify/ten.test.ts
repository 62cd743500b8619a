import { describe, expect, test } from 'vitest';
import { brokerIds } from '../../contract/words.ts';
import { certifying, failures, orderFor } from './practice.ts';

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

describe.each(brokerIds)('%s', (id) => {
  test('passes by its reads alone, and nothing is sent', async () => {
    const before = venue().exchange.ledger().requests.length;
    const ran = await run(id);
    expect(failures(ran)).toEqual([]);
    expect(ran).toMatchObject({ passed: true, open: null, report: { verdict: 'nothing failed', broker: id, order_steps: [] } });
    const seen = ran.checks.filter(({ result }) => result === 'ok').map(({ name }) => name);
    expect(mustBeSeen.filter((name) => !seen.includes(name))).toEqual([]);
    expect(venue().exchange.ledger().requests.length).toBe(before);
  });

  test('passes with one order, which is cancelled and buys nothing', async () => {
    const ran = await run(id, { wanted: { order: orderFor(id, 'SBIN', '740') } });
    expect(failures(ran)).toEqual([]);
    expect(ran).toMatchObject({ passed: true, open: null });
    expect(ran.report.order_steps).toEqual([
      { call: 'place', fate: 'accepted' },
      { call: 'modify', fate: 'accepted' },
      { call: 'cancel', fate: 'accepted' },
    ]);
    const placed = venue()
      .exchange.ledger()
      .orders.filter((order) => order.broker === id && order.tag !== null);
    expect(placed).toMatchObject([{ side: 'BUY', quantity: 1, filled: 0, status: 'CANCELLED', changedAt: expect.any(Number) }]);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { suite as aliceblue } from './aliceblue.suite.ts';
import type { ListName } from './conformance.ts';
import { suite as fivepaisa } from './fivepaisa.suite.ts';
import { stubBroker } from './stub-broker.ts';
import { answerOf, type Fixture } from './stub-server.ts';

/** The brokers' own sample rows, each file with its sources, through the readers of the adapters. */
const documented = (broker: string): Record<ListName | 'trades' | 'funds', Fixture> =>
  JSON.parse(readFileSync(new URL(`./fixtures/${broker}/documented.json`, import.meta.url), 'utf8'));

/** The quantity and the price of a row, by list. */
const lists = {
  positions: ({ net_quantity, average_price }) => [net_quantity, average_price],
  orders: ({ filled_quantity, average_price }) => [filled_quantity, average_price],
  tradebook: ({ quantity, price }) => [quantity, price],
  holdings: ({ quantity, average_price }) => [quantity, average_price],
} as const satisfies Record<ListName, (row: Record<string, unknown>) => readonly unknown[]>;

describe.each([
  { broker: 'aliceblue', suite: aliceblue, known: { positions: [7.69, 84.2], orders: [0, 1119.85], tradebook: [6.95], holdings: [7.17] } },
  {
    broker: 'fivepaisa',
    suite: fivepaisa,
    known: { positions: [809.2514, 0, 5.2], orders: [5.2], tradebook: [2.55], holdings: [455.7229, 242.45] },
  },
] as const)('the documented rows of $broker', ({ broker, suite, known }) => {
  const here = stubBroker(suite);
  const rows = documented(broker);

  test.each(['positions', 'orders', 'tradebook', 'holdings'] as const)(
    '%s are read, with a price above 0 beside a quantity',
    async (list) => {
      const fixture = rows[list === 'tradebook' ? 'trades' : list];
      expect(fixture.source).toContain('https://');
      here.stub.on(suite.reads[list].route, answerOf(fixture));
      await here.broker.connect(null);
      const answer = await here.broker[list]?.();
      if (!answer?.success) throw new Error(answer?.message ?? 'no list');
      expect(answer.unreadable ?? []).toEqual([]);
      expect(answer.normalized.length).toBe(answer.data.length);
      const told = answer.normalized.map((row) => lists[list]({ ...row }));
      expect(told.map(([, price]) => price)).toEqual(known[list]);
      for (const [quantity, price] of told) if (quantity !== 0) expect(price).toBeGreaterThan(0);
      for (const row of answer.normalized) expect([row.exchange, row.symbol, row.token]).not.toContain('');
    },
  );

  test('funds say what is free', async () => {
    here.stub.on(suite.reads.funds.route, answerOf(rows.funds));
    await here.broker.connect(null);
    const answer = await here.broker.funds();
    expect(Number(here.broker.traits.availableFunds?.(answer.success && answer.data))).toBeGreaterThan(0);
  });
});

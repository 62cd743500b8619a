import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Suite } from './conformance.ts';
import { stubBroker } from './stub-broker.ts';
import { answerOf, fixtures } from './stub-server.ts';

/** The lists of `fixtures/<id>/captured.json`: the read of each, and where our rows have its quantity and price. */
const lists = {
  positions: { read: 'positions', quantity: 'net_quantity', price: 'average_price' },
  orders: { read: 'orders', quantity: 'filled_quantity', price: 'average_price' },
  trades: { read: 'tradebook', quantity: 'quantity', price: 'price' },
  holdings: { read: 'holdings', quantity: 'quantity', price: 'average_price' },
} as const;
type List = keyof typeof lists;

/** What one broker's captured rows are read as. */
export interface Captured {
  /** The price of each row, in order; null where there is none to tell. */
  prices: Readonly<Record<List, readonly (number | null)[]>>;
  free: string;
  /** Routes beside those of the suite, by the name of their answer. */
  routes?: Readonly<Record<string, string>>;
}

const listing = z.object({
  success: z.literal(true),
  unreadable: z.undefined().optional(),
  normalized: z.array(z.record(z.string(), z.unknown())),
});

/** Rows in the shape in which the real broker sent or documents them: each is read, and where there is a quantity there is its price. */
export function capturedRows(suite: Suite, { prices, free, routes }: Captured): void {
  const answers = fixtures(suite.definition.id).many('captured');
  const asked = {
    ...Object.fromEntries(Object.entries(lists).map(([name, { read }]) => [name, suite.reads[read].route])),
    funds: suite.reads.funds.route,
    ...routes,
  };
  const here = stubBroker({
    ...suite,
    healthy(stub) {
      suite.healthy(stub);
      for (const [name, route] of Object.entries(asked)) {
        const answer = answers[name];
        if (!answer) throw new Error(`nothing was captured of ${name}`);
        stub.on(route, answerOf(answer));
      }
    },
  });

  test.each(Object.keys(lists) as List[])('%s: each quantity has its price', async (name) => {
    const { read, quantity, price } = lists[name];
    await here.broker.connect(null);
    const { normalized } = listing.parse(await here.broker[read]?.());
    expect(normalized.map((row) => row[price])).toEqual(prices[name]);
    expect(normalized.filter((row) => row[quantity] !== 0 && !(Number(row[price]) > 0))).toEqual([]);
  });

  test('funds: what is free', async () => {
    await here.broker.connect(null);
    const funds = await here.broker.funds();
    expect(funds.success && here.broker.traits.availableFunds?.(funds.data)).toBe(free);
  });
}

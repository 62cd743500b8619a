import { expect, test } from 'vitest';
import type { Broker, BrokerDefinition } from '../../server/brokers/broker.ts';
import * as angelone from './angelone.suite.ts';
import type { Suite } from './conformance.ts';
import * as shoonya from './shoonya.suite.ts';
import { answerOf, envFor, fixtures, openStub, type StubServer } from './stub-server.ts';

/** Answers in the forms that others have seen or that the documents print, not in the ones our emulators give. */
const brokers: { suite: Suite; healthy(stub: StubServer): void; definition: BrokerDefinition }[] = [angelone, shoonya].map((each) => ({
  ...each,
  definition: each.suite.definition,
}));
const lists = { positions: 'positions', orders: 'orders', trades: 'tradebook', holdings: 'holdings' } as const;
const cases = brokers.flatMap((broker) =>
  (Object.keys(lists) as (keyof typeof lists)[]).map((name) => [broker.definition.id, name, broker] as const),
);

async function reading<Read>(
  { healthy, definition, suite }: (typeof brokers)[number],
  route: string,
  captured: string,
  read: (broker: Broker) => Read,
) {
  const stub = await openStub();
  const { env, logged } = envFor(definition, stub.url, suite.credentials);
  const broker = definition.create(env);
  try {
    healthy(stub);
    const told = fixtures(definition.id).many('captured')[captured];
    if (!told) throw new Error(`no captured ${captured}`);
    stub.on(route, answerOf(told));
    await broker.connect(null);
    return { answer: await read(broker), logged };
  } finally {
    await broker.close();
    await stub.close();
  }
}

test.each(cases)('%s: captured %s are read, with a price wherever there is a quantity', async (_id, name, broker) => {
  const list = lists[name];
  const { answer, logged } = await reading(broker, broker.suite.reads[list]?.route ?? '', name, (one) => one[list]?.());
  expect(answer).not.toHaveProperty('unreadable');
  const rows: {
    quantity?: number;
    net_quantity?: number;
    filled_quantity?: number;
    average_price?: number | null;
    price?: number | null;
  }[] = answer?.success ? answer.normalized : [];
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    const quantity = row.net_quantity ?? row.filled_quantity ?? row.quantity;
    const price = name === 'trades' ? row.price : row.average_price;
    if (quantity === 0) expect(price).toBeNull();
    else expect(price, JSON.stringify(row)).toBeGreaterThan(0);
  }
  expect(logged.filter((line) => /cannot be read|does not know/.test(line))).toEqual([]);
});

test.each(brokers.map((broker) => [broker.definition.id, broker] as const))('%s: captured funds tell what is free', async (_id, broker) => {
  const { answer } = await reading(broker, broker.suite.reads.funds.route, 'funds', async (one) => {
    const funds = await one.funds();
    return funds.success ? one.traits.availableFunds?.(funds.data) : null;
  });
  expect(Number(answer)).toBeGreaterThan(0);
});

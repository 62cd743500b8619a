import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { growwStub } from './groww.stub.ts';
import { ok } from './groww.suite.ts';
import { kotakStub } from './kotak.stub.ts';
import { routes } from './kotak.suite.ts';
import type { StubBroker } from './stub-broker.ts';
import { type Answer, fixtures, type Seen } from './stub-server.ts';

/** Rows as the brokers' own documents and samples have them, and what our readers must make of each. */
const lists = ['positions', 'orders', 'tradebook', 'holdings'] as const;
type List = (typeof lists)[number];
const documented = z.object({
  ...Object.fromEntries(
    lists.map((name) => [name, z.looseObject({ source: z.string(), body: z.unknown(), reads: z.array(z.looseObject({})) })]),
  ),
  funds: z.object({ source: z.string(), body: z.unknown(), available: z.string() }),
});
const recordOf = (broker: string) => documented.parse(fixtures(broker).one('documented'));
const listOf = (broker: string, name: List) =>
  z
    .looseObject({ body: z.unknown(), reads: z.array(z.looseObject({})), last: z.unknown() })
    .partial({ last: true })
    .parse(z.looseObject({}).parse(recordOf(broker))[name]);

async function expectRead(at: StubBroker, broker: string, name: List): Promise<void> {
  const answer = await at.broker[name]?.();
  if (!answer?.success) throw new Error(answer?.message);
  expect(answer).not.toHaveProperty('unreadable');
  expect(answer.normalized).toMatchObject(listOf(broker, name).reads);
  const prices = z.array(z.looseObject({ quantity: z.number().optional(), net_quantity: z.number().optional() })).parse(answer.normalized);
  for (const row of prices) {
    if ((row.quantity ?? row.net_quantity) === 0) continue;
    expect(Number(row.average_price ?? row.price), JSON.stringify(row)).toBeGreaterThan(0);
  }
}

async function expectFunds(at: StubBroker, broker: string): Promise<void> {
  const funds = await at.broker.funds();
  expect(funds.success && at.broker.traits.availableFunds?.(funds.data)).toBe(recordOf(broker).funds.available);
}

describe('what Kotak documents is read', () => {
  const at = kotakStub();
  const named = { positions: routes.positions, orders: routes.orders, tradebook: routes.trades, holdings: routes.holdings };

  test.each(lists)('%s', async (name) => {
    await at.broker.connect(null);
    at.stub.on(named[name], { body: listOf('kotak', name).body });
    await expectRead(at, 'kotak', name);
  });
  test('funds', async () => {
    await at.broker.connect(null);
    at.stub.on(routes.limits, { body: recordOf('kotak').funds.body });
    await expectFunds(at, 'kotak');
  });
});

describe('what Groww documents is read', () => {
  const at = growwStub();
  /** The rows of the segment that was asked for. */
  const bySegment = (name: List, member: string) => {
    const { payload } = z
      .object({ payload: z.record(z.string(), z.array(z.looseObject({ segment: z.string() }))) })
      .parse(listOf('groww', name).body);
    return ({ query }: Seen): Answer => ({ body: ok({ [member]: payload[member]?.filter((row) => row.segment === query.segment) }) });
  };
  const answers = (): void => {
    at.stub.on('GET /v1/positions/user', bySegment('positions', 'positions'));
    at.stub.on('GET /v1/live-data/ltp', { body: ok(listOf('groww', 'positions').last) });
    at.stub.on('GET /v1/order/list', bySegment('orders', 'order_list'));
    at.stub.on('GET /v1/order/trades/*', { body: listOf('groww', 'tradebook').body });
    at.stub.on('GET /v1/holdings/user', { body: listOf('groww', 'holdings').body });
    at.stub.on('GET /v1/margins/detail/user', { body: recordOf('groww').funds.body });
  };

  test.each(lists)('%s', async (name) => {
    await at.broker.connect(null);
    answers();
    await expectRead(at, 'groww', name);
  });
  test('funds', async () => {
    await at.broker.connect(null);
    answers();
    await expectFunds(at, 'groww');
  });
});

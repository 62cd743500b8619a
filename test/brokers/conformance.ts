import { afterAll, afterEach, beforeEach, describe, expect, type RunnerTestCase, type RunnerTestSuite, test } from 'vitest';
import { z } from 'zod';
import { HoldingRow, OrderRow, PositionRow, TradeRow, unreadableRows } from '../../contract/rows.ts';
import type { Broker, BrokerOrder, Listing, OrderState, Read, Sent } from '../../server/brokers/broker.ts';
import type { DoubtfulName } from '../../server/brokers/instrument.ts';
import { type Ruled, ruleConformance, TAG } from './conformance-rules.ts';
import { type LoginFacts, loginCases } from './login-cases.ts';
import { type Answer, envFor, openStub, type StubServer } from './stub-server.ts';

export { TAG } from './conformance-rules.ts';

export type ListName = 'holdings' | 'positions' | 'orders' | 'tradebook';
export type ReadName = 'profile' | 'funds' | ListName;
type CallName = 'placeOrder' | 'modifyOrder' | 'cancelOrder';

/** What one broker brings to the cases that hold for all. Answers are whole envelopes of its wire protocol. */
export interface Suite extends Ruled {
  /** The settings that a failure without `credentials` names. */
  needed: string[];
  account: string;
  /** The route each read asks, the rows it answers with, and an answer without rows. */
  reads: Record<ReadName, { route: string; data: unknown; normalized?: unknown[]; empty?: unknown }>;
  /** A good list answer whose first row has other values. */
  patched(list: ListName, patch: Record<string, unknown>): unknown;
  /** The dead-login answer, for reads and orders alike. */
  expired: Answer;
  calls: Record<CallName, { route: string; run(broker: Broker): Promise<Sent> }>;
  accepted: Answer;
  orderId: string;
  /** Answers after which an order may live. */
  ambiguous: Record<string, Answer>;
  rejections: Record<string, { answer: Answer; says: RegExp }>;
  /** Orders refused before sending for more than our own rules, with the field the message names. */
  refusals?: Record<string, { order: Partial<BrokerOrder>; field: string }>;
  stateField: string;
  states: Record<string, OrderState>;
  /** `names` is the field the reason tells; `name` what can be read of the row's name, where it is less or other than without the patch. */
  badRows: { list: ListName; patch: Record<string, unknown>; names: string; name?: Partial<DoubtfulName> }[];
  /** How often the row of `patched` comes in a list, where it is not once. */
  copies?: Partial<Record<ListName, number>>;
  goodRows: { list: ListName; patch: Record<string, unknown>; row: Record<string, unknown> }[];
  tags: { patch: Record<string, unknown>; tag: string | null }[];
}

const notAnAnswer: Record<string, Answer> = {
  'a reset connection': 'reset',
  'half an answer': 'half',
  'an empty body': { status: 200 },
  'a page instead of JSON': { status: 200, body: '<html>maintenance</html>' },
  'another JSON': { status: 200, body: { hello: 'world' } },
  null: { status: 200, body: null },
  'a redirect': { status: 302, headers: { location: '/elsewhere' }, body: {} },
  'a bare 502': { status: 502, body: '<html>bad gateway</html>' },
};

const rowSchemas = { holdings: HoldingRow, positions: PositionRow, orders: OrderRow, tradebook: TradeRow };
const lists = ['holdings', 'positions', 'orders', 'tradebook'] as const;
const reads = ['profile', 'funds', ...lists] as const;
const calls = ['placeOrder', 'modifyOrder', 'cancelOrder'] as const;

const nameless: DoubtfulName = { exchange: null, symbol: null, token: null };
const anyList = z.object({
  success: z.literal(true),
  data: z.array(z.unknown()),
  normalized: z.array(z.looseObject({ exchange: z.string(), symbol: z.string(), token: z.string().nullable() })),
  unreadable: unreadableRows,
});

function read(answer: unknown): z.infer<typeof anyList> {
  return anyList.parse(answer);
}

function readOf(broker: Broker, name: ReadName): Promise<Read | Listing<unknown>> {
  return broker[name]?.() ?? Promise.reject(new Error(`no ${name}`));
}

/** The cases every adapter passes, run against a stub server of its own. */
export function conformance(suite: Suite, logins: LoginFacts): void {
  const { definition } = suite;
  const everLogged: string[] = [];
  let stub: StubServer;
  let made: ReturnType<typeof envFor>;
  let broker: Broker;

  beforeEach(async () => {
    stub = await openStub();
    suite.healthy(stub);
    made = envFor(definition, stub.url, suite.credentials);
    broker = definition.create(made.env);
  });
  afterEach(async () => {
    await broker.close();
    await stub.close();
    everLogged.push(...made.logged);
  });
  afterAll(() => {
    const secrets = Object.values(suite.credentials);
    expect(everLogged.length).toBeGreaterThan(0);
    expect(everLogged.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
  });
  /** The list with its first row as it should be, read by a broker of its own: some remember what they read. */
  async function withGoodRow(list: ListName): Promise<z.infer<typeof anyList>> {
    stub.on(suite.reads[list].route, { body: suite.patched(list, {}) });
    const other = definition.create(made.env);
    expect(await other.connect(null)).toMatchObject({ success: true });
    const answer = read(await readOf(other, list));
    await other.close();
    return answer;
  }
  const signIn = async () => expect(await broker.connect(null)).toMatchObject({ success: true });

  describe('signing in', () => {
    test('tells account and a login that lives on', async () => {
      const connected = await broker.connect(null);
      expect(connected).toMatchObject({ success: true, account: suite.account });
      if (!connected.success) return;
      expect(Object.values(connected.login.values).every((value) => value.length > 0)).toBe(true);
      expect(Date.parse(connected.login.expiresAt)).toBeGreaterThan(Date.now());
      const again = definition.create(made.env);
      expect(await again.connect(connected.login)).toMatchObject({ success: true, account: suite.account });
      await again.close();
    });
    test('without credentials names the settings and asks nobody', async () => {
      const bare = definition.create(envFor(definition, stub.url, {}).env);
      const connected = await bare.connect(null);
      expect(connected.success).toBe(false);
      for (const name of suite.needed) expect(connected.message).toContain(name);
      expect(stub.seen).toEqual([]);
      await bare.close();
    });
    test('with a refused login fails and does not end a session', async () => {
      for (const method of ['GET', 'POST'])
        for (const parts of [1, 2, 3, 4, 5, 6])
          for (const end of ['', '/']) stub.on(`${method} ${'/*'.repeat(parts)}${end}`, suite.expired);
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringMatching(/./) });
      expect(made.expired).toEqual([]);
    });
    test('with nobody listening fails', async () => {
      await stub.close();
      expect(await broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('No connection') });
    });
  });

  describe('logins', () => loginCases(suite, logins));

  describe('reads', () => {
    test.each(reads)('%s passes the payload through', async (name) => {
      await signIn();
      const answer = await readOf(broker, name);
      expect(answer).toMatchObject({ success: true });
      expect(answer).toHaveProperty('data', suite.reads[name].data);
      if (suite.reads[name].normalized) expect(answer).toHaveProperty('normalized', suite.reads[name].normalized);
    });
    test.each(lists)('%s in our words fit the contract', async (name) => {
      await signIn();
      const answer = await readOf(broker, name);
      const { normalized, data } = z.object({ normalized: z.array(rowSchemas[name]), data: z.array(z.unknown()) }).parse(answer);
      expect(normalized.length).toBe(data.length);
    });
    test.each(lists)('%s may be empty', async (name) => {
      await signIn();
      stub.on(suite.reads[name].route, { body: suite.reads[name].empty });
      expect(await readOf(broker, name)).toMatchObject({ success: true, data: [], normalized: [] });
    });
    test.each(reads)('%s never takes a broken answer for an empty one', async (name) => {
      await signIn();
      for (const [what, answer] of Object.entries({ ...notAnAnswer, 'a stall': 'stall' as const })) {
        if (answer === 'stall') made.pace.speed = 50;
        stub.on(suite.reads[name].route, answer);
        expect(await readOf(broker, name), what).toMatchObject({ success: false, message: expect.stringMatching(/./) });
      }
    });
    test.each(lists)('%s with good rows under an error status are not believed', async (name) => {
      await signIn();
      stub.on(suite.reads[name].route, { status: 500, body: suite.patched(name, {}) });
      expect(await readOf(broker, name)).toMatchObject({ success: false, message: expect.stringContaining('HTTP 500') });
    });
    test.each(reads)('%s with a dead login ends the session once', async (name) => {
      await signIn();
      stub.on(suite.reads[name].route, suite.expired);
      expect(await readOf(broker, name)).toMatchObject({ success: false });
      await readOf(broker, name);
      expect(made.expired.length).toBe(1);
    });
    test.each(suite.badRows)('$list leaves out a row with $patch, names it and says why, once', async ({ list, patch, names, name }) => {
      const { normalized: good } = await withGoodRow(list);
      const { exchange, symbol, token } = good[0] ?? nameless;
      const others = good.slice(suite.copies?.[list] ?? 1);
      await signIn();
      stub.on(suite.reads[list].route, { body: suite.patched(list, patch) });
      await readOf(broker, list);
      const { normalized, data, unreadable = [] } = read(await readOf(broker, list));
      expect(normalized).toEqual(others);
      expect(data).toHaveLength(good.length);
      const told = { reason: expect.stringContaining(names), exchange, symbol, token, ...name };
      expect(unreadable).toEqual(data.slice(0, good.length - others.length).map((row) => ({ row, ...told })));
      expect(made.logged.filter((line) => line.includes('cannot be read'))).toHaveLength(1);
    });
    test.each(lists)('%s with a row of nothing have one that may be any instrument; without it they are whole again', async (name) => {
      const good = await withGoodRow(name);
      await signIn();
      const nulls = Object.fromEntries(Object.keys(z.looseObject({}).parse(good.data[0])).map((key) => [key, null]));
      stub.on(suite.reads[name].route, { body: suite.patched(name, nulls) });
      const { normalized, unreadable } = read(await readOf(broker, name));
      expect(normalized).toEqual(good.normalized.slice(suite.copies?.[name] ?? 1));
      expect(unreadable?.[0]).toMatchObject(nameless);
      stub.on(suite.reads[name].route, { body: suite.patched(name, {}) });
      expect(read(await readOf(broker, name))).toEqual(good);
    });
    test.each(suite.goodRows)('$list reads a row with $patch', async ({ list, patch, row }) => {
      await signIn();
      stub.on(suite.reads[list].route, { body: suite.patched(list, patch) });
      expect(await readOf(broker, list)).toHaveProperty('normalized.0', expect.objectContaining(row));
    });
    test.each(Object.entries(suite.states))('order status %s is %s', async (word, state) => {
      await signIn();
      stub.on(suite.reads.orders.route, { body: suite.patched('orders', { [suite.stateField]: word }) });
      expect(await broker.orders()).toHaveProperty('normalized.0.state', state);
    });
    test('an unknown order status is UNKNOWN and logged once', async () => {
      await signIn();
      stub.on(suite.reads.orders.route, { body: suite.patched('orders', { [suite.stateField]: 'ZZ NEW WORD' }) });
      for (const _ of [1, 2]) {
        const answer = await broker.orders();
        expect(answer.success && answer.normalized[0]).toMatchObject({ state: 'UNKNOWN', status: 'UNKNOWN' });
      }
      expect(made.logged.filter((line) => line.includes('ZZ NEW WORD')).length).toBe(1);
    });
    test.each(suite.tags)('the tag of $patch is $tag', async ({ patch, tag }) => {
      await signIn();
      stub.on(suite.reads.orders.route, { body: suite.patched('orders', patch) });
      const answer = await broker.orders();
      expect(answer.success && answer.normalized[0]?.tag).toBe(tag);
    });
  });

  describe.each(calls)('%s', (name) => {
    const { route, run } = suite.calls[name];
    test('is accepted with an order id, sent once', async () => {
      await signIn();
      stub.on(route, suite.accepted);
      expect(await run(broker)).toMatchObject({ fate: 'accepted', order_id: suite.orderId });
      expect(stub.calls(route).length).toBe(1);
    });
    test.each(Object.entries({ ...notAnAnswer, 'a stall': 'stall' as const, ...suite.ambiguous }))(
      'after %s is unknown, sent once',
      async (_what, answer) => {
        await signIn();
        if (answer === 'stall') made.pace.speed = 50;
        stub.on(route, answer);
        expect(await run(broker)).toMatchObject({ fate: 'unknown', message: expect.stringMatching(/./) });
        expect(stub.calls(route).length).toBe(1);
      },
    );
    test.each(Object.entries(suite.rejections))('refused for %s is rejected in the broker’s words', async (_what, { answer, says }) => {
      await signIn();
      stub.on(route, answer);
      expect(await run(broker)).toMatchObject({ fate: 'rejected', order_id: '', message: expect.stringMatching(says) });
      expect(stub.calls(route).length).toBe(1);
    });
    test('with a dead login is rejected and ends the session', async () => {
      await signIn();
      stub.on(route, suite.expired);
      expect(await run(broker)).toMatchObject({ fate: 'rejected' });
      expect(made.expired.length).toBe(1);
    });
  });

  describe('placing', () => {
    test('with nobody listening is not sent', async () => {
      await signIn();
      await stub.close();
      expect(await broker.placeOrder(suite.order, TAG)).toMatchObject({ fate: 'not_sent', order_id: '' });
    });
    test.each(Object.entries(suite.refusals ?? {}))('%s is refused before sending', async (_what, { order, field }) => {
      await signIn();
      expect(await broker.placeOrder({ ...suite.order, ...order }, TAG)).toMatchObject({
        fate: 'rejected',
        message: expect.stringContaining(field),
      });
      expect(stub.calls(suite.calls.placeOrder.route)).toEqual([]);
    });
    test('tells how far the clocks are apart', async () => {
      await signIn();
      stub.on(suite.calls.placeOrder.route, {
        ...(suite.accepted as object),
        headers: { date: new Date(Date.now() - 60_000).toUTCString() },
      });
      const sent = await broker.placeOrder(suite.order, TAG);
      expect(sent.clockOffsetMs).toBeGreaterThanOrEqual(59_000);
      expect(sent.clockOffsetMs).toBeLessThan(63_000);
    });
  });

  describe('our own rules', () => ruleConformance(suite));

  test('is a list of at least sixty cases, none of them skipped', ({ task }) => {
    const cases = casesOf(task.suite);
    expect(cases.length).toBeGreaterThanOrEqual(60);
    expect(cases.filter((one) => one.mode === 'skip' || one.mode === 'todo')).toEqual([]);
  });
}

function casesOf(suite: RunnerTestSuite | undefined): RunnerTestCase[] {
  return (suite?.tasks ?? []).flatMap((task) => (task.type === 'suite' ? casesOf(task) : [task]));
}

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Exchange, OrderType, ProductType, TransactionType, Variety } from '../../contract/words.ts';
import { exchanges, orderTypes, productTypes, transactionTypes, varieties } from '../../contract/words.ts';
import type { Broker, BrokerDefinition, BrokerOrder } from '../../server/brokers/broker.ts';
import { envFor, openStub, type Seen, type StubServer } from './stub-server.ts';

export const TAG = 'k3v9c0m2p7q1x8za';

type Words<Word extends string> = Readonly<Record<Word, Readonly<Record<string, unknown>>>>;

/** What one broker takes, and how it is told: the facts that the rules for all are tried with. */
export interface RuleFacts {
  /** What is traded on each exchange, as an order names it: a share on NSE and BSE, a future elsewhere. */
  traded: Readonly<Record<Exchange, Partial<BrokerOrder>>>;
  options: readonly Partial<BrokerOrder>[];
  /** Exchanges it is sent no order for. */
  closed: readonly Exchange[];
  carriesShares?: true;
  /** An SL-M goes on as one, and so is refused where the exchange takes none. */
  passesStopMarket?: true;
  /** After-market orders: none at all, or none without a limit of the caller's. */
  afterMarket?: 'none' | 'limited';
  /** The members of a placement that each of our words becomes. */
  words: {
    exchange: Words<Exchange>;
    ordertype: Words<OrderType>;
    producttype: Words<ProductType>;
    transactiontype: Words<TransactionType>;
    variety: Words<Variety>;
  };
  /** The members of a placement that was sent. */
  body(seen: Seen): Readonly<Record<string, unknown>>;
  /** Prices for what is traded, where the broker is asked for some. */
  market?(stub: StubServer): void;
  /** A market data socket to read them from. */
  feed?(): Promise<{ url: string; close(): Promise<void> }>;
}

/** What of a broker's suite the rules need too. */
export interface Ruled {
  definition: BrokerDefinition;
  /** Enough to sign in at the stub server. */
  credentials: Record<string, string>;
  /** Routes of a healthy account on the stub server. */
  healthy(stub: StubServer): void;
  order: BrokerOrder;
  /** The id of an order in its book. */
  booked: string;
  calls: Record<'placeOrder' | 'modifyOrder', { route: string }>;
  rules: RuleFacts;
}

const fields = {
  exchange: ['exchange', exchanges, ['NASDAQ', 'constructor']],
  ordertype: ['order_type', orderTypes, ['ICEBERG']],
  producttype: ['product_type', productTypes, ['PLEDGE']],
  transactiontype: ['transaction_type', transactionTypes, ['HOLD', 'buy']],
  variety: ['variety', varieties, ['ROBO']],
} as const satisfies Record<keyof RuleFacts['words'], readonly [string, readonly string[], readonly string[]]>;
const members = ['exchange', 'ordertype', 'producttype', 'transactiontype', 'variety'] as const;

/** An evening in India: the day's session is over everywhere, so after-market orders are taken. */
const EVENING = Date.parse('2026-11-20T18:00:00+05:30');

/** Ten shares at the market. */
export function shareOrder(symbol: string, token: string, change: Partial<BrokerOrder> = {}): BrokerOrder {
  const words = { exchange: 'NSE', transactiontype: 'BUY', ordertype: 'MARKET', producttype: 'INTRADAY', variety: 'NORMAL' };
  return { symbol, tradingsymbol: symbol, token, ...words, quantity: '10', price: '0', triggerprice: '0', duration: 'DAY', ...change };
}

/** A table of one member: what it holds for each of our words. */
export function member<Word extends string>(name: string, values: Readonly<Record<Word, unknown>>): Words<Word> {
  return Object.fromEntries(Object.entries(values).map(([word, value]) => [word, { [name]: value }])) as Words<Word>;
}

/** Every combination of our words on what is traded. */
function* combinations({ traded, options }: RuleFacts): Generator<{ order: Partial<BrokerOrder>; isOption: boolean }> {
  const named = [
    ...exchanges.map((exchange) => ({ of: { ...traded[exchange], exchange }, isOption: false })),
    ...options.map((of) => ({ of, isOption: true })),
  ];
  for (const { of, isOption } of named)
    for (const ordertype of orderTypes)
      for (const producttype of productTypes)
        for (const variety of varieties)
          for (const transactiontype of transactionTypes)
            yield { order: { ...of, ordertype, producttype, variety, transactiontype }, isOption };
}

/** The fields that a refusal of a combination may name; none where it is to be sent. */
function faults({ exchange, ordertype = '', producttype, variety }: Partial<BrokerOrder>, isOption: boolean, facts: RuleFacts): string[] {
  const isShare = exchange === 'NSE' || exchange === 'BSE';
  const isStop = ordertype.startsWith('SL');
  const faulty = {
    exchange: facts.closed.some((closed) => closed === exchange),
    variety: variety === 'AMO' && facts.afterMarket === 'none',
    product_type: isShare ? producttype === 'CARRYFORWARD' && !facts.carriesShares : producttype === 'DELIVERY',
    order_type:
      (variety === 'STOPLOSS' && !isStop) ||
      (variety === 'AMO' && facts.afterMarket === 'limited' && !['LIMIT', 'SL'].includes(ordertype)) ||
      (ordertype === 'SL-M' && facts.passesStopMarket === true && (exchange === 'BSE' || exchange === 'BFO' || isOption)),
  };
  return Object.entries(faulty).flatMap(([field, is]) => (is ? [field] : []));
}

/** The cases of server/brokers/order-rules.ts, through the adapter of one broker. */
export function ruleConformance(suite: Ruled): void {
  const { definition, rules: facts, calls } = suite;
  let stub: StubServer;
  let feed: Awaited<ReturnType<NonNullable<RuleFacts['feed']>>> | undefined;
  let broker: Broker;
  beforeEach(async () => {
    stub = await openStub();
    feed = await facts.feed?.();
    suite.healthy(stub);
    facts.market?.(stub);
    const { env } = envFor(definition, stub.url, suite.credentials);
    broker = definition.create({ ...env, ...(feed && { feedUrl: feed.url }), clock: { ...env.clock, now: () => EVENING } });
    expect(await broker.connect(null)).toMatchObject({ success: true });
  });
  afterEach(async () => {
    await broker.close();
    await Promise.all([stub.close(), feed?.close()]);
  });
  const place = (change: Partial<BrokerOrder>) => broker.placeOrder({ ...suite.order, price: '810', triggerprice: '800', ...change }, TAG);

  const wordsOf = (name: (typeof members)[number]): Words<string> => facts.words[name];

  async function expectRefused(change: Partial<BrokerOrder>, field: string): Promise<void> {
    const before = stub.seen.length;
    expect(await place(change), JSON.stringify(change)).toMatchObject({
      fate: 'rejected',
      order_id: '',
      message: expect.stringMatching(`^${field}: `),
    });
    expect(stub.seen.length, JSON.stringify(change)).toBe(before);
  }

  test('every combination of our words is sent in the broker’s, or refused with the field named', async () => {
    for (const { order, isOption } of combinations(facts)) {
      const wrong = faults(order, isOption, facts);
      if (wrong.length > 0) await expectRefused(order, `(${wrong.join('|')})`);
      else {
        const what = JSON.stringify(order);
        expect(await place(order), what).toMatchObject({ fate: 'accepted' });
        const said = Object.assign({}, ...members.map((name) => wordsOf(name)[order[name] ?? '']));
        const sent = facts.body(stub.seen.at(-1) ?? expect.unreachable());
        expect(Object.fromEntries(Object.keys(said).map((name) => [name, sent[name]])), what).toEqual(said);
      }
    }
  });

  test.each(members)('no word but ours is taken for %s', async (name) => {
    const [field, ours, strange] = fields[name];
    const theirs = Object.values(wordsOf(name)).flatMap((told) => Object.values(told).filter((value) => typeof value === 'string'));
    const known: readonly string[] = ours;
    for (const word of [...strange, ...theirs]) if (!known.includes(word)) await expectRefused({ [name]: word }, field);
  });
  test.each<[string, Partial<BrokerOrder>, string]>([
    ['LIMIT without a price', { ordertype: 'LIMIT', price: '0' }, 'price'],
    ['LIMIT at 0.0', { ordertype: 'LIMIT', price: '0.0' }, 'price'],
    ['SL without a price', { ordertype: 'SL', price: '0' }, 'price'],
    ['SL without a trigger', { ordertype: 'SL', triggerprice: '0' }, 'trigger_price'],
    ['SL-M without a trigger', { ordertype: 'SL-M', triggerprice: '0' }, 'trigger_price'],
    ['no quantity', { quantity: '0' }, 'quantity'],
    ['half a share', { quantity: '1.5' }, 'quantity'],
  ])('%s is refused before sending', (_what, order, field) => expectRefused(order, field));

  describe('a change', () => {
    test.each([
      ['an unknown order type', { ordertype: 'ICEBERG' }, /^order_type: /],
      ['an unknown variety', { variety: 'ROBO', price: '1' }, /^variety: /],
    ])('with %s is refused before sending', async (_what, change, says) => {
      expect(await broker.modifyOrder({ orderid: suite.booked, variety: 'NORMAL', ...change })).toMatchObject({
        fate: 'rejected',
        message: expect.stringMatching(says),
      });
      expect(stub.calls(calls.modifyOrder.route)).toEqual([]);
    });
  });
}

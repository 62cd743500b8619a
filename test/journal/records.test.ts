import { describe, expect, it } from 'vitest';
import type { Attempt, OrderTruth } from '../../server/journal/attempt.ts';
import { SupersededError } from '../../server/journal/attempt.ts';
import { attempt, DAY_MS, event, inState, keysOf, NOW, onBoth, START } from './parts.ts';

onBoth((bench) => {
  const journal = () => bench().journal;
  let made = 0;
  const sending = (change: Partial<Attempt> = {}) => {
    made += 1;
    return inState(journal(), 'SENDING', { key: `k:${made}`, tag: `t${made}`, quantity: 100, ...change });
  };
  /** One order's fills, step by step. */
  async function filled(steps: readonly number[], change: Partial<Attempt> = {}, told: Partial<OrderTruth> = {}): Promise<Attempt> {
    let one = await sending(change);
    for (const filledQuantity of steps) {
      const status = filledQuantity === 0 ? 'PLACED' : filledQuantity === one.quantity ? 'FILLED' : 'PARTIALLY_FILLED';
      const truth: OrderTruth = { orderId: `o-${one.tag}`, status, filledQuantity, averagePrice: filledQuantity ? 100 : null, ...told };
      one = await journal().move(one, 'ACCEPTED', { orderId: truth.orderId, filledQuantity }, event, NOW, truth);
    }
    return one;
  }
  const place = { broker: 'zerodha', account: 'AB1234', exchange: 'NSE', symbol: 'SBIN', token: '779521' };
  const positions = async () => (await journal().openRecords()).positions;
  const orders = async () => (await journal().openRecords()).orders;

  it('what modifies asked for is known by order, the largest of each, whatever became of them', async () => {
    const note = (orderId: string, quantity: string | undefined, kind = 'modify.sending', account = 'AB1234') =>
      journal().note({ kind, broker: 'zerodha', account, orderId, detail: quantity === undefined ? { price: '1' } : { quantity } });
    await note('z1', '5');
    await note('z1', '12');
    await note('z1', undefined, 'modify.rejected');
    await note('z1', '9');
    await note('z1', '70', 'modify.sending', 'CD5678');
    await note('z2', undefined);
    await note('z3', '800', 'order.sending');
    const found = (await journal().askedQuantities(Date.now() - DAY_MS)).toSorted((a, b) => a.quantity - b.quantity);
    expect(found).toEqual([
      { broker: 'zerodha', account: 'AB1234', orderId: 'z1', quantity: 12 },
      { broker: 'zerodha', account: 'CD5678', orderId: 'z1', quantity: 70 },
    ]);
  });

  it.each([
    ['a new order', { status: 'PLACED', filledQuantity: 0, averagePrice: null }],
    ['a fill', { status: 'FILLED', filledQuantity: 10, averagePrice: 100 }],
  ] as const)('a superseded move leaves no trace of %s', async (_, truth) => {
    const one = await sending();
    for (const wrong of [{ epoch: 9 }, { tag: 'other' }]) {
      const step = journal().move({ ...one, ...wrong }, 'ACCEPTED', {}, event, NOW, { ...truth, orderId: 'ghost' });
      await expect(step).rejects.toThrow(SupersededError);
    }
    expect(await journal().openRecords()).toEqual({ orders: [], positions: [] });
    expect(await journal().owners(one.broker, one.account, one.tradingDay, ['ghost'])).toEqual(new Map());
    expect(await journal().find(one.key, NOW)).toEqual(one);
  });

  it('tells orders that may still fill, whose attempts may be gone', async () => {
    const limit = await filled([0], { price: '812.3500', orderType: 'LIMIT', token: null });
    const part = await filled([0, 40], { side: 'SELL', symbol: 'INFY', exchange: 'BSE', product: 'DELIVERY', account: 'ZZ' });
    await filled([0, 100]);
    await filled([0], {}, { status: 'CANCELLED' });
    await filled([0], {}, { status: 'UNKNOWN' });
    await journal().move(limit, 'DONE', { expiresAt: NOW }, event, NOW);
    await journal().expire(NOW);
    const found = (await orders()).toSorted((a, b) => a.orderId.localeCompare(b.orderId));
    const common = { broker: 'zerodha', quantity: 100, external: false };
    const facts = ({ account, exchange, symbol, token, product, side, orderType, price, tradingDay }: Attempt) => ({
      ...{ account, exchange, symbol, token, product, side, orderType, price, tradingDay },
    });
    expect(found).toEqual([
      { ...common, ...facts(limit), orderId: `o-${limit.tag}`, filledQuantity: 0 },
      { ...common, ...facts(part), orderId: `o-${part.tag}`, filledQuantity: 40 },
    ]);
  });

  it('knows the token the broker told for an order', async () => {
    await filled([0], { token: null }, { token: '4711' });
    expect(await orders()).toMatchObject([{ token: '4711' }]);
    const one = await sending({ token: '22', symbol: 'INFY' });
    const truth = { orderId: 'o', status: 'PARTIALLY_FILLED', filledQuantity: 4, averagePrice: 5, token: '23' } as const;
    await journal().move(one, 'ACCEPTED', { orderId: 'o' }, event, NOW, truth);
    expect((await orders()).map(({ token }) => token).toSorted()).toEqual(['23', '4711']);
    expect(await positions()).toMatchObject([{ symbol: 'INFY', token: '23', net: 4 }]);
  });

  it('adds up what our own orders hold, long positive, by product', async () => {
    await filled([0, 30, 70]);
    expect(await positions()).toEqual([{ ...place, product: 'INTRADAY', net: 70 }]);
    await filled([5], { product: 'DELIVERY' });
    expect((await positions()).map(({ product, net }) => [product, net]).toSorted()).toEqual([
      ['DELIVERY', 5],
      ['INTRADAY', 70],
    ]);
    await filled([100], { side: 'SELL' });
    await filled([5], { side: 'SELL', product: 'DELIVERY' });
    expect(await positions()).toEqual([{ ...place, product: 'INTRADAY', net: -30 }]);
  });

  it('holds what filled of a new order, although it is still told as PLACED', async () => {
    const one = await sending();
    const truth: OrderTruth = { orderId: 'new', status: 'PLACED', filledQuantity: 40, averagePrice: 100 };
    await journal().move(one, 'ACCEPTED', { orderId: 'new', filledQuantity: 40 }, event, NOW, truth);
    expect(await positions()).toEqual([{ ...place, product: 'INTRADAY', net: 40 }]);
    expect(await orders()).toMatchObject([{ orderId: 'new', filledQuantity: 40 }]);
  });

  it('one place holds the position of one account: another one that fills there begins anew', async () => {
    await filled([100]);
    await filled([30], { account: 'ZZ', side: 'SELL' });
    expect(await positions()).toEqual([{ ...place, account: 'ZZ', product: 'INTRADAY', net: -30 }]);
  });

  it('a fill is never taken back, and waits for its price', async () => {
    const one = await filled([50]);
    const step = (truth: Partial<OrderTruth>) =>
      journal().move(one, 'ACCEPTED', {}, event, NOW, {
        orderId: one.orderId,
        status: 'PLACED',
        filledQuantity: 0,
        averagePrice: null,
        ...truth,
      });
    await step({});
    await step({ status: 'PARTIALLY_FILLED', filledQuantity: 20, averagePrice: 100 });
    await step({ status: 'FILLED', filledQuantity: 100 });
    expect(await orders()).toMatchObject([{ filledQuantity: 50 }]);
    await step({ status: 'FILLED', filledQuantity: 100, averagePrice: 100 });
    expect(await journal().openRecords()).toEqual({ orders: [], positions: [{ ...place, product: 'INTRADAY', net: 100 }] });
  });

  it('knows whose an order is, also when the attempt that placed it is gone', async () => {
    const one = await filled([0]);
    const owners = (account = one.account) => journal().owners(one.broker, account, one.tradingDay, ['stranger', one.orderId]);
    expect(await owners()).toEqual(new Map([[one.orderId, one.key]]));
    expect(await owners('ZZ')).toEqual(new Map());
    expect(await journal().owners(one.broker, one.account, one.tradingDay, [])).toEqual(new Map());
    await journal().move(one, 'DONE', { expiresAt: NOW }, event, NOW);
    await journal().expire(NOW);
    expect(await owners()).toEqual(new Map([[one.orderId, '']]));
  });

  describe('an order id that comes again', () => {
    const again = { tradingDay: '2026-11-21', startedAt: START + DAY_MS };
    const named = { orderId: '7' };

    it('on another day is an order of its own', async () => {
      const first = await filled([0, 40], {}, named);
      const second = await filled([0, 30], again, named);
      expect(await orders()).toMatchObject([
        { ...named, tradingDay: '2026-11-21', filledQuantity: 30 },
        { ...named, tradingDay: '2026-11-20', filledQuantity: 40 },
      ]);
      expect(await positions()).toMatchObject([{ net: 70 }]);
      const truth = { ...named, status: 'FILLED', filledQuantity: 100, averagePrice: 100 } as const;
      await journal().move(first, 'DONE', { expiresAt: NOW }, event, NOW, truth);
      await journal().move(second, 'ACCEPTED', {}, event, NOW, { ...truth, status: 'CANCELLED', filledQuantity: 30 });
      expect(await journal().openRecords()).toMatchObject({ orders: [], positions: [{ net: 130 }] });
    });
    it('belongs to whoever had it since a day', async () => {
      const first = await filled([0], {}, named);
      const second = await filled([0], again, named);
      const owners = (since: string) => journal().owners(first.broker, first.account, since, ['7']);
      expect(await owners('2026-11-20')).toEqual(new Map([['7', second.key]]));
      expect(await owners('2026-11-22')).toEqual(new Map());
      await journal().move(second, 'DONE', { expiresAt: NOW }, event, NOW);
      await journal().expire(NOW);
      expect(await owners('2026-11-21')).toEqual(new Map([['7', '']]));
    });
    it('of an AMO order is its session’s, beside an order of the day before', async () => {
      await filled([0], {}, named);
      await filled([0], { tradingDay: '2026-11-23' }, named);
      expect(await orders()).toMatchObject([{ tradingDay: '2026-11-23' }, { tradingDay: '2026-11-20' }]);
    });
    it('in two accounts of a broker in one millisecond is two orders', async () => {
      for (const account of ['AB1234', 'ZZ', 'YY']) await filled([0], { account, product: account }, named);
      await filled([10], { account: 'XX', product: 'XX' }, named);
      expect((await orders()).map(({ account }) => account).toSorted()).toEqual(['AB1234', 'XX', 'YY', 'ZZ']);
    });
    it('is refused to a second attempt of its day', async () => {
      await filled([0], {}, named);
      await expect(filled([0], {}, named)).rejects.toThrow();
      expect(await orders()).toHaveLength(1);
    });
  });

  it('remembers what filled lately, of all accounts', async () => {
    const at = NOW + 3_600_000;
    const [one, two] = [await filled([0]), await filled([0], { account: 'ZZ' })];
    await journal().move(one, 'DONE', { filledQuantity: 3 }, event, at);
    await journal().move(two, 'DONE', { filledQuantity: 1 }, event, at + 1);
    await journal().move(await filled([0]), 'DONE', { filledQuantity: 0 }, event, at);
    expect(keysOf(await journal().changedSince(at))).toEqual([one.key, two.key]);
    expect(keysOf(await journal().changedSince(at + 1))).toEqual([two.key]);
    await journal().end([two], at + 2, event);
    expect(await journal().changedSince(at + 2)).toEqual([]);
  });

  it('begins with nothing', async () => {
    expect(await journal().openRecords()).toEqual({ orders: [], positions: [] });
    expect(await journal().blocked(NOW)).toEqual([]);
    expect(attempt().state).toBe('SENDING');
  });
});

import { describe, expect, it } from 'vitest';
import { ElsewhereFills } from '../../server/orders/elsewhere.ts';
import { orderRow } from './parts.ts';

const REDUCING = { product: 'INTRADAY', side: 'SELL' };
const [DAY, NEXT_DAY] = ['2026-11-20', '2026-11-21'];
const MINUTES_10 = 600_000;

/** An order in the broker's own app that sells, with so much of it filled. */
function app(filled_quantity: number, change: Parameters<typeof orderRow>[0] = {}) {
  return orderRow({ order_id: '77', tag: null, transaction_type: 'SELL', quantity: 100, filled_quantity, ...change });
}

/** Order books as they were heard, each with its instant. */
function heard(...books: (readonly [number, readonly ReturnType<typeof app>[]])[]): ElsewhereFills {
  const fills = new ElsewhereFills();
  for (const [at, rows] of books) fills.heardOrders(rows, at, DAY);
  return fills;
}

function since(fills: ElsewhereFills, instant: number, asked: Partial<typeof REDUCING> = {}): number {
  return fills.since({ ...REDUCING, ...asked }, instant, ({ symbol }) => symbol === 'SBIN');
}

describe('what an order placed elsewhere filled', () => {
  it('in the first order book is from before, and what fills later counts from when it was heard', () => {
    const fills = heard([100, [app(30)]], [200, [app(50)]], [300, [app(60)]]);
    expect([0, 99, 199, 200, 299, 300].map((instant) => since(fills, instant))).toEqual([30, 30, 30, 10, 10, 0]);
  });
  it('counts whole where the order came after the first order book', () => {
    const fills = heard([100, []], [200, [app(40)]]);
    expect([199, 200].map((instant) => since(fills, instant))).toEqual([40, 0]);
  });
  it('counts on its side, in its product and in its instrument alone', () => {
    const fills = heard(
      [100, []],
      [
        200,
        [
          app(1),
          app(2, { order_id: '78' }),
          app(4, { order_id: '79', transaction_type: 'BUY' }),
          app(8, { order_id: '80', product_type: 'DELIVERY' }),
          app(16, { order_id: '81', symbol: 'INFY' }),
        ],
      ],
    );
    expect(since(fills, 0)).toBe(3);
    expect(since(fills, 0, { side: 'BUY' })).toBe(4);
    expect(since(fills, 0, { product: 'DELIVERY' })).toBe(8);
  });
  it('is never less than nothing, where a late book tells less', () => {
    const fills = heard([100, []], [200, [app(40)]], [300, [app(30), app(5, { order_id: '78' })]]);
    expect(since(fills, 250)).toBe(5);
  });
  it('is no less true when its id comes again on a later day', () => {
    const fills = heard([100, []], [200, [app(40)]]);
    fills.heardOrders([app(0)], 300, NEXT_DAY);
    expect(since(fills, 0)).toBe(40);
    fills.heardOrders([app(10)], 400, NEXT_DAY);
    expect([since(fills, 100), since(fills, 250), since(fills, 350), since(fills, 400)]).toEqual([50, 10, 10, 0]);
    fills.ours('77', '2026-11-23');
    expect(since(fills, 0)).toBe(50);
  });
  it('is forgotten with the second day after it', () => {
    const fills = heard([100, []], [200, [app(40)]]);
    fills.heardOrders([app(7, { order_id: '78' })], 300, NEXT_DAY);
    expect(since(fills, 0)).toBe(47);
    fills.heardOrders([], 400, '2026-11-23');
    expect(since(fills, 0)).toBe(7);
  });
  it('counts once where the books of two days show one order', () => {
    const fills = heard([100, []], [200, [app(40)]]);
    fills.heardOrders([app(50)], 300, NEXT_DAY);
    expect([since(fills, 100), since(fills, 200), since(fills, 300)]).toEqual([50, 10, 0]);
  });
  it('is told by its newest row', () => {
    const fills = heard([100, []], [200, [app(40)]], [300, [app(40, { product_type: 'DELIVERY' })]]);
    expect([since(fills, 0), since(fills, 0, { product: 'DELIVERY' })]).toEqual([0, 40]);
  });
});

describe('an order of ours', () => {
  it('whose id nobody knows is, of the rows that may be it, the one that filled least', () => {
    const fills = heard([100, []], [200, [app(40), app(7, { order_id: '78' }), app(2, { order_id: '79', quantity: 5 })]]);
    const hundred = ({ quantity }: { quantity: number }) => quantity === 100;
    const ask = (...ours: (typeof hundred)[]) => fills.since(REDUCING, 0, () => true, ours);
    expect([ask(), ask(hundred), ask(hundred, hundred), ask(hundred, hundred, hundred)]).toEqual([49, 42, 2, 2]);
  });
  it('does not count as one placed elsewhere, whether it is known before its fill is heard or after', () => {
    const fills = new ElsewhereFills();
    fills.ours('77', DAY);
    fills.heardOrders([], 100, DAY);
    fills.heardOrders([app(40), app(7, { order_id: '78' })], 200, DAY);
    expect(since(fills, 0)).toBe(7);
    fills.ours('78', DAY);
    expect(since(fills, 0)).toBe(0);
  });
  it('is known among a hundred thousand; only then are they forgotten', () => {
    const fills = heard([0, []]);
    for (let id = 1; id <= 100_000; id += 1) fills.ours(`o${id}`, DAY);
    fills.heardOrders([app(40, { order_id: 'o1' })], 100, DAY);
    expect(since(fills, 0)).toBe(0);
    fills.ours('one more', DAY);
    fills.heardOrders([app(40, { order_id: 'o1' }), app(5, { order_id: 'one more' })], 200, DAY);
    expect(since(fills, 0)).toBe(40);
  });
});

describe('a fill that was heard long ago', () => {
  it('is told apart from later ones for ten minutes', () => {
    const fills = heard([0, []], [100, [app(10)]], [200, [app(20)]], [200 + MINUTES_10, [app(30)]]);
    expect([50, 100, 200, 200 + MINUTES_10].map((instant) => since(fills, instant))).toEqual([30, 20, 10, 0]);
  });
  it('is then the oldest that is known', () => {
    const fills = heard([0, []], [100, [app(10)]], [200, [app(20)]], [201 + MINUTES_10, [app(30)]]);
    expect([150, 200].map((instant) => since(fills, instant))).toEqual([30, 10]);
  });
  it('is not new for being heard again', () => {
    const again = [1, 2, 3].map((times) => [times * MINUTES_10 * 2, [app(30)]] as const);
    const fills = heard([0, []], [100, [app(10)]], [200, [app(20)]], [300, [app(30)]], ...again);
    expect([100, 200, 300].map((instant) => since(fills, instant))).toEqual([20, 10, 0]);
  });
});

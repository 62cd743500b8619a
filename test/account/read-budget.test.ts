import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReadBudget, type ReadRank } from '../../server/brokers/read-budget.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const second = { requests: 1, perMs: 1000 };
const minute = { requests: 110, perMs: 60_000 };

/** A budget whose grants and refusals are noted in their order. */
class Book {
  readonly clock = new VirtualClock();
  readonly budget: ReadBudget;
  readonly granted: [string, number][] = [];
  readonly refused: [string, number, string][] = [];

  constructor(...windows: readonly { requests: number; perMs: number }[]) {
    this.budget = new ReadBudget(this.clock, windows);
  }

  ask(rank: ReadRank, times = 1, name: string = rank): void {
    for (let time = 0; time < times; time += 1)
      void this.budget.take(rank).then((refused) => {
        if (refused) this.refused.push([name, this.clock.mono(), refused.message]);
        else this.granted.push([name, this.clock.mono()]);
      });
  }
}

describe('the read budget', () => {
  it('grants a whole window at once, then one by one as the window moves on, 150 ms later for what the way may bring together', async () => {
    const book = new Book({ requests: 2, perMs: 1000 }, { requests: 5, perMs: 60_000 });
    book.ask('orders', 12);
    await book.clock.pass(200_000);
    const moments = [0, 0, 1151, 1151, 2302, 60_151, 60_151, 61_302, 61_302, 62_453, 120_302, 120_302];
    expect(book.granted.map(([, at]) => at)).toEqual(moments);
  });
  it('without windows grants at once', async () => {
    const book = new Book();
    for (let read = 0; read < 100; read += 1) await book.budget.take('selftest');
    expect(book.clock.mono()).toBe(0);
  });
  it('lets every read through in turn, never more than its windows allow when they arrive 150 ms closer together', async () => {
    const windows = [
      { requests: 3, perMs: 1000 },
      { requests: 20, perMs: 60_000 },
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 40 }), async (moments) => {
        const clock = new VirtualClock();
        const budget = new ReadBudget(clock, windows);
        const granted: number[] = [];
        const all = moments.map(async (at) => {
          await clock.sleep(at);
          await budget.take('orders');
          granted.push(clock.mono());
        });
        await clock.settle(Promise.all(all));
        for (const { requests, perMs } of windows) {
          for (const at of granted)
            expect(granted.filter((other) => other > at - perMs - 150 && other <= at).length).toBeLessThanOrEqual(requests);
        }
      }),
      { numRuns: 200 },
    );
  });
  it('serves exits first, then the order service, then reconciliation, then callers, then self-tests, and equals in their order', async () => {
    const book = new Book(second);
    book.ask('caller', 1, 'first');
    book.ask('selftest');
    book.ask('caller', 2);
    book.ask('books');
    book.ask('orders', 2);
    book.ask('exits');
    await book.clock.pass(9000);
    expect(book.granted.map(([name]) => name)).toEqual(['first', 'exits', 'orders', 'orders', 'books', 'caller', 'caller', 'selftest']);
  });
  it('lets 600 callers delay an order by one window at most, and not at all where a part of it can be kept', async () => {
    const cases: [{ requests: number; perMs: number }[], number][] = [
      [[second], 1151],
      [[{ requests: 3, perMs: 1000 }, minute], 0],
    ];
    for (const [windows, lateMs] of cases) {
      const book = new Book(...windows);
      book.ask('caller', 600);
      for (let at = 0; at < 30_000; at += 3000) {
        const asked = book.clock.mono();
        book.ask('orders', 1, `order ${at}`);
        await book.clock.pass(3000);
        const found = book.granted.find(([name]) => name === `order ${at}`);
        expect((found?.[1] ?? Number.POSITIVE_INFINITY) - asked).toBeLessThanOrEqual(lateMs);
      }
    }
  });
  it('keeps a quarter of the minute from all but orders, and an eighth more from callers', async () => {
    const book = new Book(minute);
    for (const [rank, granted] of [
      ['caller', 69],
      ['books', 83],
      ['orders', 110],
    ] as const) {
      book.ask(rank, 200);
      await book.clock.pass(0);
      expect(book.granted).toHaveLength(granted);
    }
  });
  it('refuses a caller and a self-test after 10 s, with the reason; the others wait as long as it takes', async () => {
    const book = new Book({ requests: 2, perMs: 60_000 });
    book.ask('orders', 3);
    book.ask('books');
    book.ask('caller');
    book.ask('selftest');
    await book.clock.pass(9999);
    expect(book.refused).toEqual([]);
    await book.clock.pass(1);
    expect(book.refused).toEqual([
      ['caller', 10_000, expect.stringContaining('read limit left no room for it within 10 s')],
      ['selftest', 10_000, expect.any(String)],
    ]);
    await book.clock.pass(200_000);
    expect(book.granted.map(([name]) => name)).toEqual(['orders', 'orders', 'orders', 'books']);
  });
  it('lets a waiting read rise, behind those who came there before', async () => {
    const book = new Book(second);
    book.ask('orders', 1, 'first');
    const risen = book.budget.turn('selftest');
    void risen.granted.then(() => book.granted.push(['risen', book.clock.mono()]));
    book.ask('caller');
    book.ask('orders', 1, 'before');
    await book.clock.pass(10);
    risen.raise('orders');
    book.ask('orders', 1, 'after');
    await book.clock.pass(5000);
    expect(book.granted.map(([name]) => name)).toEqual(['first', 'before', 'risen', 'after', 'caller']);
  });
  it('counts a read made without asking', async () => {
    const book = new Book(second);
    book.budget.count();
    book.ask('orders');
    await book.clock.pass(2000);
    expect(book.granted).toEqual([['orders', 1151]]);
  });
});

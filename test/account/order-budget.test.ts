import { describe, expect, it } from 'vitest';
import { OrderBudget, type OrderRank, secondWindow } from '../../server/brokers/order-budget.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

interface Turn {
  name: string;
  at: number;
  granted: boolean;
  retryAfterMs: number | undefined;
}

/** A budget whose decisions are noted in their order. */
class Book {
  readonly clock = new VirtualClock();
  readonly turns: Turn[] = [];
  readonly budget: OrderBudget;

  constructor(windows = [secondWindow], sent: readonly number[] = []) {
    this.budget = new OrderBudget(this.clock, windows, sent);
  }

  ask(priority: OrderRank, times = 1, name: string = priority): void {
    for (let time = 0; time < times; time += 1)
      void this.budget.take(priority).then((refused) => {
        this.turns.push({ name, at: this.clock.mono(), granted: refused === null, retryAfterMs: refused?.retryAfterMs });
      });
  }

  /** Names and moments of those let through. */
  get granted(): [string, number][] {
    return this.turns.filter((turn) => turn.granted).map(({ name, at }) => [name, at]);
  }
}

describe('the order budget', () => {
  it('lets nine cancels out at once, and seven entries: two of the nine are kept', async () => {
    for (const [priority, count] of [
      ['cancel', 9],
      ['exit', 9],
      ['entry', 7],
    ] as const) {
      const book = new Book();
      book.ask(priority, 12);
      await book.clock.pass(500);
      expect(book.granted).toHaveLength(count);
    }
  });
  it.each([
    [{ requests: 9, perMs: 1000 }, 2],
    [{ requests: 2, perMs: 1000 }, 1],
    [{ requests: 1, perMs: 1000 }, 0],
    [{ requests: 400, perMs: 60_000 }, 20],
    [{ requests: 70, perMs: 60_000 }, 5],
    [{ requests: 4, perMs: 60_000 }, 3],
    [{ requests: 7000, perMs: 86_400_000 }, 350],
  ])('keeps of %o for cancels and exits: %i', async (window, kept) => {
    const book = new Book([window]);
    book.ask('entry', window.requests + 1);
    await book.clock.pass(0);
    expect(book.granted).toHaveLength(window.requests - kept);
    book.ask('exit', kept + 1);
    await book.clock.pass(0);
    expect(book.granted.slice(window.requests - kept).map(([name]) => name)).toEqual(Array(kept).fill('exit'));
  });
  it('lets a cancel and an exit pass entries that wait, at that very moment', async () => {
    const book = new Book();
    book.ask('entry', 10);
    await book.clock.pass(333);
    book.ask('exit');
    book.ask('cancel');
    await book.clock.pass(10);
    expect(book.granted.slice(7)).toEqual([
      ['exit', 333],
      ['cancel', 333],
    ]);
  });
  it('gives the next free moment to a cancel that came last, then to exits, then to entries', async () => {
    const book = new Book();
    book.ask('cancel', 9, 'first');
    await book.clock.pass(100);
    book.ask('entry', 2);
    await book.clock.pass(100);
    book.ask('exit', 8);
    await book.clock.pass(100);
    book.ask('cancel');
    await book.clock.pass(860);
    expect(book.granted.slice(9).map(([name]) => name)).toEqual(['cancel', ...Array.from({ length: 8 }, () => 'exit')]);
  });
  it('serves equals in the order they came', async () => {
    const book = new Book();
    book.ask('cancel', 9, 'first');
    for (let number = 1; number <= 3; number += 1) {
      await book.clock.pass(10);
      book.ask('entry', 1, `entry ${number}`);
    }
    await book.clock.pass(1125);
    expect(book.granted.slice(9).map(([name]) => name)).toEqual(['entry 1', 'entry 2', 'entry 3']);
  });
  it('lets nobody pass an equal that waits, not even at the moment a place comes free', async () => {
    const book = new Book();
    const late = book.clock.sleep(1151).then(() => book.ask('entry', 1, 'late'));
    for (let call = 0; call < 7; call += 1) {
      book.ask('entry', 1, `first ${call}`);
      await book.clock.pass(100);
    }
    book.ask('entry', 1, 'waiting');
    await book.clock.settle(late);
    await book.clock.pass(150);
    expect(book.granted.slice(7)).toEqual([
      ['waiting', 1151],
      ['late', 1251],
    ]);
  });
  it('refuses after the second its window lasts, saying when the budget is free, but no sooner than in a second', async () => {
    const book = new Book();
    book.ask('entry', 20);
    await book.clock.pass(1500);
    const refused = book.turns.filter((turn) => !turn.granted);
    expect(refused).toHaveLength(6);
    for (const { at, retryAfterMs } of refused) {
      expect(at).toBe(1151);
      expect(retryAfterMs).toBe(1151);
    }
  });
  it('refuses at once what a long window cannot free in time, and says how long that takes', async () => {
    const book = new Book([secondWindow, { requests: 2, perMs: 60_000 }]);
    book.ask('cancel', 3);
    await book.clock.pass(0);
    expect(book.turns[2]).toMatchObject({ granted: false, at: 0, retryAfterMs: 60_151 });
  });
  it('counts a whole day, however many calls it had', async () => {
    const book = new Book([secondWindow, { requests: 30, perMs: 86_400_000 }]);
    for (let call = 0; call < 200; call += 1) {
      book.ask('cancel');
      await book.clock.pass(200);
    }
    expect(book.granted).toHaveLength(30);
    await book.clock.pass(86_400_000);
    for (let call = 0; call < 50; call += 1) {
      book.ask('cancel');
      await book.clock.pass(200);
    }
    expect(book.granted).toHaveLength(60);
  });
  it('takes over what was sent before it began', async () => {
    const clock = new VirtualClock();
    const sent = Array.from({ length: 9 }, (_, index) => clock.now() - 900 + index * 100);
    const book = new Book([secondWindow], sent);
    book.ask('cancel', 2);
    await book.clock.pass(249);
    expect(book.granted).toEqual([]);
    await book.clock.pass(200);
    expect(book.granted.map(([, at]) => at)).toEqual([251, 351]);
  });
});

describe("the order budget's start", () => {
  it('counts calls of a future that a wall clock once showed as made now', async () => {
    const clock = new VirtualClock();
    const book = new Book([{ requests: 3, perMs: 60_000 }], Array(3).fill(clock.now() + 3_600_000));
    book.ask('cancel');
    await book.clock.pass(0);
    expect(book.turns[0]).toMatchObject({ granted: false, retryAfterMs: 60_151 });
    await book.clock.pass(60_150);
    book.ask('cancel');
    await book.clock.pass(1);
    expect(book.granted).toEqual([['cancel', 60_151]]);
  });
});

describe('the last wait before the send', () => {
  it('lets exits and cancels overtake entries that a slow store brought together', async () => {
    const clock = new VirtualClock();
    const budget = new OrderBudget(clock, [secondWindow]);
    const left: [OrderRank, number][] = [];
    const pace = (rank: OrderRank) => void budget.pace(rank).then(() => left.push([rank, clock.mono()]));
    for (let entry = 0; entry < 20; entry += 1) pace('entry');
    await clock.pass(100);
    pace('exit');
    pace('cancel');
    pace('exit');
    await clock.pass(1060);
    const entries = Array<[OrderRank, number]>(4).fill(['entry', 1151]);
    expect(left.slice(7)).toEqual([['exit', 100], ['cancel', 100], ['exit', 1151], ...entries]);
  });
  it('keeps longer windows too, by when calls really left', async () => {
    const clock = new VirtualClock();
    const budget = new OrderBudget(clock, [{ requests: 3, perMs: 60_000 }]);
    const left: number[] = [];
    for (let call = 0; call < 4; call += 1) {
      expect(await clock.settle(budget.take('cancel'))).toBeNull();
      if (call < 3) await clock.pass(1000);
      await clock.settle(budget.pace('cancel'));
      left.push(clock.mono());
      if (call === 2) await clock.pass(60_151 - clock.mono());
    }
    expect(left.at(-1)).toBe(61_151);
  });
});

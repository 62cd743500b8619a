import { describe, expect, it } from 'vitest';
import { Limiter, type Priority, ReadBudget, secondWindow } from '../../server/orders/limiter.ts';
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
  readonly limiter: Limiter;

  constructor(windows = [secondWindow], sent: readonly number[] = []) {
    this.limiter = new Limiter(this.clock, windows, sent);
  }

  ask(priority: Priority, times = 1, name: string = priority): void {
    for (let time = 0; time < times; time += 1)
      void this.limiter.take(priority).then((refused) => {
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
  it('keeps the two of the second alone, not of a longer window', async () => {
    const book = new Book([{ requests: 9, perMs: 60_000 }]);
    book.ask('entry', 12);
    await book.clock.pass(500);
    expect(book.granted).toHaveLength(9);
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
    await book.clock.pass(710);
    expect(book.granted.slice(9).map(([name]) => name)).toEqual(['cancel', ...Array.from({ length: 8 }, () => 'exit')]);
  });
  it('serves equals in the order they came', async () => {
    const book = new Book();
    book.ask('cancel', 9, 'first');
    for (let number = 1; number <= 3; number += 1) {
      await book.clock.pass(10);
      book.ask('entry', 1, `entry ${number}`);
    }
    await book.clock.pass(975);
    expect(book.granted.slice(9).map(([name]) => name)).toEqual(['entry 1', 'entry 2', 'entry 3']);
  });
  it('lets nobody pass an equal that waits, not even at the moment a place comes free', async () => {
    const book = new Book();
    const late = book.clock.sleep(1001).then(() => book.ask('entry', 1, 'late'));
    for (let call = 0; call < 7; call += 1) {
      book.ask('entry', 1, `first ${call}`);
      await book.clock.pass(100);
    }
    book.ask('entry', 1, 'waiting');
    await book.clock.settle(late);
    await book.clock.pass(150);
    expect(book.granted.slice(7)).toEqual([
      ['waiting', 1001],
      ['late', 1101],
    ]);
  });
  it('refuses after a second, saying when the budget is free, but no sooner than in a second', async () => {
    const book = new Book();
    book.ask('entry', 20);
    await book.clock.pass(1500);
    const refused = book.turns.filter((turn) => !turn.granted);
    expect(refused).toHaveLength(6);
    for (const { at, retryAfterMs } of refused) {
      expect(at).toBe(1001);
      expect(retryAfterMs).toBe(1001);
    }
  });
  it('refuses at once what a long window cannot free in time, and says how long that takes', async () => {
    const book = new Book([secondWindow, { requests: 2, perMs: 60_000 }]);
    book.ask('cancel', 3);
    await book.clock.pass(0);
    expect(book.turns[2]).toMatchObject({ granted: false, at: 0, retryAfterMs: 60_001 });
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
    await book.clock.pass(99);
    expect(book.granted).toEqual([]);
    await book.clock.pass(200);
    expect(book.granted.map(([, at]) => at)).toEqual([101, 201]);
  });
});

describe('the read budget', () => {
  it('grants a whole window at once, then one by one as the window moves on, 150 ms later for what the way may bring together', async () => {
    const clock = new VirtualClock();
    const budget = new ReadBudget(clock, [
      { requests: 2, perMs: 1000 },
      { requests: 5, perMs: 60_000 },
    ]);
    const granted: number[] = [];
    for (let read = 0; read < 12; read += 1) void budget.take().then(() => granted.push(clock.mono()));
    await clock.pass(200_000);
    expect(granted).toEqual([0, 0, 1150, 1150, 2300, 60_150, 60_150, 61_300, 61_300, 62_450, 120_300, 120_300]);
  });
  it('without windows grants at once', async () => {
    const clock = new VirtualClock();
    const budget = new ReadBudget(clock, []);
    for (let read = 0; read < 100; read += 1) await budget.take();
    expect(clock.mono()).toBe(0);
  });
});

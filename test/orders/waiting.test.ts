import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReadBudget } from '../../server/orders/limiter.ts';
import { Mutexes } from '../../server/orders/mutex.ts';
import { SharedRead } from '../../server/orders/shared-read.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

describe('a mutex', () => {
  const task = fc.record({
    at: fc.integer({ min: 0, max: 2000 }),
    holdMs: fc.integer({ min: 0, max: 800 }),
    waitMs: fc.integer({ min: 0, max: 1500 }),
  });
  it('has one holder at a time, in the order they came, and gives up in time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(task, { maxLength: 25 }), async (tasks) => {
        const clock = new VirtualClock();
        const mutexes = new Mutexes(clock);
        const came: number[] = [];
        const held: number[] = [];
        let holders = 0;
        const all = tasks.map(async ({ at, holdMs, waitMs }, index) => {
          await clock.sleep(at);
          came.push(index);
          const release = await mutexes.acquire('SBIN', waitMs);
          expect(clock.mono() - at).toBeLessThanOrEqual(waitMs);
          if (!release) return;
          held.push(index);
          holders += 1;
          expect(holders).toBe(1);
          await clock.sleep(holdMs);
          holders -= 1;
          release();
          release();
        });
        await clock.settle(Promise.all(all));
        expect(held).toEqual(came.filter((index) => held.includes(index)));
        // Whoever gave up left nothing locked.
        const release = await clock.settle(mutexes.acquire('SBIN', 10));
        expect(release).not.toBeNull();
      }),
    );
  });
  it('keeps names apart', async () => {
    const clock = new VirtualClock();
    const mutexes = new Mutexes(clock);
    await clock.settle(mutexes.acquire('SBIN', 10));
    expect(await clock.settle(mutexes.acquire('INFY', 0))).not.toBeNull();
    expect(await clock.settle(mutexes.acquire('SBIN', 10))).toBeNull();
  });
});

describe('a shared read', () => {
  const plan = fc.record({
    calls: fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 40 }),
    takesMs: fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 5 }),
    fails: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
    limited: fc.boolean(),
  });
  it('gives every caller a read that began after it asked, two at a time', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ calls, takesMs, fails, limited }) => {
        const clock = new VirtualClock();
        const windows = limited ? [{ requests: 2, perMs: 1000 }] : [];
        const begun: number[] = [];
        let running = 0;
        async function read(): Promise<number> {
          const number = begun.push(clock.mono()) - 1;
          running += 1;
          expect(running).toBeLessThanOrEqual(2);
          await clock.sleep(takesMs[number % takesMs.length] ?? 0);
          running -= 1;
          if (fails[number % fails.length]) throw new Error(String(number));
          return number;
        }
        const shared = new SharedRead(read, new ReadBudget(clock, windows));
        const all = calls.map(async (at) => {
          await clock.sleep(at);
          const number = await shared.next().catch((error: Error) => Number(error.message));
          expect(begun[number]).toBeGreaterThanOrEqual(at);
        });
        await clock.settle(Promise.all(all));
        for (const { requests, perMs } of windows) {
          for (const at of begun) expect(begun.filter((other) => other > at - perMs && other <= at).length).toBeLessThanOrEqual(requests);
        }
      }),
    );
  });
  it('makes three reads of a crowd: two under way and one for all who came since', async () => {
    const clock = new VirtualClock();
    const ends: number[] = [];
    const shared = new SharedRead(async () => {
      await clock.sleep(100);
      return ends.push(clock.mono());
    }, new ReadBudget(clock, []));
    const first = shared.next();
    await clock.pass(10);
    const second = shared.next();
    await clock.pass(40);
    const crowd = Array.from({ length: 100 }, () => shared.next());
    expect(await clock.settle(Promise.all([first, second]))).toEqual([1, 2]);
    expect(new Set(await clock.settle(Promise.all(crowd)))).toEqual(new Set([3]));
    // The second began when it was asked for, the third when the first was over.
    expect(ends).toEqual([100, 110, 200]);
  });
});

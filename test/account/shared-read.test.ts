import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReadBudget } from '../../server/brokers/read-budget.ts';
import { SharedRead } from '../../server/brokers/shared-read.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

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
          const number = await shared.next('orders').catch((error: Error) => Number(error.message));
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
    const first = shared.next('orders');
    await clock.pass(10);
    const second = shared.next('orders');
    await clock.pass(40);
    const crowd = Array.from({ length: 100 }, () => shared.next('orders'));
    expect(await clock.settle(Promise.all([first, second]))).toEqual([1, 2]);
    expect(new Set(await clock.settle(Promise.all(crowd)))).toEqual(new Set([3]));
    // The second began when it was asked for, the third when the first was over.
    expect(ends).toEqual([100, 110, 200]);
  });
  it('takes the best rank of those who wait for it', async () => {
    const clock = new VirtualClock();
    const budget = new ReadBudget(clock, [{ requests: 1, perMs: 1000 }]);
    const done: string[] = [];
    const shared = new SharedRead(async () => done.push('shared'), budget);
    await clock.settle(budget.take('orders'));
    const caller = shared.next('caller');
    await clock.pass(10);
    for (const name of ['first', 'second']) void budget.take('books').then(() => done.push(name));
    await clock.pass(10);
    const order = shared.next('orders');
    void budget.take('orders').then(() => done.push('later order'));
    await clock.settle(Promise.all([caller, order]));
    await clock.pass(5000);
    expect(done).toEqual(['shared', 'later order', 'first', 'second']);
  });
  it('a caller that waited 10 s is refused; the order that waits for the same read gets it', async () => {
    const clock = new VirtualClock();
    const budget = new ReadBudget(clock, [{ requests: 1, perMs: 60_000 }]);
    const shared = new SharedRead(async () => ({ success: true as const, at: clock.mono() }), budget);
    await clock.settle(budget.take('orders'));
    const [caller, order] = [shared.next('caller'), shared.next('orders')];
    expect(await clock.settle(caller)).toMatchObject({ success: false, message: expect.stringContaining('within 10 s') });
    expect(clock.mono()).toBe(10_000);
    expect(await clock.settle(order)).toEqual({ success: true, at: 60_151 });
  });
  it('a caller whose read has begun gets its answer however long that takes', async () => {
    const clock = new VirtualClock();
    const shared = new SharedRead(() => clock.sleep(20_000).then(() => 'late'), new ReadBudget(clock, []));
    expect(await clock.settle(shared.next('caller'))).toBe('late');
  });
  it('nobody waits any more and the read fails: nothing is left unhandled', async () => {
    const clock = new VirtualClock();
    const budget = new ReadBudget(clock, [{ requests: 1, perMs: 60_000 }]);
    const shared = new SharedRead(() => Promise.reject(new Error('down')), budget);
    await clock.settle(budget.take('orders'));
    await clock.settle(shared.next('caller'));
    await clock.pass(100_000);
    await expect(clock.settle(shared.next('orders'))).rejects.toThrow('down');
  });
  it('tells listeners every answer and when its read began, before those who wait for it', async () => {
    const clock = new VirtualClock();
    const answers = [{ success: true }, { success: false }, new Error('down'), { success: true, last: true }];
    const shared = new SharedRead(async () => {
      await clock.sleep(100);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    }, new ReadBudget(clock, []));
    const told: unknown[] = [];
    const stop = shared.listen((answer, beganAt) => told.push([answer, beganAt]));
    expect(shared.newest).toBeNull();
    for (let read = 0; read < 3; read += 1) {
      const seen = await clock.settle(shared.next('orders').catch(() => null));
      if (seen) expect(told.at(-1)).toEqual([seen, read * 100]);
    }
    expect(told).toHaveLength(2);
    // A read that failed tells nothing new.
    expect(shared.newest).toEqual({ answer: { success: true }, beganAt: 0 });
    stop();
    await clock.settle(shared.next('orders'));
    expect(told).toHaveLength(2);
    expect(shared.newest).toEqual({ answer: { success: true, last: true }, beganAt: 300 });
  });
  it('keeps as newest what began last, though an older read ends after it', async () => {
    const clock = new VirtualClock();
    const takesMs = [500, 10];
    const shared = new SharedRead(async () => {
      const began = clock.mono();
      await clock.sleep(takesMs.shift() ?? 0);
      return began;
    }, new ReadBudget(clock, []));
    const first = shared.next('orders');
    await clock.pass(100);
    await clock.settle(Promise.all([first, shared.next('orders')]));
    expect(shared.newest).toEqual({ answer: 100, beganAt: 100 });
  });
});

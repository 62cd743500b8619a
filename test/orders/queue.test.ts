import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntryQueue } from '../../server/orders/queue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const no = () => false;

describe('the queue of an instrument', () => {
  const task = fc.record({
    at: fc.integer({ min: 0, max: 2000 }),
    holdMs: fc.integer({ min: 0, max: 800 }),
    waitMs: fc.integer({ min: 0, max: 1500 }),
  });
  it('has one holder at a time, in the order they came, and gives up in time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(task, { maxLength: 25 }), async (tasks) => {
        const clock = new VirtualClock();
        const queue = new EntryQueue(clock);
        const came: number[] = [];
        const held: number[] = [];
        let holders = 0;
        const all = tasks.map(async ({ at, holdMs, waitMs }, index) => {
          await clock.sleep(at);
          came.push(index);
          const release = await queue.enter(waitMs, no);
          expect(clock.mono() - at).toBeLessThanOrEqual(waitMs);
          if (typeof release !== 'function') return expect(release).toBeNull();
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
        expect(await clock.settle(queue.enter(10, no))).toBeTypeOf('function');
      }),
    );
  });
  it('lets out whoever needs no turn any more when something changed, and nobody else', async () => {
    const clock = new VirtualClock();
    const queue = new EntryQueue(clock);
    const release = await queue.enter(10, no);
    let reduces = false;
    const came: string[] = [];
    const enter = async (name: string, overtakes: () => boolean) => came.push(`${name} ${typeof (await queue.enter(10_000, overtakes))}`);
    void enter('entry', no);
    void enter('exit', () => reduces);
    await clock.pass(100);
    queue.review();
    await clock.pass(100);
    expect(came).toEqual([]);
    reduces = true;
    queue.review();
    await clock.pass(100);
    expect(came).toEqual(['exit string']);
    if (typeof release === 'function') release();
    await clock.pass(100);
    expect(came).toEqual(['exit string', 'entry function']);
  });
  it('says that who is let out is free, and lets nobody else in for it', async () => {
    const clock = new VirtualClock();
    const queue = new EntryQueue(clock);
    await queue.enter(10, no);
    const [first, second] = [queue.enter(10_000, () => true), queue.enter(100, no)];
    queue.review();
    expect(await first).toBe('free');
    expect(await clock.settle(second)).toBeNull();
    expect(clock.mono()).toBe(100);
  });
  it('leaves the turn to whoever has just got it, although it needs none any more', async () => {
    const clock = new VirtualClock();
    const queue = new EntryQueue(clock);
    const release = await queue.enter(10, no);
    const next = queue.enter(10_000, () => true);
    if (typeof release === 'function') release();
    queue.review();
    const got = await next;
    expect(got).toBeTypeOf('function');
    if (typeof got === 'function') got();
    expect(await queue.enter(0, no)).toBeTypeOf('function');
  });
});

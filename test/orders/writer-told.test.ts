import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { SupersededError } from '../../server/journal/attempt.ts';
import type { JournalNote } from '../../server/journal/journal.ts';
import { PendingWrite, type Step } from '../../server/orders/writer.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { attempt } from './parts.ts';

const accepted: Step = { to: 'ACCEPTED', change: { orderId: '1001' }, event: { kind: 'order.accepted' } };
const unknown: Step = { to: 'ACCEPTED', change: { fillStatus: 'UNKNOWN' }, event: { kind: 'order.unknown', detail: { filled: 0 } } };
const done: Step = { to: 'DONE', change: { response: '{}', filledQuantity: 10 }, event: { kind: 'order.done' } };

const away = new Error('The store is away');
const refused = Object.assign(new Error('duplicate key'), { code: '23505' });
const failed = { level: 40, key: 'k:one', to: 'DONE', msg: 'Writing an order result failed; trying again' };
const kept = { level: 50, key: 'k:one', msg: 'The order store is away; the result is kept in memory until it is back' };

/** A writer whose store fails as `fails` says, asked at each try by its number from 0; what it tried when, and what it told. */
async function writer(fails: (attempted: number) => unknown = () => null) {
  const clock = new VirtualClock();
  const store = new MemoryJournal();
  await store.begin(attempt(), { kind: 'order.sending' }, clock.now());
  const tries: number[] = [];
  const move = store.move.bind(store);
  store.move = async (...args) => {
    const failure = fails(tries.length);
    tries.push(clock.mono());
    if (failure) throw failure;
    return await move(...args);
  };
  const logged: Record<string, unknown>[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => void logged.push(JSON.parse(line)) });
  const stopping = new AbortController();
  const write = new PendingWrite({ clock, journal: store, log, stop: stopping.signal }, attempt());
  const record = () => store.find('k:one', clock.now());
  return { clock, store, write, tries, logged, stopping, record, settled: () => clock.settle(write.settled()) };
}

describe('a step of an order', () => {
  it('that is written at once tells nobody', async () => {
    const { clock, write, tries, logged, settled } = await writer();
    write.take(done);
    expect([await settled(), tries, logged, clock.mono()]).toEqual([true, [0], [], 0]);
    expect(await settled()).toBe(true);
  });
  it('is tried again after 50 ms, then after twice as long each time, up to a second', async () => {
    const { clock, write, tries, logged } = await writer(() => away);
    write.take(done);
    await clock.pass(4000);
    expect(tries).toEqual([0, 50, 150, 350, 750, 1550, 2550, 3550]);
    expect(logged).toEqual(tries.map(() => ({ ...failed, error: 'Error: The store is away' })));
    expect([write.stored, write.superseded]).toEqual([false, false]);
  });
  it('is waited for 10 s, and then it is said that it is kept', async () => {
    const { clock, write, logged, settled } = await writer(() => away);
    write.take(done);
    expect([await settled(), clock.mono()]).toEqual([false, 10_000]);
    expect(logged.filter(({ level }) => level === 50)).toEqual([kept]);
  });
  it('is kept by a stop too, and its waiter let go', async () => {
    const { clock, write, tries, logged, stopping } = await writer(() => away);
    write.take(done);
    const waiting = write.settled();
    await clock.pass(100);
    stopping.abort();
    expect([await clock.settle(waiting), clock.mono(), tries]).toEqual([false, 100, [0, 50, 100]]);
    expect(logged.at(-1)).toEqual(kept);
  });
  it('that was changed by another hand is let go, and its waiter is told by that alone', async () => {
    const { clock, write, tries, logged, settled } = await writer(() => new SupersededError(attempt()));
    write.take(done);
    // The record stands where it stood, and is moved from there once more.
    expect([await settled(), clock.mono(), tries.length, logged]).toEqual([false, 0, 2, []]);
    expect([write.stored, write.superseded]).toEqual([false, true]);
  });
});

describe('a step that the store refuses for what it holds', () => {
  it.each(['22001', '23505'])('with %s is an error from the fifth time on, and tried every 30 s', async (code) => {
    const { clock, write, tries, logged } = await writer(() => Object.assign(new Error('refused'), { code }));
    write.take(done);
    await clock.pass(70_000);
    expect(tries).toEqual([0, 50, 150, 350, 750, 30_750, 60_750]);
    const told = { key: 'k:one', to: 'DONE', error: 'Error: refused' };
    const refusal = { ...told, level: 50, msg: 'The order store refuses an order result for what it holds' };
    expect(logged).toEqual([...Array.from({ length: 4 }, () => ({ ...told, ...failed })), refusal, refusal, refusal]);
  });
  it.each(['40001', '57P01', '42301', '08006', undefined])('is not one with %s', async (code) => {
    const { clock, write, tries } = await writer(() => Object.assign(new Error('not refused'), { code }));
    write.take(done);
    await clock.pass(4000);
    expect(tries).toEqual([0, 50, 150, 350, 750, 1550, 2550, 3550]);
  });
  it.each(['cut', { code: '23505' }])('is not one where no error was thrown, but %o', async (thrown) => {
    const { clock, write, logged, record } = await writer((attempted) => attempted < 8 && thrown);
    write.take(done);
    await clock.pass(5000);
    expect(logged).toEqual(Array.from({ length: 8 }, () => ({ ...failed, error: String(thrown) })));
    expect(await record()).toMatchObject({ state: 'DONE' });
  });
  it('is counted anew after another failure, and after it stood', async () => {
    const other = await writer((attempted) => (attempted === 4 ? away : refused));
    other.write.take(done);
    await other.clock.pass(5000);
    expect(other.logged.filter(({ level }) => level === 50)).toEqual([]);

    const stood = await writer((attempted) => (attempted === 4 ? null : refused));
    stood.write.take(accepted);
    await stood.clock.pass(1000);
    stood.write.take(done);
    await stood.clock.pass(700);
    expect(stood.tries).toEqual([0, 50, 150, 350, 750, 1000, 1050, 1150, 1350]);
    expect(stood.logged.filter(({ level }) => level === 50)).toEqual([]);
  });
});

describe('steps that come while one waits', () => {
  it('leave each event under the order’s own names, in their order, and none twice where the store fails between', async () => {
    const { clock, store, write, record } = await writer((attempted) => attempted === 0 && away);
    const notes: JournalNote[] = [];
    const note = store.note.bind(store);
    store.note = async (event) => {
      if (notes.length === 1) {
        store.note = async (again) => {
          notes.push(again);
          await note(again);
        };
        throw away;
      }
      notes.push(event);
      await note(event);
    };
    for (const step of [accepted, unknown, done]) write.take(step);
    await clock.pass(1000);
    const names = { broker: 'zerodha', account: 'AB1234', symbol: 'SBIN', key: 'k:one' };
    expect(notes).toEqual([
      { ...accepted.event, ...names },
      { ...unknown.event, ...names },
    ]);
    expect(store.events.map(({ kind }) => kind)).toEqual(['order.sending', 'order.accepted', 'order.unknown', 'order.done']);
    expect(await record()).toMatchObject({ state: 'DONE', orderId: '1001', fillStatus: 'UNKNOWN', filledQuantity: 10, response: '{}' });
    expect(write.stored).toBe(true);
  });
  it('keep the newest that is known of the order', async () => {
    const { clock, store, write } = await writer((attempted) => attempted === 0 && away);
    const truths: unknown[] = [];
    const move = store.move.bind(store);
    store.move = async (...args) => {
      truths.push(args[5]);
      return await move(...args);
    };
    const truth = { orderId: '1001', status: 'PLACED', filledQuantity: 0, averagePrice: null } as const;
    write.take(accepted);
    write.take({ ...unknown, truth });
    write.take({ ...done, truth: { ...truth, status: 'FILLED', filledQuantity: 10, averagePrice: 99 } });
    await clock.pass(1000);
    expect(truths).toEqual([undefined, { ...truth, status: 'FILLED', filledQuantity: 10, averagePrice: 99 }]);
  });
  it('are written right after it, without a pause, and each with its event', async () => {
    const { clock, store, write, tries, record } = await writer();
    for (const step of [accepted, unknown, done]) write.take(step);
    await clock.settle(write.settled());
    expect([tries, clock.mono()]).toEqual([[0, 0], 0]);
    expect(store.events.map(({ kind }) => kind)).toEqual(['order.sending', 'order.accepted', 'order.unknown', 'order.done']);
    expect(await record()).toMatchObject({ state: 'DONE', orderId: '1001' });
  });
});

describe('a step whose acknowledgement was lost', () => {
  it('stands where it ended with the answer the order had before', async () => {
    const { clock, store, write, record } = await writer();
    const step: Step = { to: 'DONE', change: { filledQuantity: 10 }, event: { kind: 'order.done' } };
    const move = store.move.bind(store);
    store.move = async (...args) => {
      store.move = move;
      await move(...args);
      throw away;
    };
    write.take(step);
    await clock.pass(100);
    expect([write.stored, write.superseded, store.events.length]).toEqual([true, false, 2]);
    expect(await record()).toMatchObject({ state: 'DONE', response: null, filledQuantity: 10 });
  });
  it('and that sets nothing is written all the same', async () => {
    const { write, settled, record } = await writer();
    write.take({ to: 'AMBIGUOUS', change: {}, event: { kind: 'order.ambiguous' } });
    expect(await settled()).toBe(true);
    expect(await record()).toMatchObject({ state: 'AMBIGUOUS' });
  });
});

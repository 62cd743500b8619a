import { describe, expect, it } from 'vitest';
import { silentLog } from '../../server/log.ts';
import { type Attempt, type OrderTruth, SupersededError } from '../../server/orders/attempt.ts';
import { MemoryJournal } from '../../server/orders/memory-journal.ts';
import { Settler, type Step } from '../../server/orders/settle.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { attempt } from './parts.ts';

const event = { kind: 'order.test' };
const text = '{"success":true}';
const done: Step = { to: 'DONE', change: { response: text }, event };

/** A settler, a store, and an attempt that process-1 sent; `sent` is how that process remembers it. */
async function stand(change: Partial<Attempt> = {}) {
  const clock = new VirtualClock();
  const journal = new MemoryJournal();
  const stopping = new AbortController();
  const settler = new Settler({ clock, journal, log: silentLog(), stop: stopping.signal });
  const claimed = attempt(change);
  await journal.claim(claimed, clock.now());
  const sent = await journal.move(claimed, 'SENDING', {}, event, clock.now());
  const write = (from: Attempt, step: Step) => clock.settle(settler.write(from, step));
  return { clock, journal, settler, stopping, sent, write };
}

describe('a write that finds the record elsewhere', () => {
  it('is done when the record stands where this very write leads: its acknowledgement was lost', async () => {
    const { journal, sent, write, clock } = await stand();
    const stored = await journal.move(sent, 'DONE', { response: text }, event, clock.now());
    expect(await write(sent, done)).toEqual({ attempt: stored, stored: true });
  });
  it('is done too when the step writes no answer and the record has none', async () => {
    const { journal, sent, write, clock } = await stand();
    const stored = await journal.move(sent, 'UNRESOLVED', {}, event, clock.now());
    expect(await write(sent, { to: 'UNRESOLVED', event })).toEqual({ attempt: stored, stored: true });
  });
  it('goes on from an earlier step of its own', async () => {
    const { journal, sent, write, clock } = await stand();
    await journal.move(sent, 'ACCEPTED', { orderId: '1001' }, event, clock.now());
    expect((await write(sent, done)).attempt).toMatchObject({ state: 'DONE', response: text });
    expect(await journal.find('k:one', clock.now())).toMatchObject({ state: 'DONE', orderId: '1001', response: text });
  });
  it.each([
    ['with another answer', 'DONE', { response: '{"success":false}' }],
    ['in another final state', 'NOT_SENT', { response: text }],
  ] as const)('ends where the record is final %s', async (_, state, change) => {
    const { journal, sent, write, clock } = await stand();
    await journal.move(sent, state, change, event, clock.now());
    await expect(write(sent, done)).rejects.toThrow(new SupersededError(sent).message);
    expect(await journal.find('k:one', clock.now())).toMatchObject({ state, ...change });
  });
  it.each([
    ['another owner has it', { owner: 'process-2' }],
    ['another epoch has it', { epoch: 2 }],
    ['another attempt has its key', { tag: 'another' }],
  ])('ends where %s, however far that one is', async (_, change) => {
    for (const state of ['ACCEPTED', 'DONE'] as const) {
      const { journal, sent, write, clock } = await stand(change);
      const standing = await journal.move(sent, state, { response: text }, event, clock.now());
      const ours = attempt({ state: 'SENDING' });
      await expect(write(ours, done)).rejects.toThrow(SupersededError);
      expect(await journal.find('k:one', clock.now())).toEqual(standing);
    }
  });
  it('ends where the record is gone', async () => {
    const { journal, sent, write } = await stand();
    await journal.release(sent, event);
    await expect(write(sent, done)).rejects.toThrow('Attempt k:one is no longer in state SENDING for this process');
  });
});

describe('steps that wait for the store', () => {
  it('are merged: the newest state, all changes, and what is known of the order', async () => {
    const { clock, journal, settler, sent } = await stand();
    const move = journal.move.bind(journal);
    const truths: (OrderTruth | undefined)[] = [];
    journal.move = () => Promise.reject(new Error('The store is away'));
    const truth: OrderTruth = { orderId: '1001', status: 'PLACED', filledQuantity: 0, averagePrice: null };
    const first = await clock.settle(settler.write(sent, { to: 'ACCEPTED', change: { orderId: '1001' }, event, truth }));
    expect(first.stored).toBe(false);
    expect(settler.late).toBe(1);
    const second = settler.write(first.attempt, {
      to: 'DONE',
      change: { response: text, filledQuantity: 0 },
      event: { kind: 'order.done' },
    });
    await clock.pass(100);
    expect(settler.held('k:one')).toMatchObject({ state: 'DONE', orderId: '1001', response: text });
    journal.move = (...args) => {
      truths.push(args[5]);
      return move(...args);
    };
    expect(await clock.settle(second)).toMatchObject({ stored: true, attempt: { state: 'DONE', orderId: '1001', response: text } });
    expect(truths).toEqual([truth]);
    expect(journal.events.at(-1)).toMatchObject({ kind: 'order.done', orderId: '1001' });
    expect([settler.late, settler.held('k:one')]).toEqual([0, undefined]);
  });
  it('leave the events of all of them, each once and in order', async () => {
    const { clock, journal, settler, sent } = await stand();
    const move = journal.move.bind(journal);
    journal.move = () => Promise.reject(new Error('The store is away'));
    const kinds = ['order.accepted', 'order.found', 'order.unknown', 'order.done'];
    let from = sent;
    for (const kind of kinds) {
      const to = kind === 'order.done' ? 'DONE' : 'ACCEPTED';
      const written = settler.write(from, { to, change: {}, event: { kind } });
      from = { ...from, state: to };
      void written.catch(() => undefined);
      await clock.pass(300);
    }
    journal.move = move;
    await clock.pass(5000);
    expect(journal.events.slice(2).map((one) => one.kind)).toEqual(kinds);
    const about = { broker: 'zerodha', account: 'AB1234', symbol: 'SBIN', key: 'k:one' };
    expect(journal.events[2]).toMatchObject({ kind: 'order.accepted', ...about });
  });
  it('end with a stop', async () => {
    const { clock, journal, settler, stopping, sent } = await stand();
    journal.move = () => Promise.reject(new Error('The store is away'));
    const written = settler.write(sent, done);
    await clock.pass(100);
    stopping.abort();
    await expect(clock.settle(written)).rejects.toThrow('The store is away');
    expect(settler.late).toBe(0);
  });
});

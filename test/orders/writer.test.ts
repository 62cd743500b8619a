import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attempt, AttemptState, OrderTruth } from '../../server/journal/attempt.ts';
import type { Journal } from '../../server/journal/journal.ts';
import { silentLog } from '../../server/log.ts';
import { PendingWrite, type Step } from '../../server/orders/writer.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { attempt } from './parts.ts';

interface Weather {
  /** The store is away from here on, this long; ms. */
  awayAt: number;
  awayMs: number;
  /** Writes of these numbers are carried out and their acknowledgement is lost. */
  lost: number[];
  latencyMs: number;
}

const CALM: Weather = { awayAt: 0, awayMs: 0, lost: [], latencyMs: 1 };

class Store extends MemoryJournal {
  readonly committed: AttemptState[] = [];
  /** Kinds of the events written, in order. */
  readonly noted: string[] = [];
  readonly truths: (OrderTruth | undefined)[] = [];
  /** What every write is refused with, while there is one. */
  refusal: Error | null = null;
  asked = 0;
  readonly #clock: VirtualClock;
  readonly #weather: Weather;
  #writes = 0;

  constructor(clock: VirtualClock, weather: Weather) {
    super();
    this.#clock = clock;
    this.#weather = weather;
  }

  override move: Journal['move'] = async (...args) => {
    const { awayAt, awayMs, lost, latencyMs } = this.#weather;
    this.asked += 1;
    await this.#clock.sleep(latencyMs);
    const at = this.#clock.mono();
    if (at >= awayAt && at < awayAt + awayMs) throw new Error('The store is away');
    if (this.refusal) throw this.refusal;
    const moved = await MemoryJournal.prototype.move.apply(this, args);
    this.committed.push(args[1]);
    this.noted.push(args[3].kind);
    this.truths.push(args[5]);
    this.#writes += 1;
    await this.#clock.sleep(latencyMs);
    if (lost.includes(this.#writes)) throw new Error('Connection lost');
    return moved;
  };

  override note: Journal['note'] = async (event) => {
    this.noted.push(event.kind);
  };
}

const text = '{"success":true}';
const accepted: Step = { to: 'ACCEPTED', change: { orderId: '1001', brokerAnswer: '{}' }, event: { kind: 'order.accepted' } };
const done: Step = { to: 'DONE', change: { response: text, filledQuantity: 10 }, event: { kind: 'order.done' } };
const order: AttemptState[] = ['ACCEPTED', 'DONE'];

/** An attempt in SENDING in a store under a sky, and its writer. */
async function sending(sky: Weather = CALM, change: Partial<Attempt> = {}) {
  const clock = new VirtualClock();
  const store = new Store(clock, sky);
  const sent = attempt(change);
  await store.begin(sent, { kind: 'order.sending' }, clock.now());
  const stopping = new AbortController();
  const write = new PendingWrite({ clock, journal: store, log: silentLog(), stop: stopping.signal }, attempt());
  const settled = () => clock.settle(write.settled());
  const record = () => store.find(sent.key, clock.now());
  const elsewhere = (to: AttemptState, facts: Parameters<Journal['move']>[2]) =>
    MemoryJournal.prototype.move.call(store, sent, to, facts, { kind: 'theirs' }, clock.now());
  return { clock, store, write, stopping, settled, record, elsewhere, sent };
}

const weather = fc.record({
  awayAt: fc.integer({ min: 0, max: 3000 }),
  awayMs: fc.integer({ min: 0, max: 15_000 }),
  lost: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }),
  latencyMs: fc.integer({ min: 0, max: 400 }),
});

describe('what became of a sent order', () => {
  it('is written in order and once, however long the store stays away and whatever acknowledgement is lost', async () => {
    await fc.assert(
      fc.asyncProperty(weather, fc.integer({ min: 0, max: 3000 }), async (sky, pollMs) => {
        const { clock, store, write, settled, record } = await sending(sky);
        const began = clock.mono();
        write.take(accepted);
        await settled();
        expect(clock.mono() - began).toBeLessThanOrEqual(10_000);
        await clock.pass(pollMs);
        write.take(done);
        const stored = await settled();
        expect(stored).toBe(write.stored);
        if (stored) expect((await record())?.state).toBe('DONE');
        await clock.pass(30_000);
        expect(await record()).toMatchObject({ state: 'DONE', orderId: '1001', response: text, filledQuantity: 10 });
        expect([write.stored, write.superseded]).toEqual([true, false]);
        expect(store.committed.filter((state) => state === 'DONE')).toHaveLength(1);
        const ranks = store.committed.map((state) => order.indexOf(state));
        expect(ranks).toEqual([...ranks].sort());
        // Each event at least once; an acknowledgement that was lost may repeat the note of a merged one.
        expect(new Set(store.noted)).toEqual(new Set(['order.accepted', 'order.done']));
      }),
      { numRuns: 500 },
    );
  });
  it('survives an outage whose first write was carried out and never acknowledged', async () => {
    const { write, settled, record } = await sending({ awayAt: 5, awayMs: 14_000, lost: [1], latencyMs: 2 });
    write.take(accepted);
    expect(await settled()).toBe(false);
    write.take(done);
    expect(await settled()).toBe(true);
    expect(await record()).toMatchObject({ state: 'DONE' });
  });
  it('is merged while it waits: the newest state, all changes, what is known of the order, and every event', async () => {
    const { clock, store, write, record } = await sending({ ...CALM, awayMs: 20_000 });
    const truth: OrderTruth = { orderId: '1001', status: 'PLACED', filledQuantity: 0, averagePrice: null };
    write.take({ ...accepted, truth });
    await clock.pass(100);
    write.take(done);
    await clock.pass(30_000);
    expect(await record()).toMatchObject({ state: 'DONE', orderId: '1001', brokerAnswer: '{}', response: text });
    expect([store.noted, store.committed, store.truths]).toEqual([['order.accepted', 'order.done'], ['DONE'], [truth]]);
  });
  it('writes each event once when the later step comes in while the earlier is being written', async () => {
    const { store, write, settled } = await sending({ ...CALM, latencyMs: 50 });
    write.take(accepted);
    write.take(done);
    expect(await settled()).toBe(true);
    expect([store.noted, store.committed]).toEqual([
      ['order.accepted', 'order.done'],
      ['ACCEPTED', 'DONE'],
    ]);
  });
  it('is tried again every 30 s where the store refuses it for what it holds, and stands when that is over', async () => {
    const { clock, store, write, record } = await sending();
    store.refusal = Object.assign(new Error('duplicate key value violates unique constraint'), { code: '23505' });
    write.take(accepted);
    await clock.pass(10_000);
    const early = store.asked;
    await clock.pass(60_000);
    expect([early < 8, store.asked - early]).toEqual([true, 2]);
    expect([write.stored, write.superseded]).toEqual([false, false]);
    store.refusal = null;
    await clock.pass(30_100);
    expect(await record()).toMatchObject({ state: 'ACCEPTED' });
    expect(write.stored).toBe(true);
  });
  it('is not given up because the store is away for an hour', async () => {
    const { clock, write, record } = await sending({ ...CALM, awayMs: 3_600_000 });
    write.take(done);
    await clock.pass(3_602_000);
    expect(await record()).toMatchObject({ state: 'DONE' });
  });
  it('ends with a stop', async () => {
    const { clock, store, write, stopping } = await sending({ ...CALM, awayMs: 3_600_000 });
    write.take(done);
    await clock.pass(1000);
    stopping.abort();
    await clock.pass(1);
    const { asked } = store;
    await clock.pass(60_000);
    expect(store.asked - asked).toBeLessThanOrEqual(1);
  });
});

describe('a write that finds the record elsewhere', () => {
  it('is done when the record stands where this very write leads: its acknowledgement was lost', async () => {
    const { write, settled, elsewhere, record } = await sending();
    const stored = await elsewhere('DONE', { response: text });
    write.take(done);
    expect([await settled(), write.superseded]).toEqual([true, false]);
    expect(await record()).toEqual(stored);
  });
  it('goes on from an earlier step of its own', async () => {
    const { write, settled, elsewhere, record } = await sending();
    await elsewhere('ACCEPTED', { orderId: '1001' });
    write.take(done);
    expect(await settled()).toBe(true);
    expect(await record()).toMatchObject({ state: 'DONE', orderId: '1001', response: text });
  });
  it.each([
    ['with another answer', 'DONE', { response: '{"success":false}' }],
    ['in another final state', 'NOT_SENT', { response: text }],
  ] as const)('is superseded where the record is final %s', async (_, state, change) => {
    const { write, settled, elsewhere, record } = await sending();
    const standing = await elsewhere(state, change);
    write.take(done);
    expect([await settled(), write.superseded, write.stored]).toEqual([false, true, false]);
    expect(await record()).toEqual(standing);
  });
  it.each([
    ['another owner has it', { owner: 'process-2' }],
    ['another epoch has it', { epoch: 2 }],
    ['another attempt has its key', { tag: 'another' }],
  ])('is superseded where %s, however far that one is', async (_, change) => {
    for (const state of ['ACCEPTED', 'DONE'] as const) {
      const { write, settled, elsewhere, record } = await sending(CALM, change);
      const standing = await elsewhere(state, { response: text });
      write.take(done);
      expect([await settled(), write.superseded]).toEqual([false, true]);
      expect(await record()).toEqual(standing);
    }
  });
  it('is superseded where the record is gone', async () => {
    const { write, settled, store, sent } = await sending();
    await store.withdraw(sent, { kind: 'gone' });
    write.take(done);
    expect([await settled(), write.superseded]).toEqual([false, true]);
  });
});

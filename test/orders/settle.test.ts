import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../server/log.ts';
import { type Attempt, type AttemptState, type Journal, SupersededError } from '../../server/orders/attempt.ts';
import { MemoryJournal } from '../../server/orders/memory-journal.ts';
import { Settler, type Step } from '../../server/orders/settle.ts';
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

class Store extends MemoryJournal {
  readonly committed: AttemptState[] = [];
  /** Kinds of the events written, in order. */
  readonly noted: string[] = [];
  /** What every write is refused with, while there is one. */
  refusal: Error | null = null;
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
    await this.#clock.sleep(latencyMs);
    const at = this.#clock.mono();
    if (at >= awayAt && at < awayAt + awayMs) throw new Error('The store is away');
    if (this.refusal) throw this.refusal;
    const moved = await MemoryJournal.prototype.move.apply(this, args);
    this.committed.push(args[1]);
    this.noted.push(args[3].kind);
    this.#writes += 1;
    await this.#clock.sleep(latencyMs);
    if (lost.includes(this.#writes)) throw new Error('Connection lost');
    return moved;
  };

  override note: Journal['note'] = async (event) => {
    this.noted.push(event.kind);
  };
}

const accepted: Step = { to: 'ACCEPTED', change: { orderId: '1001', brokerAnswer: '{}' }, event: { kind: 'order.accepted' } };
const done: Step = { to: 'DONE', change: { response: '{"success":true}', filledQuantity: 10 }, event: { kind: 'order.done' } };
const order: AttemptState[] = ['ACCEPTED', 'DONE'];

async function sending(clock: VirtualClock, weather: Weather): Promise<{ store: Store; settler: Settler; attempt: Attempt }> {
  const store = new Store(clock, weather);
  const claimed = attempt();
  await store.claim(claimed, clock.now());
  const moved = await MemoryJournal.prototype.move.call(store, claimed, 'SENDING', {}, { kind: 'order.sending' }, clock.now());
  return { store, attempt: moved, settler: new Settler({ clock, journal: store, log: silentLog(), stop: new AbortController().signal }) };
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
        const clock = new VirtualClock();
        const { store, settler, attempt: sent } = await sending(clock, sky);
        const began = clock.mono();
        const first = await clock.settle(settler.write(sent, accepted));
        expect(first.attempt).toMatchObject({ state: 'ACCEPTED', orderId: '1001' });
        expect(clock.mono() - began).toBeLessThanOrEqual(10_000);
        await clock.pass(pollMs);
        const second = await clock.settle(settler.write(first.attempt, done));
        expect(second.attempt).toMatchObject({ state: 'DONE', orderId: '1001', filledQuantity: 10 });
        const answered = await store.find(sent.key, clock.now());
        if (second.stored) expect(answered?.state).toBe('DONE');
        // A write that ends in the very moment the patience does is told as not stored, and stands.
        else expect(settler.held(sent.key) ?? answered).toMatchObject({ state: 'DONE', response: '{"success":true}' });
        await clock.pass(30_000);
        expect(await store.find(sent.key, clock.now())).toMatchObject({
          state: 'DONE',
          orderId: '1001',
          response: '{"success":true}',
          filledQuantity: 10,
        });
        expect(settler.held(sent.key)).toBeUndefined();
        expect(settler.late).toBe(0);
        expect(store.committed.filter((state) => state === 'DONE')).toHaveLength(1);
        const ranks = store.committed.map((state) => order.indexOf(state));
        expect(ranks).toEqual([...ranks].sort());
      }),
      { numRuns: 1500 },
    );
  });
  it('survives an outage whose first write was carried out and never acknowledged', async () => {
    const clock = new VirtualClock();
    const { store, settler, attempt: sent } = await sending(clock, { awayAt: 5, awayMs: 14_000, lost: [1], latencyMs: 2 });
    const first = await clock.settle(settler.write(sent, accepted));
    expect(first.stored).toBe(false);
    expect((await clock.settle(settler.write(first.attempt, done))).stored).toBe(true);
    expect(await store.find(sent.key, clock.now())).toMatchObject({ state: 'DONE' });
  });
  it('keeps the event of every step, also of one that was merged into a later one', async () => {
    const clock = new VirtualClock();
    const { store, settler, attempt: sent } = await sending(clock, { awayAt: 0, awayMs: 20_000, lost: [], latencyMs: 2 });
    const first = await clock.settle(settler.write(sent, accepted));
    await clock.settle(settler.write(first.attempt, done));
    await clock.pass(30_000);
    expect(await store.find(sent.key, clock.now())).toMatchObject({ state: 'DONE' });
    expect(store.noted).toEqual(['order.accepted', 'order.done']);
  });
  it('writes each event once when the later step comes in while the earlier is being written', async () => {
    const clock = new VirtualClock();
    const { store, settler, attempt: sent } = await sending(clock, { awayAt: 0, awayMs: 0, lost: [], latencyMs: 50 });
    const first = settler.write(sent, accepted);
    const second = settler.write({ ...sent, state: 'ACCEPTED', orderId: '1001' }, done);
    await clock.settle(Promise.all([first, second]));
    expect(store.noted).toEqual(['order.accepted', 'order.done']);
  });
  it('gives a step up that the store refuses for what it holds, and goes on trying while it is only away', async () => {
    const clock = new VirtualClock();
    const { store, settler, attempt: sent } = await sending(clock, { awayAt: 0, awayMs: 0, lost: [], latencyMs: 1 });
    store.refusal = Object.assign(new Error('duplicate key value violates unique constraint'), { code: '23505' });
    await expect(clock.settle(settler.write(sent, accepted))).rejects.toThrow('duplicate key');
    expect(settler.held(sent.key)).toBeUndefined();
    store.refusal = null;
    expect((await clock.settle(settler.write(sent, accepted))).stored).toBe(true);
  });
  it('stops where another process has the attempt', async () => {
    const clock = new VirtualClock();
    const { store, settler, attempt: sent } = await sending(clock, { awayAt: 0, awayMs: 0, lost: [], latencyMs: 1 });
    await store.takeOver(sent, 'process-2');
    await expect(clock.settle(settler.write(sent, accepted))).rejects.toThrow(SupersededError);
    expect(settler.held(sent.key)).toBeUndefined();
  });
});

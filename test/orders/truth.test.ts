import { describe, expect, it } from 'vitest';
import { Bell, seededRandom } from '../../server/clock.ts';
import { type Fill, FillView, POLL_MS, pollFill } from '../../server/orders/fill.ts';
import { truthOf } from '../../server/orders/steps.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { orderRow } from './parts.ts';

describe('one look at an order', () => {
  it.each([
    ['REJECTED', 0, 'REJECTED'],
    ['CANCELLED', 0, 'REJECTED'],
    ['CANCELLED', 4, 'PARTIALLY_FILLED'],
    ['EXPIRED', 0, 'REJECTED'],
    ['EXPIRED', 4, 'PARTIALLY_FILLED'],
    ['FILLED', 10, 'FILLED'],
  ] as const)('settles it when it says %s with %i of 10: %s', async (state, filled_quantity, status) => {
    const clock = new VirtualClock();
    const row = orderRow({ state, filled_quantity, average_price: filled_quantity > 0 ? 100 : null });
    const quiet = { signal: new AbortController().signal, news: new Bell() };
    const fill = await clock.settle(pollFill({ clock, random: seededRandom(1), view: new FillView(), read: async () => row, ...quiet }));
    expect([fill.status, clock.mono()]).toEqual([status, 0]);
  });
  it.each([
    ['FILLED', 4, 'PARTIALLY_FILLED'],
    ['FILLED', 0, 'UNKNOWN'],
    ['UNKNOWN', 0, 'UNKNOWN'],
    ['TRANSIT', 0, 'UNKNOWN'],
  ] as const)('settles nothing when it says %s with %i of 10: %s after 8 s', async (state, filled_quantity, status) => {
    const clock = new VirtualClock();
    const row = orderRow({ state, filled_quantity, average_price: filled_quantity > 0 ? 100 : null });
    const quiet = { signal: new AbortController().signal, news: new Bell() };
    const fill = await clock.settle(pollFill({ clock, random: seededRandom(1), view: new FillView(), read: async () => row, ...quiet }));
    expect([fill.status, clock.mono()]).toEqual([status, POLL_MS]);
  });
  it('is not enough for an order that rests, whichever way: two are, half a second apart', () => {
    for (const state of ['OPEN', 'TRIGGER_PENDING'] as const) {
      const view = new FillView();
      view.see(orderRow({ state }), 0);
      expect(view.settled()).toBe(false);
      view.see(orderRow({ state }), 500);
      expect(view.settled()).toBe(true);
      expect(view.result().status).toBe('PENDING');
    }
  });
  it('before the first settles nothing', () => {
    expect(new FillView().settled()).toBe(false);
  });
});

describe('a poll', () => {
  /** Begin of each read, ms from the start of the poll, when each takes so long. */
  async function reads(takesMs: number, stopAt?: number): Promise<{ at: number[]; tookMs: number }> {
    const clock = new VirtualClock();
    await clock.pass(5000);
    const began = clock.mono();
    const at: number[] = [];
    const stopping = new AbortController();
    if (stopAt !== undefined) void clock.sleep(stopAt).then(() => stopping.abort());
    async function read() {
      at.push(clock.mono() - began);
      await clock.sleep(takesMs);
      return null;
    }
    const even = { next: () => 0.5, bytes: () => new Uint8Array() };
    await clock.settle(pollFill({ clock, random: even, view: new FillView(), read, signal: stopping.signal, news: new Bell() }));
    return { at, tookMs: clock.mono() - began };
  }
  it('reads at its moments and at its very end', async () => {
    expect(await reads(0)).toEqual({ at: [0, 100, 250, 500, 900, 1500, 2500, 3500, 4500, 5500, 6500, 7500, 8000], tookMs: 8000 });
  });
  it('leaves out the moments a slow read has used up, and still reads at its end', async () => {
    expect(await reads(300)).toEqual({ at: [0, 300, 900, 1500, 2500, 3500, 4500, 5500, 6500, 7500, 8000], tookMs: 8050 });
    expect((await reads(3000)).at).toEqual([0, 3500, 6500]);
  });
  it('ends with a stop, in the middle of a wait', async () => {
    expect(await reads(0, 1000)).toEqual({ at: [0, 100, 250, 500, 900], tookMs: 1000 });
  });
});

describe('what a row says of an order', () => {
  const fill = (filledQuantity: number, averagePrice: number): Fill => ({ status: 'UNKNOWN', filledQuantity, averagePrice, row: null });
  it.each([
    [{ state: 'OPEN', filled_quantity: 0 }, undefined, ['PLACED', 0, null]],
    [{ state: 'OPEN', filled_quantity: 4, average_price: 99 }, undefined, ['PARTIALLY_FILLED', 4, 99]],
    [{ state: 'FILLED', filled_quantity: 10, average_price: 99 }, undefined, ['FILLED', 10, 99]],
    [{ state: 'CANCELLED', filled_quantity: 0, average_price: 99 }, undefined, ['CANCELLED', 0, null]],
    [{ state: 'CANCELLED', filled_quantity: 4, average_price: 99 }, undefined, ['CANCELLED', 4, 99]],
    [{ state: 'REJECTED', filled_quantity: 0 }, undefined, ['REJECTED', 0, null]],
    // A fill is booked with its price or not yet.
    [{ state: 'FILLED', filled_quantity: 10, average_price: null }, undefined, ['PLACED', 0, null]],
    [{ state: 'FILLED', filled_quantity: 10, average_price: null }, fill(10, 0), ['PLACED', 0, null]],
    [{ state: 'FILLED', filled_quantity: 10, average_price: null }, fill(10, 101), ['FILLED', 10, 101]],
    // Successive reads know more than the last one alone.
    [{ state: 'OPEN', filled_quantity: 2, average_price: 99 }, fill(4, 101), ['PARTIALLY_FILLED', 4, 101]],
    [{ state: 'OPEN', filled_quantity: 4, average_price: 99 }, fill(4, 0), ['PARTIALLY_FILLED', 4, 99]],
    [{ state: 'OPEN', filled_quantity: 4, average_price: 99 }, fill(2, 0), ['PARTIALLY_FILLED', 4, 99]],
  ] as const)('%o beside %o is %o', (row, seen, [status, filledQuantity, averagePrice]) => {
    expect(truthOf(orderRow(row), seen)).toEqual({ orderId: '1001', status, filledQuantity, averagePrice });
  });
});

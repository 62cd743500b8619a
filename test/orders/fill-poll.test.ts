import { describe, expect, it } from 'vitest';
import type { OrderRow } from '../../server/brokers/broker.ts';
import { Bell, type Random } from '../../server/clock.ts';
import { type Fill, FillView, pollFill } from '../../server/orders/fill.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { orderRow } from './parts.ts';

/** Spreads nothing: moments are as planned. */
const middle: Random = { next: () => 0.5, bytes: (count) => new Uint8Array(count) };
const MOMENTS = [0, 100, 250, 500, 900, 1500, 2500, 3500, 4500, 5500, 6500, 7500, 8000];
const filled = orderRow({ state: 'FILLED', filled_quantity: 10, average_price: 100 });
const transit = orderRow({ state: 'TRANSIT' });

/** One poll, and when its reads began, ms from its start. */
class Polled {
  readonly clock = new VirtualClock();
  readonly news = new Bell();
  readonly stop = new AbortController();
  readonly reads: number[] = [];
  readonly ended: Promise<{ fill: Fill; at: number }>;
  row: OrderRow | null = transit;
  readMs = (_read: number): number => 0;

  constructor(change: Partial<Pick<Polled, 'row' | 'readMs'>> = {}) {
    Object.assign(this, change);
    const { clock, news } = this;
    const read = async () => {
      this.reads.push(clock.mono());
      await clock.sleep(this.readMs(this.reads.length));
      return this.row;
    };
    const poll = pollFill({ clock, random: middle, view: new FillView(), news, signal: this.stop.signal, read });
    this.ended = poll.then((fill) => ({ fill, at: clock.mono() }));
  }

  end() {
    return this.clock.settle(this.ended);
  }
}

describe('a poll', () => {
  it('reads at its moments until its end, where nothing settles', async () => {
    const polled = new Polled();
    expect(await polled.end()).toMatchObject({ at: 8000, fill: { status: 'UNKNOWN', row: transit } });
    expect(polled.reads).toEqual(MOMENTS);
  });
  it('ends with the read that settles it', async () => {
    const polled = new Polled();
    await polled.clock.pass(600);
    polled.row = filled;
    expect(await polled.end()).toMatchObject({ at: 900, fill: { status: 'FILLED', filledQuantity: 10 } });
    expect(polled.reads).toEqual([0, 100, 250, 500, 900]);
  });
  it('goes on where a read tells nothing', async () => {
    const polled = new Polled({ row: null });
    expect(await polled.end()).toEqual({ at: 8000, fill: { status: 'UNKNOWN', filledQuantity: 0, averagePrice: 0, row: null } });
    expect(polled.reads).toEqual(MOMENTS);
  });
  it('leaves out the moments that a slow read has used up', async () => {
    const polled = new Polled({ readMs: (read) => (read === 1 ? 700 : 0) });
    await polled.end();
    expect(polled.reads).toEqual([0, ...MOMENTS.slice(4)]);
  });
  it.each([
    [150, [0, 150, 250]],
    [151, [0, 250]],
  ])('begins a moment of 100 ms after a read of %s ms, unless that is over 50 ms late', async (ms, reads) => {
    const polled = new Polled({ readMs: (read) => (read === 1 ? ms : 0) });
    await polled.end();
    expect(polled.reads.slice(0, reads.length)).toEqual(reads);
  });
  it('waits for no read beyond its end, and gives one that begins there 50 ms', async () => {
    const hanging = new Polled({ readMs: (read) => (read === 12 ? 100_000 : 0) });
    expect(await hanging.end()).toMatchObject({ at: 8000 });
    expect(hanging.reads).toHaveLength(12);
    const last = new Polled({ readMs: (read) => (read === 13 ? 100_000 : 0) });
    expect(await last.end()).toMatchObject({ at: 8050 });
    const late = new Polled({ readMs: (read) => (read === 13 ? 49 : 0) });
    await late.clock.pass(7900);
    late.row = filled;
    expect(await late.end()).toMatchObject({ at: 8049, fill: { status: 'FILLED' } });
  });
});

describe('news of an order', () => {
  it('are read at once, beside the planned moments', async () => {
    const polled = new Polled();
    await polled.clock.pass(300);
    polled.news.ring();
    await polled.clock.pass(0);
    expect(polled.reads).toEqual([0, 100, 250, 300]);
    await polled.end();
    expect(polled.reads).toEqual([...MOMENTS, 300].sort((a, b) => a - b));
  });
  it('end the poll where they settle it', async () => {
    const polled = new Polled();
    await polled.clock.pass(300);
    polled.row = filled;
    polled.news.ring();
    expect(await polled.end()).toMatchObject({ at: 300, fill: { status: 'FILLED' } });
  });
  it('that come while a read runs are read after it', async () => {
    const polled = new Polled({ readMs: (read) => (read === 3 ? 100 : 0) });
    await polled.clock.pass(300);
    polled.news.ring();
    await polled.end();
    expect(polled.reads.slice(0, 5)).toEqual([0, 100, 250, 350, 500]);
  });
});

describe('who stops a poll', () => {
  it('waits for no moment and begins no read any more', async () => {
    const polled = new Polled();
    await polled.clock.pass(300);
    polled.stop.abort();
    expect(await polled.end()).toMatchObject({ at: 300, fill: { status: 'UNKNOWN', row: transit } });
    expect(polled.reads).toEqual([0, 100, 250]);
  });
  it('hears what the read under way told', async () => {
    const polled = new Polled({ row: orderRow({ filled_quantity: 4, average_price: 100 }), readMs: () => 30 });
    await polled.clock.pass(10);
    polled.stop.abort();
    expect(await polled.end()).toMatchObject({ at: 30, fill: { status: 'PARTIALLY_FILLED', filledQuantity: 4 } });
    expect(polled.reads).toEqual([0]);
  });
  it('together with news gets no read more', async () => {
    const polled = new Polled();
    await polled.clock.pass(300);
    polled.stop.abort();
    polled.news.ring();
    await polled.end();
    expect(polled.reads).toEqual([0, 100, 250]);
  });
});

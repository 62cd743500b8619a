import { describe, expect, it } from 'vitest';
import { Entry } from '../../server/orders/entry.ts';
import { Instrument, type PositionSource } from '../../server/orders/instrument.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { attempt } from './parts.ts';

const NAME = { exchange: 'NSE', symbol: 'SBIN', token: '779521' };

class Stand {
  readonly clock = new VirtualClock();
  /** The newest positions hold a row of it that nobody can read. */
  unread = false;
  /** What the source was asked about fills placed elsewhere. */
  readonly asked: unknown[] = [];
  readonly instrument: Instrument;

  constructor(source: Partial<PositionSource> = {}) {
    this.instrument = new Instrument(this.clock, NAME, {
      ...{ positionsLagMs: 5000, holdingsFall: undefined, sellable: () => 0, wasRead: () => true },
      unread: ({ symbol }) => this.unread && symbol === NAME.symbol,
      filledElsewhere: (...asked) => {
        this.asked.push(asked);
        return 3;
      },
      ...source,
    });
  }

  read(nets: Record<string, number>): void {
    this.instrument.read(new Map(Object.entries(nets)), this.clock.mono());
  }

  add(tag: string, facts: Parameters<typeof attempt>[0] = {}, stage: Entry['stage'] = 'unknown'): Entry {
    const entry = new Entry(`k:${tag}`, 'hash', 0);
    entry.hold(attempt({ tag, ...facts }));
    entry.stage = stage;
    this.instrument.add(entry);
    return entry;
  }

  situation(side: string, product = 'INTRADAY', positionAlone = false) {
    return this.instrument.situation({ side, product, positionAlone }, true);
  }

  /** Waits in the queue until the order needs no turn any more; tells whether it has left. */
  async waiting(overtakes: () => boolean): Promise<() => boolean> {
    let left = false;
    await this.instrument.queue.enter(0, () => false);
    void this.instrument.queue.enter(10_000, overtakes).then(() => {
      left = true;
    });
    await this.clock.pass(1);
    return () => left;
  }
}

const range = (low: number, high = low) => ({ low, high });

describe('what is believed of an instrument', () => {
  it('is what our records add up to, before the first read', () => {
    const { instrument } = new Stand();
    instrument.recorded('INTRADAY', 4);
    instrument.recorded('INTRADAY', -10);
    instrument.recorded('DELIVERY', 2);
    expect([...instrument.products()]).toEqual([
      ['INTRADAY', range(-6)],
      ['DELIVERY', range(2)],
    ]);
  });
  it('is left as it is by positions that cannot be read for it', () => {
    const stand = new Stand();
    stand.read({ INTRADAY: 10 });
    stand.unread = true;
    expect(stand.instrument.unreadable).toBe(true);
    stand.read({});
    expect(stand.situation('SELL').own).toEqual(range(10));
    stand.unread = false;
    stand.read({});
    expect(stand.situation('SELL').own).toEqual(range(0));
  });
  it('is taken on from another key of it, and does not replace what is known here', () => {
    const [here, there] = [new Stand(), new Stand()];
    here.read({ INTRADAY: 1 });
    there.read({ INTRADAY: 5, DELIVERY: 7 });
    there.instrument.name = 'SBIN-EQ';
    here.instrument.absorb(there.instrument);
    expect([...here.instrument.products()]).toEqual([
      ['INTRADAY', range(1)],
      ['DELIVERY', range(7)],
    ]);
    expect(here.instrument.name).toBe('SBIN-EQ');
    there.instrument.name = 'SBIN';
    here.instrument.absorb(there.instrument);
    expect(here.instrument.name).toBe('SBIN-EQ');
  });
  it.each([
    ['BUY', 'SELL', 6, [0, 6]],
    ['SELL', 'BUY', -6, [-6, 0]],
  ] as const)('is something while a %s may be in it or not', (side, other, net, left) => {
    const stand = new Stand();
    const resting = stand.add('in', { side, quantity: 6 }, 'resting');
    stand.read({ INTRADAY: net });
    resting.filled += 6;
    stand.instrument.filled(resting, 6);
    const out = stand.add('out', { side: other, quantity: 6 }, 'over');
    stand.instrument.filled(out, 6);
    resting.stage = 'over';
    stand.instrument.sweep();
    expect([...stand.instrument.orders]).toEqual([]);
    const { low, high } = stand.situation('BUY').own;
    expect([low + 0, high + 0, stand.instrument.idle]).toEqual([...left, false]);
  });
  it('does not take what a read shows of one product for an order in another', () => {
    const stand = new Stand();
    stand.read({ INTRADAY: 10 });
    stand.add('out', { side: 'SELL', product: 'CARRYFORWARD', quantity: 10 });
    stand.read({ INTRADAY: 4 });
    expect(stand.situation('SELL').own).toEqual(range(4));
  });
  it.each([
    [5000, range(7)],
    [5001, range(10)],
  ])('is left alone by a read of %s ms after a fill that it does not show, as long as positions may lag', async (ms, own) => {
    const stand = new Stand();
    stand.read({ INTRADAY: 10 });
    const out = stand.add('out', { side: 'SELL', quantity: 3 }, 'over');
    await stand.clock.pass(1);
    stand.instrument.filled(out, 3);
    await stand.clock.pass(ms - 1);
    stand.read({ INTRADAY: 10 });
    expect(stand.situation('SELL').own).toEqual(own);
  });
  it('may lack a young fill where an order at rest explains what else a read shows', async () => {
    const stand = new Stand();
    stand.read({ INTRADAY: 10 });
    stand.add('in', { quantity: 6 }, 'resting');
    const out = stand.add('out', { side: 'SELL', quantity: 3 }, 'over');
    await stand.clock.pass(1000);
    stand.instrument.filled(out, 3);
    await stand.clock.pass(1000);
    stand.read({ INTRADAY: 16 });
    expect(stand.situation('SELL').own.low).toBe(13);
  });
});

describe('an order whose fate is not known', () => {
  it('of the other side may have filled, in its product and in the sum', () => {
    const stand = new Stand();
    stand.read({ INTRADAY: 10 });
    stand.add('out', { side: 'SELL', quantity: 4 });
    stand.add('in', { product: 'CARRYFORWARD', quantity: 5 });
    expect(stand.situation('BUY')).toMatchObject({ own: range(6, 10), sum: range(6, 10), unknown: { own: 0, sum: 5 } });
    expect(stand.situation('SELL')).toMatchObject({ own: range(10), sum: range(10, 15), unknown: { own: 4, sum: 4 } });
    expect(stand.situation('SELL', 'CARRYFORWARD')).toMatchObject({ own: range(0, 5), unknown: { own: 0, sum: 4 } });
  });
  it('at rest does not widen what is believed', () => {
    const stand = new Stand();
    stand.read({ INTRADAY: 10 });
    stand.add('out', { side: 'SELL', quantity: 4 }, 'resting');
    expect(stand.situation('BUY')).toMatchObject({ own: range(10), sum: range(10) });
    expect(stand.situation('SELL')).toMatchObject({ own: range(10), working: 4, unresolved: null });
  });
  it('is named while something of it is open', () => {
    const stand = new Stand();
    stand.add('whole', { quantity: 7, filledQuantity: 7 });
    expect(stand.situation('BUY').unresolved).toBeNull();
    stand.add('part', { quantity: 7, filledQuantity: 2 });
    expect(stand.situation('BUY').unresolved).toBe('the order with tag part (BUY 7)');
    expect(stand.situation('SELL').unresolved).toBeNull();
  });
});

describe('a delivery order', () => {
  it('that is to reduce the position alone sells nothing of what is held', () => {
    const stand = new Stand({ sellable: () => 30 });
    stand.read({ DELIVERY: 5 });
    expect(stand.situation('SELL', 'DELIVERY', true).own).toEqual(range(5));
    stand.read({ DELIVERY: -5 });
    expect(stand.situation('SELL', 'DELIVERY', true).own).toEqual(range(-5));
    expect(stand.situation('BUY', 'DELIVERY', true).own).toEqual(range(-5));
    expect(stand.situation('BUY', 'DELIVERY').own).toEqual(range(0));
  });
  it('asks what is held under one of its names, for its own product and for the sum', () => {
    const names: unknown[] = [];
    const stand = new Stand({
      sellable: (name) => {
        names.push(name);
        return 0;
      },
    });
    stand.situation('SELL', 'DELIVERY');
    expect(names).toEqual([NAME, NAME]);
  });
  it('that may have bought widens what another may sell, and leaves what is held', () => {
    const stand = new Stand({ sellable: () => 20 });
    stand.add('in', { product: 'DELIVERY', quantity: 6 });
    expect(stand.situation('SELL', 'DELIVERY').own).toEqual(range(20, 26));
    expect(stand.situation('SELL', 'INTRADAY').sum).toEqual(range(0, 6));
  });
});

it('what orders placed elsewhere filled is asked for this side, product and name, and only when it is needed', () => {
  const stand = new Stand();
  const order = { side: 'SELL', product: 'INTRADAY', positionAlone: false };
  const { elsewhere } = stand.situation('SELL');
  expect(stand.asked).toEqual([]);
  expect(elsewhere()).toBe(3);
  expect(stand.asked).toEqual([[NAME, order, Number.NEGATIVE_INFINITY, []]]);
});

describe('an entry that waits', () => {
  it('leaves once a fill of ours makes it one that only reduces', async () => {
    const stand = new Stand();
    stand.read({});
    const resting = stand.add('in', { quantity: 6 }, 'resting');
    const sell = { ...NAME, side: 'SELL', product: 'INTRADAY', quantity: 6 };
    const left = await stand.waiting(() => stand.instrument.reduces(sell));
    expect(left()).toBe(false);
    resting.filled += 6;
    stand.instrument.filled(resting, 6);
    await stand.clock.pass(1);
    expect(left()).toBe(true);
  });
  it('leaves once positions that are read make it one that only reduces', async () => {
    const stand = new Stand();
    const left = await stand.waiting(() => stand.instrument.reduces({ ...NAME, side: 'SELL', product: 'INTRADAY', quantity: 6 }));
    stand.read({ INTRADAY: 5 });
    await stand.clock.pass(1);
    expect(left()).toBe(false);
    stand.read({ INTRADAY: 6 });
    await stand.clock.pass(1);
    expect(left()).toBe(true);
  });
  it('leaves once the order beside it is over', async () => {
    const stand = new Stand();
    stand.read({ INTRADAY: 10 });
    const beside = stand.add('out', { side: 'SELL', quantity: 5 });
    const left = await stand.waiting(() => stand.instrument.reduces({ ...NAME, side: 'SELL', product: 'INTRADAY', quantity: 6 }));
    stand.instrument.sweep();
    await stand.clock.pass(1);
    expect(left()).toBe(false);
    beside.stage = 'over';
    stand.instrument.sweep();
    await stand.clock.pass(1);
    expect(left()).toBe(true);
  });
});

it('an instrument keeps its name while something is held', () => {
  const { instrument } = new Stand();
  instrument.recorded('INTRADAY', 4);
  instrument.name = 'SBIN-EQ';
  instrument.sweep();
  expect(instrument.name).toBe('SBIN-EQ');
});

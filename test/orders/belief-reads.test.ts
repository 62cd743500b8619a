import { describe, expect, it } from 'vitest';
import type { ModelOrder, Question } from '../guard-model/model.ts';
import { HandClock, RealBook } from '../guard-model/real-book.ts';
import { spellings } from '../guard-model/venue.ts';

const [[sbin] = [], [infy] = []] = spellings;
const LAG_MS = 5000;

/** One account, told reads and orders at moments of a clock that moves by hand. */
class Desk {
  readonly clock = new HandClock();
  readonly book = new RealBook(this.clock, { lagMs: LAG_MS, holdingsFall: undefined });
  #sent = 0;

  get name() {
    if (!sbin) throw new Error('No spelling');
    return sbin;
  }

  /** Positions read from now on, and heard 10 ms later. */
  reads(nets: Partial<Record<'INTRADAY' | 'CARRYFORWARD', number>>, beganAt = this.clock.ms): void {
    this.clock.ms += 10;
    const rows = (['INTRADAY', 'CARRYFORWARD'] as const).map((product) => ({ name: this.name, product, net: nets[product] ?? 0 }));
    this.book.hearPositions(
      rows.filter(({ net }) => net !== 0),
      [],
      beganAt,
    );
    this.clock.ms += 10;
  }

  sends(side: 'BUY' | 'SELL', quantity: number, product: ModelOrder['product'] = 'INTRADAY'): ModelOrder {
    const order: ModelOrder = { id: ++this.#sent, instrument: 0, product, side, quantity, seen: 0, stage: 'unknown' };
    this.book.send(order, this.name);
    return order;
  }

  /** The order book shows it. */
  shows(order: ModelOrder, filled: number, stage?: 'resting' | 'over'): void {
    this.clock.ms += 10;
    const state = filled === order.quantity ? ('FILLED' as const) : ('OPEN' as const);
    this.book.hearOrders([{ order, name: this.name, quantity: order.quantity, filled, state }], this.clock.ms);
    if (stage) this.book.closed(order, stage);
  }

  asks(side: 'BUY' | 'SELL', quantity: number, change: Partial<Question> = {}) {
    const question: Question = {
      instrument: 0,
      product: 'INTRADAY',
      side,
      quantity,
      reduceOnly: false,
      guardOn: true,
      read: true,
      ...change,
    };
    return this.book.ask(question, this.name);
  }
}

describe('what positions show while orders are open', () => {
  it('lets out what an unknown order has bought, kill switch or not, and beside another exit', () => {
    const desk = new Desk();
    desk.reads({});
    desk.sends('BUY', 10);
    desk.reads({ INTRADAY: 10 });
    expect(desk.asks('SELL', 10)).toMatchObject({ blocked: false, onlyReduces: true, leavesWhenKilled: true });
    desk.sends('SELL', 4);
    expect(desk.asks('SELL', 6)).toMatchObject({ blocked: false, onlyReduces: true });
    expect(desk.asks('SELL', 7)).toMatchObject({ blocked: true });
  });
  it('holds what a resting order did apart from a young fill that is not shown yet', () => {
    const desk = new Desk();
    desk.reads({});
    const bought = desk.sends('BUY', 10);
    desk.shows(desk.sends('SELL', 4), 0, 'resting');
    desk.shows(bought, 10, 'over');
    // The 4 are sold already, the 10 are not shown: 6 are held.
    desk.reads({ INTRADAY: -4 });
    expect(desk.asks('BUY', 4)).toMatchObject({ blocked: true, onlyReduces: false });
    expect(desk.asks('SELL', 1).stored).toBe('not');
  });
  it('takes no earlier net for a newer one after an unseen fill was shown', () => {
    const desk = new Desk();
    desk.reads({});
    const order = desk.sends('BUY', 7);
    desk.shows(order, 3, 'resting');
    desk.reads({ INTRADAY: 6 });
    desk.reads({});
    expect(desk.asks('BUY', 1)).toMatchObject({ blocked: true });
    desk.clock.ms += LAG_MS;
    desk.reads({});
    expect(desk.asks('BUY', 1)).toMatchObject({ blocked: false });
  });
  it('stores no refusal that an unknown order of the other side may end', () => {
    const desk = new Desk();
    desk.reads({ INTRADAY: 10 });
    expect(desk.asks('BUY', 1)).toMatchObject({ blocked: true, stored: 'stored' });
    desk.sends('SELL', 9);
    expect(desk.asks('BUY', 1)).toMatchObject({ blocked: true, stored: 'stored' });
    desk.sends('SELL', 1, 'CARRYFORWARD');
    expect(desk.asks('BUY', 1)).toMatchObject({ blocked: true, stored: 'not' });
  });
  it('is the worse of two after a restart: young fills are in the first read or not', () => {
    const desk = new Desk();
    desk.reads({ INTRADAY: 7 });
    const order = desk.sends('SELL', 8);
    desk.shows(order, 8, 'over');
    desk.book.restart([desk.name], new Map([['0 INTRADAY', -8]]), [{ order, quantity: 8, agoMs: 10 }]);
    desk.reads({ INTRADAY: -1 });
    expect(desk.asks('BUY', 2)).toMatchObject({ onlyReduces: false });
    expect(desk.asks('BUY', 1)).toMatchObject({ blocked: false, onlyReduces: true });
  });
});

describe('positions reads', () => {
  it('in doubt of an instrument are held against it, also where nothing was known of it', () => {
    const desk = new Desk();
    desk.book.begin(desk.name);
    desk.book.hearPositions([], [desk.name], 5);
    expect(desk.asks('BUY', 1)).toMatchObject({ readable: false, blocked: true, stored: 'briefly' });
    desk.book.hearPositions([], infy ? [infy] : [], 6);
    expect(desk.asks('BUY', 1)).toMatchObject({ readable: true, blocked: false });
  });
  it('that began before the newest one say nothing, also where the newest one named no position', () => {
    const desk = new Desk();
    desk.book.begin(desk.name);
    desk.reads({}, 9);
    desk.reads({ INTRADAY: 5 }, 8);
    expect(desk.asks('BUY', 1)).toMatchObject({ blocked: false });
  });
});

import { describe, expect, it } from 'vitest';
import type { ModelOrder, Question } from '../guard-model/model.ts';
import { HandClock, RealBook } from '../guard-model/real-book.ts';
import { spellings } from '../guard-model/venue.ts';

const [[sbin] = [], [infy] = []] = spellings;
const LAG_MS = 5000;

/** One account, told reads and orders at moments of a clock that moves by hand. */
class Scenario {
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
    const scenario = new Scenario();
    scenario.reads({});
    scenario.sends('BUY', 10);
    scenario.reads({ INTRADAY: 10 });
    expect(scenario.asks('SELL', 10)).toMatchObject({ blocked: false, onlyReduces: true, leavesWhenKilled: true });
    scenario.sends('SELL', 4);
    expect(scenario.asks('SELL', 6)).toMatchObject({ blocked: false, onlyReduces: true });
    expect(scenario.asks('SELL', 7)).toMatchObject({ blocked: true });
  });
  it('holds what a resting order did apart from a young fill that is not shown yet', () => {
    const scenario = new Scenario();
    scenario.reads({});
    const bought = scenario.sends('BUY', 10);
    scenario.shows(scenario.sends('SELL', 4), 0, 'resting');
    scenario.shows(bought, 10, 'over');
    // The 4 are sold already, the 10 are not shown: 6 are held.
    scenario.reads({ INTRADAY: -4 });
    expect(scenario.asks('BUY', 4)).toMatchObject({ blocked: true, onlyReduces: false });
    expect(scenario.asks('SELL', 1).stored).toBe('not');
  });
  it('takes no earlier net for a newer one after an unseen fill was shown', () => {
    const scenario = new Scenario();
    scenario.reads({});
    const order = scenario.sends('BUY', 7);
    scenario.shows(order, 3, 'resting');
    scenario.reads({ INTRADAY: 6 });
    scenario.reads({});
    expect(scenario.asks('BUY', 1)).toMatchObject({ blocked: true });
    scenario.clock.ms += LAG_MS;
    scenario.reads({});
    expect(scenario.asks('BUY', 1)).toMatchObject({ blocked: false });
  });
  it('stores no refusal that an unknown order of the other side may end', () => {
    const scenario = new Scenario();
    scenario.reads({ INTRADAY: 10 });
    expect(scenario.asks('BUY', 1)).toMatchObject({ blocked: true, stored: 'stored' });
    scenario.sends('SELL', 9);
    expect(scenario.asks('BUY', 1)).toMatchObject({ blocked: true, stored: 'stored' });
    scenario.sends('SELL', 1, 'CARRYFORWARD');
    expect(scenario.asks('BUY', 1)).toMatchObject({ blocked: true, stored: 'not' });
  });
  it('is the worse of two after a restart: young fills are in the first read or not', () => {
    const scenario = new Scenario();
    scenario.reads({ INTRADAY: 7 });
    const order = scenario.sends('SELL', 8);
    scenario.shows(order, 8, 'over');
    scenario.book.restart([scenario.name], new Map([['0 INTRADAY', -8]]), [{ order, quantity: 8, agoMs: 10 }]);
    scenario.reads({ INTRADAY: -1 });
    expect(scenario.asks('BUY', 2)).toMatchObject({ onlyReduces: false });
    expect(scenario.asks('BUY', 1)).toMatchObject({ blocked: false, onlyReduces: true });
  });
});

describe('positions reads', () => {
  it('in doubt of an instrument are held against it, also where nothing was known of it', () => {
    const scenario = new Scenario();
    scenario.book.begin(scenario.name);
    scenario.book.hearPositions([], [scenario.name], 5);
    expect(scenario.asks('BUY', 1)).toMatchObject({ readable: false, blocked: true, stored: 'briefly' });
    scenario.book.hearPositions([], infy ? [infy] : [], 6);
    expect(scenario.asks('BUY', 1)).toMatchObject({ readable: true, blocked: false });
  });
  it('that began before the newest one say nothing, also where the newest one named no position', () => {
    const scenario = new Scenario();
    scenario.book.begin(scenario.name);
    scenario.reads({}, 9);
    scenario.reads({ INTRADAY: 5 }, 8);
    expect(scenario.asks('BUY', 1)).toMatchObject({ blocked: false });
  });
});

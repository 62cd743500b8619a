import { describe, expect, it } from 'vitest';
import { silentLog } from '../../server/log.ts';
import { Endings } from '../../server/orders/endings.ts';
import { Entry } from '../../server/orders/entry.ts';
import { Instrument } from '../../server/orders/instrument.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { attempt } from './parts.ts';

function stand() {
  const clock = new VirtualClock();
  const journal = new MemoryJournal();
  const endings = new Endings({ clock, journal, log: silentLog(), stop: new AbortController().signal });
  const traits = { positionsLagMs: 5000, holdingsFall: undefined, sellable: () => 0, unread: () => false, filledElsewhere: () => 0 };
  const instrument = new Instrument(clock, { exchange: 'NSE', symbol: 'SBIN', token: null }, traits);
  /** An order that was begun just now; its answer is stored. */
  async function order(key: string, side = 'BUY'): Promise<Entry> {
    const entry = new Entry(key, 'hash', clock.mono());
    const standing = attempt({ key, tag: `tag${key}`, side, state: 'DONE', response: '{}', expiresAt: clock.now() + 60_000 });
    await journal.begin(standing, { kind: 'order.done' }, clock.now());
    entry.hold(standing);
    return entry;
  }
  /** An order's answer is stored; returns what says that it was delivered. */
  const sent = (entry: Entry) => endings.sent(entry, instrument);
  const filled = (entry: Entry, where = instrument) => endings.filled(entry, where);
  const stands = async (key: string) => {
    await clock.pass(1);
    return (await journal.find(key, clock.now())) !== null;
  };
  return { clock, journal, endings, instrument, order, stands, sent, filled };
}

describe("a fingerprint's answer", () => {
  it('ends once an opposite order, begun after it was delivered, has filled', async () => {
    const { clock, order, stands, sent, filled } = stand();
    sent(await order('f:in'))();
    await clock.pass(10);
    filled(await order('k:out', 'SELL'));
    expect(await stands('f:in')).toBe(false);
  });
  it.each<[string, string, boolean, number]>([
    ['on its own side', 'BUY', true, 10],
    ['begun before it was delivered', 'SELL', true, -10],
    ['begun in that moment', 'SELL', true, 0],
    ['while it was never delivered', 'SELL', false, 10],
  ])('stays when an order fills %s', async (_, side, delivered, afterMs) => {
    const { clock, order, stands, sent, filled } = stand();
    const written = sent(await order('f:in'));
    await clock.pass(10);
    const early = await order('k:early', side);
    if (afterMs < 0) await clock.pass(10);
    if (delivered) written();
    if (afterMs > 0) await clock.pass(afterMs);
    filled(afterMs > 0 ? await order('k:late', side) : early);
    expect(await stands('f:in')).toBe(true);
  });
  it('is delivered once: the first time counts', async () => {
    const { clock, order, stands, sent, filled } = stand();
    const written = sent(await order('f:in'));
    written();
    await clock.pass(10);
    const out = await order('k:out', 'SELL');
    await clock.pass(10);
    written();
    filled(out);
    expect(await stands('f:in')).toBe(false);
  });
  it('stays when another instrument fills, and when the order was taken over from an earlier process', async () => {
    const { clock, order, stands, sent, filled } = stand();
    sent(await order('f:in'))();
    await clock.pass(10);
    const traits = { positionsLagMs: 5000, holdingsFall: undefined, sellable: () => 0, unread: () => false, filledElsewhere: () => 0 };
    filled(await order('k:out', 'SELL'), new Instrument(clock, { exchange: 'NSE', symbol: 'INFY', token: null }, traits));
    const old = new Entry('k:old', 'hash', null);
    old.hold(attempt({ side: 'SELL' }));
    filled(old);
    expect(await stands('f:in')).toBe(true);
  });
  it('of a caller’s key stays for all its life', async () => {
    const { clock, order, stands, sent, filled } = stand();
    sent(await order('k:in'))();
    await clock.pass(10);
    filled(await order('k:out', 'SELL'));
    expect(await stands('k:in')).toBe(true);
  });
});

describe('what an open position blocked', () => {
  it('ends with any fill in its instrument, and its own order’s is none', async () => {
    const { endings, instrument, order, stands, filled } = stand();
    const blocked = await order('k:blocked');
    endings.blocked(instrument, { key: 'k:blocked', tag: blocked.tag }, 60_000);
    filled(blocked);
    expect(await stands('k:blocked')).toBe(true);
    filled(await order('k:other', 'BUY'));
    expect(await stands('k:blocked')).toBe(false);
  });
  it('ends also where the fill came in while it was being stored', async () => {
    const { clock, journal, endings, instrument, order, stands, filled } = stand();
    const stored = endings.blocked(instrument, { key: 'k:blocked', tag: 'tagk:blocked' }, 60_000);
    filled(await order('k:other'));
    await clock.pass(10);
    await order('k:blocked');
    expect(await journal.find('k:blocked', clock.now())).not.toBeNull();
    stored();
    expect(await stands('k:blocked')).toBe(false);
  });
  it('does not end a later answer under the same key', async () => {
    const { endings, instrument, order, stands, filled } = stand();
    await order('k:blocked');
    endings.blocked(instrument, { key: 'k:blocked', tag: 'another' }, 60_000);
    filled(await order('k:other'));
    expect(await stands('k:blocked')).toBe(true);
  });
});

describe('an end that is being written', () => {
  it('is waited for by its key, and tried again until it stands', async () => {
    const { clock, journal, endings, instrument, order, filled } = stand();
    const blocked = await order('k:blocked');
    endings.blocked(instrument, { key: 'k:blocked', tag: blocked.tag }, 60_000);
    const end = journal.end.bind(journal);
    journal.end = () => Promise.reject(new Error('The store is away'));
    filled(await order('k:other'));
    let over = false;
    void endings.over('k:blocked').then(() => {
      over = true;
    });
    await endings.over('k:stranger');
    await clock.pass(3000);
    expect(over).toBe(false);
    journal.end = end;
    await clock.pass(600);
    expect([over, await journal.find('k:blocked', clock.now())]).toEqual([true, null]);
  });
  it('is given up when the answer has ended by itself', async () => {
    const { clock, journal, endings, instrument, order, filled } = stand();
    const blocked = await order('k:blocked');
    endings.blocked(instrument, { key: 'k:blocked', tag: blocked.tag }, 5000);
    let asked = 0;
    journal.end = () => {
      asked += 1;
      return Promise.reject(new Error('The store is away'));
    };
    filled(await order('k:other'));
    await clock.pass(60_000);
    const seen = asked;
    await clock.pass(60_000);
    expect([asked, seen > 5]).toEqual([seen, true]);
  });
});

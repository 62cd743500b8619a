import { describe, expect, it } from 'vitest';
import type { HoldingRow, Listing, OrderRow } from '../../server/brokers/broker.ts';
import { tradedBySymbol } from '../../server/brokers/instrument.ts';
import type { OpenOrderRecord } from '../../server/journal/journal.ts';
import { silentLog } from '../../server/log.ts';
import { AccountBook } from '../../server/orders/account-book.ts';
import { Endings } from '../../server/orders/endings.ts';
import { Entry } from '../../server/orders/entry.ts';
import { type LeftBehind, nothingLeft } from '../../server/orders/left-behind.ts';
import { accountOf } from '../support/account.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { Core } from './core.ts';
import { attempt, orderRow, START } from './parts.ts';

const DAY_MS = 86_400_000;
const YESTERDAY = '2026-11-19';
const begun = { kind: 'order.sending' };
const filledBefore = { state: 'FILLED', status: 'FILLED', filled_quantity: 10, average_price: 90 } as const;
const placedYesterday = { placed_at: new Date(START - DAY_MS).toISOString() };

/** A core that placed an order of yesterday under the id that its broker gives today as well. */
async function afterYesterday(): Promise<Core> {
  const core = new Core();
  const before = attempt({ key: 'k:before', tag: 'before', tradingDay: YESTERDAY, startedAt: START - DAY_MS, updatedAt: START - DAY_MS });
  await core.journal.begin(before, begun, START - DAY_MS);
  const truth = { orderId: '1001', status: 'FILLED', filledQuantity: 10, averagePrice: 90 } as const;
  await core.journal.move(before, 'DONE', { orderId: '1001', response: '{}', expiresAt: START + DAY_MS }, begun, START - DAY_MS, truth);
  return core;
}

describe('an order under an id of yesterday', () => {
  it('whose fate is unknown is not absent while an untagged row may be it', async () => {
    const core = await afterYesterday();
    core.broker.place = async (order) => {
      core.broker.book.push(core.broker.row(order, null));
      return { fate: 'unknown', order_id: '', message: 'HTTP 502' };
    };
    await core.place();
    await core.clock.pass(400_000);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS' });
    expect(core.journal.events.filter(({ kind }) => kind === 'order.candidates')).toHaveLength(1);
  });
  it('is not filled by what the book still shows of yesterday', async () => {
    const core = await afterYesterday();
    core.broker.book = [orderRow({ ...filledBefore, ...placedYesterday, tag: null })];
    core.broker.place = async () => ({ fate: 'accepted', order_id: '1001', message: 'taken', data: null });
    const { body } = await core.place();
    expect(body).toMatchObject({ fill_status: 'UNKNOWN' });
    core.broker.book.push(orderRow({ ...filledBefore, average_price: 100, tag: null }));
    await core.clock.pass(5000);
    expect(JSON.parse((await core.record())?.response ?? '')).toMatchObject({ fill_status: 'FILLED', avg_fill_price: 100 });
    const { orders, positions } = await core.journal.openRecords();
    expect([orders, positions]).toMatchObject([[], [{ net: 20 }]]);
  });
});

describe('the book of an account', () => {
  function stand(left: Partial<LeftBehind> = {}) {
    const clock = new VirtualClock('2026-11-20T10:00:00+05:30');
    let rows: OrderRow[] = [];
    const broker = standInBroker({
      traits: { tradedBy: tradedBySymbol, orderLimits: [], readLimits: [], unattended: true },
      orders: async (): Promise<Listing<OrderRow>> => ({ success: true, data: [], normalized: rows }),
      holdings: async (): Promise<Listing<HoldingRow>> => ({ success: true, data: [], normalized: [] }),
    });
    const account = accountOf(broker, clock);
    const endings = new Endings({ clock, journal: new MemoryJournal(), log: silentLog(), stop: new AbortController().signal });
    const book = new AccountBook(clock, account, { ...nothingLeft(), ...left }, endings);
    const show = async (...shown: OrderRow[]) => {
      rows = shown;
      await clock.settle(account.orderBook.next('orders'));
    };
    const working = () => book.instrument(attempt()).situation({ product: 'INTRADAY', side: 'BUY' }, true).working;
    return { book, show, working };
  }
  function entryOf(change: Parameters<typeof attempt>[0], stage: Entry['stage']): Entry {
    const entry = new Entry('k:one', 'hash', 0);
    entry.hold(attempt({ orderId: '1001', ...change }));
    entry.stage = stage;
    return entry;
  }
  const before = { tag: 'before', tradingDay: YESTERDAY, startedAt: START - DAY_MS };
  const record = (change: Partial<OpenOrderRecord>): OpenOrderRecord => ({
    ...{ broker: 'zerodha', account: 'TEST1', exchange: 'NSE', symbol: 'SBIN', token: null, product: 'INTRADAY', side: 'BUY' },
    ...{ orderId: '1001', orderType: 'LIMIT', quantity: 10, filledQuantity: 0, price: '90', external: false, tradingDay: '2026-11-20' },
    ...change,
  });

  it('ends what rested under an id when the id comes again', () => {
    const { book, working } = stand();
    book.add(entryOf(before, 'resting'), book.instrument(attempt()));
    expect(working()).toBe(10);
    const entry = entryOf({ quantity: 3 }, 'resting');
    book.add(entry, book.instrument(attempt()));
    expect(working()).toBe(3);
    expect(book.order('1001')).toBe(entry);
  });
  it('takes the row of a new order for no fill of the old one, nor the old row for the new one', async () => {
    const { book, show } = stand();
    const old = entryOf(before, 'resting');
    book.add(old, book.instrument(attempt()));
    await show(orderRow({ filled_quantity: 4, tag: null }));
    expect([old.filled, old.stage]).toEqual([0, 'over']);
    const entry = entryOf({}, 'resting');
    book.add(entry, book.instrument(attempt()));
    await show(orderRow({ ...filledBefore, ...placedYesterday, tag: null }));
    expect([entry.filled, entry.stage]).toEqual([0, 'resting']);
    await show(orderRow({ filled_quantity: 4, tag: null }));
    expect(entry.filled).toBe(4);
  });
  it('goes by the tag before the id', async () => {
    const { book, show } = stand();
    const [old, sent] = [entryOf({ ...before, tradingDay: '2026-11-20' }, 'resting'), entryOf({ orderId: '', tag: 'sent' }, 'unknown')];
    for (const entry of [old, sent]) book.add(entry, book.instrument(attempt()));
    await show(orderRow({ filled_quantity: 4, tag: 'SENT' }));
    expect([old.filled, sent.filled]).toEqual([0, 4]);
  });
  it.each([
    ['newest first', ['2026-11-20', YESTERDAY]],
    ['oldest first', [YESTERDAY, '2026-11-20']],
  ])('begins with the newest of two records under one id, %s', (_, days) => {
    const orders = days.map((tradingDay) => record({ tradingDay, quantity: tradingDay === YESTERDAY ? 7 : 10 }));
    const { working } = stand({ orders });
    expect(working()).toBe(10);
  });
  it("counts today's record beside an attempt of yesterday that is still open", () => {
    const { book, working } = stand({ entries: [{ entry: entryOf(before, 'unknown'), filled: 0 }], orders: [record({ quantity: 3 })] });
    expect(working()).toBe(3);
    expect(book.order('1001')?.day).toBe('2026-11-20');
  });
});

import { describe, expect, it } from 'vitest';
import type { SharedRead } from '../../server/brokers/shared-read.ts';
import { silentLog } from '../../server/log.ts';
import { nothingLeft } from '../../server/orders/left-behind.ts';
import { LiveBook } from '../../server/orders/live-book.ts';
import { accountOf } from '../support/account.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { Core } from './core.ts';
import { attempt, restingRecord } from './parts.ts';
import { forever } from './stalled.ts';

function stand() {
  const clock = new VirtualClock('2026-11-20T10:00:00+05:30', 7000);
  const journal = new MemoryJournal();
  const book = new LiveBook({ clock, journal, log: silentLog(), stop: new AbortController().signal });
  return { clock, journal, book };
}

describe('what the store does not hold yet', () => {
  it('is told as the orders with such a step, and the age of the oldest', async () => {
    const core = new Core();
    expect(core.orders.lag()).toEqual({ orders: 0, oldestMs: 0 });
    core.broker.place = async () => ({ fate: 'accepted', order_id: '' });
    core.away = (name) => name === 'move';
    void core.ask();
    await core.clock.pass(1500);
    void core.ask({ idempotency_key: 'two', symbol: 'INFY' });
    await core.clock.pass(200);
    // What was not sent waits for nothing.
    core.broker.readPositions = forever;
    void core.ask({ idempotency_key: 'three', symbol: 'TCS' });
    await core.clock.pass(300);
    expect(core.orders.lag()).toEqual({ orders: 2, oldestMs: 2000 });
    core.clock.step(-60_000);
    expect(core.orders.lag()).toEqual({ orders: 2, oldestMs: 0 });
    core.clock.step(60_000);
    core.away = () => false;
    await core.clock.pass(1500);
    expect(core.orders.lag()).toEqual({ orders: 0, oldestMs: 0 });
  });
});

describe('a key', () => {
  it('is taken by the order that claims it, from now on', () => {
    const { book } = stand();
    const entry = book.claim('k:one', 'hash');
    expect(entry).toMatchObject({ key: 'k:one', requestHash: 'hash', begunAt: 7000 });
    expect([book.entry('k:one'), book.entry('k:two'), book.entries()]).toEqual([entry, undefined, [entry]]);
  });
  it('is free once its order is released, and not by an order that had it before', () => {
    const { book } = stand();
    const before = book.claim('k:one', 'hash');
    book.release(before);
    expect(book.entry('k:one')).toBeUndefined();
    const entry = book.claim('k:one', 'hash');
    book.release(before);
    expect(book.entry('k:one')).toBe(entry);
  });
  it('may have a record once one stands under it, or stood at the start', async () => {
    const { clock, journal, book } = stand();
    await journal.begin(attempt({ key: 'k:left', state: 'DONE', expiresAt: null }), { kind: 'left' }, clock.now());
    await journal.begin(attempt({ key: 'k:expired', state: 'DONE', expiresAt: clock.now() }), { kind: 'left' }, clock.now());
    await book.learnKeys(journal);
    book.stands('k:new');
    expect(['k:left', 'k:expired', 'k:new', 'k:unheard'].map((key) => book.mayStand(key))).toEqual([true, false, true, false]);
  });
  it('may always have one once more than 200,000 stand', async () => {
    const { journal, book } = stand();
    const asked: number[] = [];
    const keys = Array.from({ length: 199_999 }, (_, index) => `k:${index}`);
    journal.livingKeys = async (_, limit) => {
      asked.push(limit);
      return keys;
    };
    await book.learnKeys(journal);
    book.stands('k:last');
    expect([asked, book.mayStand('k:7'), book.mayStand('k:last'), book.mayStand('k:unheard')]).toEqual([[200_000], true, true, false]);
    book.stands('k:more');
    expect([book.mayStand('k:more'), book.mayStand('k:unheard')]).toEqual([true, true]);
    book.stands('k:still more');
    expect(book.mayStand('k:unheard')).toBe(true);
    journal.livingKeys = async () => null;
    await book.learnKeys(journal);
    expect(book.mayStand('k:unheard')).toBe(true);
    journal.livingKeys = async () => [];
    await book.learnKeys(journal);
    expect(book.mayStand('k:7')).toBe(false);
  });
});

describe('the book of an account', () => {
  it('hears every sign-in of it, each once, however often it is asked for', async () => {
    const { clock, book } = stand();
    const money = { average_price: null, last_price: null, realized_pnl: null, unrealized_pnl: null, multiplier: 1 };
    const row = { symbol: 'SBIN', token: null, exchange: 'NSE', product_type: 'INTRADAY', net_quantity: 10, ...money };
    const broker = standInBroker({ positions: async () => ({ success: true, data: [], normalized: [row] }) });
    let listeners = 0;
    function counted<Answer>(read: SharedRead<Answer>): void {
      const listen = read.listen.bind(read);
      Object.assign(read, {
        listen(listener: Parameters<typeof listen>[0]) {
          listeners += 1;
          return listen(listener);
        },
      });
    }
    const signIn = () => {
      const account = accountOf(broker, clock);
      counted(account.positions);
      counted(account.orderBook);
      counted(account.holdings);
      return account;
    };
    const [first, second] = [signIn(), signIn()];
    expect(book.of(first)).toBe(book.of(first));
    expect(listeners).toBe(3);
    expect([book.of(second), book.of(second)]).toEqual([book.of(first), book.of(first)]);
    expect(listeners).toBe(6);
    await clock.settle(second.positions.next('orders'));
    expect(book.of(first).living()).toHaveLength(1);
  });
  it('is its own at each broker, under each id, with what was left of that account alone, once', () => {
    const { clock, book } = stand();
    const record = restingRecord({ broker: 'dhan', account: 'TEST1' });
    book.leftBehind('dhan', 'TEST1').orders.push(record);
    const dhan = standInBroker();
    const [left, ...others] = [
      book.of(accountOf(dhan, clock)),
      book.of(accountOf(dhan, clock, { id: 'TEST2' })),
      book.of(accountOf(standInBroker({ id: 'zerodha' }), clock)),
    ];
    expect(left?.order('77')).toMatchObject({ orderId: '77' });
    for (const other of others) expect([other.living(), other.order('77'), other === left]).toEqual([[], undefined, false]);
    expect(book.leftBehind('dhan', 'TEST1')).toEqual(nothingLeft());
  });
});

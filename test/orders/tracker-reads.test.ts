import { describe, expect, it } from 'vitest';
import type { ReadRank } from '../../server/brokers/read-budget.ts';
import { accountOf } from '../support/account.ts';
import { Core } from './core.ts';
import { orderRow } from './parts.ts';
import { ended, lost } from './tracker-lost.ts';

const unseen = { state: 'TRANSIT', filled_quantity: 0, average_price: null } as const;

describe('the reads of an order whose fate is not known', () => {
  it('go before those of reconciliation and of callers', async () => {
    const { core } = await lost();
    const ranks: ReadRank[] = [];
    const next = core.account.orderBook.next.bind(core.account.orderBook);
    core.account.orderBook.next = (rank: ReadRank) => {
      ranks.push(rank);
      return next(rank);
    };
    await core.clock.pass(8000);
    expect(ranks).toEqual(['orders', 'orders', 'orders']);
  });
  it('end with a stop, and the order stays listed for whoever asks until the process is gone', async () => {
    const { core } = await lost();
    await core.clock.pass(100);
    const { reads } = core.broker;
    await core.clock.settle(core.orders.stop());
    await core.clock.pass(600_000);
    expect(core.broker.reads).toBe(reads);
    expect(core.orders.unresolved()).toMatchObject([{ key: 'k:one', state: 'AMBIGUOUS' }]);
    expect(core.orders.hasOpen(core.account)).toBe(true);
  });
  it('end with the word of a person, and nothing of it is open any more', async () => {
    const { core } = await lost();
    core.broker.ordersByTag = async () => ({ success: false, message: 'HTTP 503' });
    await core.clock.pass(300_000);
    const { reads } = core.broker;
    await core.clock.settle(core.orders.resolve('k:one', { kind: 'absent', by: 'me@here', reason: 'not in the console' }));
    await core.clock.pass(0);
    expect([core.orders.hasOpen(core.account), core.broker.reads - reads]).toEqual([false, 0]);
    await core.clock.pass(300_000);
    expect(core.broker.reads).toBe(reads);
  });
  it('are heard from the first of a new sign-in on, whatever they tell of other orders', async () => {
    const { core, show } = await lost();
    show(unseen);
    await core.clock.pass(2000);
    core.broker.place = async (order, tag) => {
      core.broker.book.push(core.broker.row(order, tag, { order_id: '77', symbol: 'INFY', state: 'OPEN', filled_quantity: 0 }));
      return { fate: 'accepted', order_id: '77' };
    };
    await core.place({ idempotency_key: 'two', symbol: 'INFY', token: '1594', order_type: 'LIMIT', price: 90 });
    expect(core.orders.resting(core.account)).toMatchObject([{ orderId: '77', filled: 0 }]);
    const before = core.account;
    Object.assign(core, { account: accountOf(core.broker, core.clock, { id: before.id }) });
    core.broker.book = core.broker.book.map((row) => (row.order_id === '77' ? { ...row, filled_quantity: 4, average_price: 90 } : row));
    await core.clock.pass(5000);
    expect(core.orders.resting(before)).toMatchObject([{ orderId: '77', filled: 4 }]);
  });
  it('go on where what they tell cannot be made an answer, which is said each time', async () => {
    const core = new Core();
    await core.leave('AMBIGUOUS', { response: '{"success":false}', brokerAnswer: 'HTTP 502' });
    core.broker.book = [orderRow({ state: 'FILLED', filled_quantity: 10, average_price: 100 })];
    await core.clock.settle(core.orders.recover());
    await core.clock.pass(3500);
    const told = { key: 'k:one', error: expect.stringContaining('SyntaxError'), msg: 'Following an order failed; it is tried again' };
    expect(core.logged).toEqual([expect.objectContaining({ level: 50, ...told }), expect.objectContaining({ level: 50, ...told })]);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS', orderId: '1001' });
  });
  it('keep their pace where it rests and the price of what has filled does not show', async () => {
    const { core, show, began } = await lost();
    const readAt: number[] = [];
    show({ state: 'OPEN', filled_quantity: 4, average_price: null });
    core.broker.readBook = async () => {
      readAt.push(core.clock.mono() - began - 8000);
      return { success: true, data: [], normalized: core.broker.book };
    };
    await core.clock.pass(20_000);
    // Once quickly more, because it may have been about to fill.
    expect(readAt).toEqual([1000, 2000, 4000, 8000, 13_000, 18_000]);
    expect(core.orders.unresolved()).toMatchObject([{ orderId: '1001', state: 'AMBIGUOUS' }]);
  });
  it('that fail show no fill whose price never came, one that succeeds after 180 s does', async () => {
    const { core, show } = await lost();
    show({ average_price: null });
    await core.clock.pass(172_001);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS', orderId: '1001' });
    const { readBook } = core.broker;
    core.broker.readBook = () => Promise.reject(new Error('reset'));
    await core.clock.pass(60_000);
    core.broker.readBook = async () => ({ success: false, message: 'HTTP 503' });
    await core.clock.pass(60_000);
    core.readable = false;
    await core.clock.pass(60_000);
    expect(await ended(core)).toEqual({ state: 'AMBIGUOUS', fillStatus: 'UNKNOWN', afterMs: null });
    core.readable = true;
    core.broker.readBook = readBook;
    await core.clock.pass(60_000);
    expect(await ended(core)).toEqual({ state: 'DONE', fillStatus: 'FILLED', afterMs: 420_000 });
  });
});

describe('rows that nobody can tell apart', () => {
  it('are all named where two carry the tag of the order', async () => {
    const { core, show } = await lost();
    show({ order_id: '7' });
    show({ order_id: '8' });
    await core.clock.pass(200_000);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS', orderId: '' });
    const [open] = core.orders.unresolved();
    expect(open && (await core.orders.candidates(open))).toEqual(['7', '8']);
  });
  it('also where the store has given the row to this very order', async () => {
    const { core } = await lost();
    const record = await core.record();
    if (record) await core.journal.move(record, 'AMBIGUOUS', { orderId: '55' }, { kind: 'order.found' }, core.clock.now());
    core.broker.book = [orderRow({ tag: null, order_id: '55' })];
    await core.clock.pass(200_000);
    expect(core.orders.unresolved()).toMatchObject([{ state: 'AMBIGUOUS' }]);
    expect(core.trail().at(-1)).toMatchObject({ kind: 'order.candidates', detail: { candidates: ['55'] } });
  });
  it('are not named any more once the order is found', async () => {
    const { core, show } = await lost();
    core.broker.book = [orderRow({ tag: null, order_id: '7' })];
    await core.clock.pass(10_000);
    show(unseen);
    await core.clock.pass(10_000);
    const [open] = core.orders.unresolved();
    expect(open).toMatchObject({ orderId: '1001' });
    expect(open && (await core.orders.candidates(open))).toEqual([]);
  });
});

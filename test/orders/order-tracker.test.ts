import { describe, expect, it } from 'vitest';
import { Core } from './core.ts';
import { orderRow } from './parts.ts';
import { lost } from './tracker-lost.ts';

describe('the search after an UNKNOWN', () => {
  it('reads after 1, 2 and 4 s, then every 5 s to 180 s, then every minute', async () => {
    const { core, began } = await lost();
    core.broker.ordersByTag = async () => ({ success: false, message: 'HTTP 503' });
    const readAt: number[] = [];
    core.broker.readBook = async () => {
      readAt.push(core.clock.mono() - began - 8000);
      return { success: true, data: [], normalized: [] };
    };
    await core.clock.pass(400_000);
    const everyFive = Array.from({ length: 33 }, (_, index) => 12_000 + index * 5000);
    expect(readAt).toEqual([1000, 3000, 7000, ...everyFive, 232_000, 292_000, 352_000]);
  });
  it('replaces the stored answer once when the truth arrives, and leaves its trail', async () => {
    const { core, show, first } = await lost();
    expect(core.orders.unresolved()).toMatchObject([{ key: 'k:one', state: 'AMBIGUOUS' }]);
    show();
    await core.clock.pass(1000);
    expect(core.trail().slice(2)).toEqual([
      { kind: 'order.unknown', detail: { fill_status: 'UNKNOWN', filled: 0 } },
      { kind: 'order.found', detail: { order_id: '1001' } },
      { kind: 'order.resolved', detail: { fill_status: 'FILLED', filled: 10 } },
    ]);
    expect(core.truths).toEqual([
      { orderId: '1001', status: 'FILLED', filledQuantity: 10, averagePrice: 100.5 },
      { orderId: '1001', status: 'FILLED', filledQuantity: 10, averagePrice: 100.5 },
    ]);
    expect(await core.record()).toMatchObject({ state: 'DONE', orderId: '1001', resolvedAt: core.clock.now() });
    const { body, headers } = await core.place();
    expect(body).not.toEqual(first.body);
    expect(body).toMatchObject({ success: true, order_id: '1001', fill_status: 'FILLED', message: 'HTTP 502' });
    expect(headers).toHaveProperty('Order-Resolved-At');
    expect(core.orders.unresolved()).toEqual([]);
  });
  it.each(['session', 'live'] as const)('reads at once when a session or its order updates come up (%s)', async (reason) => {
    const { core, show } = await lost();
    core.readable = false;
    await core.clock.pass(300_000);
    core.readable = true;
    show();
    for (const other of ['change', 'quiet', 'records'] as const) core.orders.wake(other);
    await core.clock.pass(10);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS' });
    core.orders.wake(reason);
    await core.clock.pass(10);
    expect(await core.record()).toMatchObject({ state: 'DONE' });
  });
  it('reads at once on news of its order, or of one that may be it, and not of another', async () => {
    const { core, show } = await lost();
    show({ state: 'TRANSIT', filled_quantity: 0, average_price: null });
    await core.clock.pass(300_000);
    expect(await core.record()).toMatchObject({ orderId: '1001', state: 'AMBIGUOUS' });
    for (const [news, reads] of [
      ['999', 0],
      ['1001', 1],
      [null, 1],
    ] as const) {
      const before = core.broker.reads;
      core.orders.wake('news', news);
      await core.clock.pass(10);
      expect(core.broker.reads - before).toBe(reads);
    }
  });
  it('of an order without an id is stirred by any news', async () => {
    const { core } = await lost();
    core.broker.ordersByTag = async () => ({ success: false, message: 'HTTP 503' });
    await core.clock.pass(300_000);
    const before = core.broker.reads;
    core.orders.wake('news', '999');
    await core.clock.pass(10);
    expect(core.broker.reads).toBe(before + 1);
  });
  it('survives reads that fail in every way', async () => {
    const { core, show } = await lost();
    core.broker.readBook = async () => ({ success: false, message: 'HTTP 503' });
    await core.clock.pass(4000);
    core.broker.readBook = () => Promise.reject(new Error('reset'));
    await core.clock.pass(10_000);
    core.broker.readBook = async () => ({ success: true, data: [], normalized: core.broker.book });
    show();
    await core.clock.pass(5000);
    expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'FILLED' });
  });
  it('ends where another hand has the record, and answers with what that one wrote', async () => {
    const { core, show } = await lost();
    const record = await core.record();
    if (!record) throw new Error('No record stands');
    const theirs = await core.journal.takeOver(record, 'process-2');
    const response = '{"success":false,"message":"theirs","fill_status":"REJECTED"}';
    await core.journal.move(theirs, 'DONE', { response, fillStatus: 'REJECTED' }, { kind: 'theirs' }, core.clock.now());
    show({ state: 'CANCELLED', filled_quantity: 0, average_price: null });
    await core.clock.pass(5000);
    expect(core.logged).toMatchObject([{ key: 'k:one', msg: expect.stringContaining('another hand') }]);
    expect(core.orders.unresolved()).toEqual([]);
    expect(JSON.stringify((await core.place()).body)).toBe(response);
    expect((await core.place({ idempotency_key: 'two' })).body).toMatchObject({ fill_status: 'UNKNOWN' });
  });
  it('goes on when a step is refused for good, from memory, and writes it when that is over', async () => {
    const { core, show } = await lost();
    const move = core.journal.move.bind(core.journal);
    core.journal.move = () => Promise.reject(Object.assign(new Error('duplicate key'), { code: '23505' }));
    show({ state: 'TRANSIT', filled_quantity: 0, average_price: null });
    await core.clock.pass(60_000);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS', orderId: '' });
    core.broker.book = [];
    show();
    await core.clock.pass(10_000);
    const reply = await core.place();
    expect(reply).toMatchObject({
      headers: { 'Idempotency-Stored': 'false' },
      body: { success: true, order_id: '1001', fill_status: 'FILLED' },
    });
    expect(core.logged).toContainEqual(expect.objectContaining({ level: 50, key: 'k:one', msg: expect.stringContaining('refuses') }));
    core.journal.move = move;
    await core.clock.pass(31_000);
    expect(await core.record()).toMatchObject({ state: 'DONE', orderId: '1001', filledQuantity: 10 });
    expect(core.broker.sends).toHaveLength(1);
  });
  it('goes on while the store is away, and frees the instrument with what it learned', async () => {
    const { core, show } = await lost();
    core.away = (name) => name === 'move';
    show({ state: 'CANCELLED', filled_quantity: 0, average_price: null });
    await core.clock.pass(1500);
    core.broker.place = async () => ({ fate: 'not_sent', order_id: '', message: 'Refused' });
    void core.ask({ idempotency_key: 'two' });
    await core.clock.pass(100);
    expect(core.broker.sends).toHaveLength(2);
    core.away = () => false;
    await core.clock.pass(5000);
    expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'REJECTED' });
  });
  it('finds its order when the broker writes the tag in other letters', async () => {
    const { core, tag } = await lost();
    core.broker.book = [orderRow({ tag: tag.toUpperCase(), state: 'FILLED', filled_quantity: 10, average_price: 100.5 })];
    await core.clock.pass(1100);
    expect(await core.record()).toMatchObject({ state: 'DONE', orderId: '1001', fillStatus: 'FILLED' });
  });
  it('ends with a stop', async () => {
    const { core } = await lost();
    await core.clock.settle(core.orders.stop());
    const { reads } = core.broker;
    core.orders.wake('session');
    await core.clock.pass(600_000);
    expect(core.broker.reads).toBe(reads);
  });
  it('takes a fill whose price never shows after 180 s, and books nothing without its price', async () => {
    const { core, show } = await lost();
    show({ average_price: null });
    await core.clock.pass(160_000);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS', fillStatus: 'UNKNOWN' });
    await core.clock.pass(80_000);
    expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'FILLED', filledQuantity: 10 });
    expect(core.truths.at(-1)).toEqual({ orderId: '1001', status: 'PLACED', filledQuantity: 0, averagePrice: null });
  });
  it('and so one that rests, filled in part: it holds up nothing for as long as it rests', async () => {
    const { core, show } = await lost();
    show({ state: 'OPEN', filled_quantity: 4, average_price: null });
    await core.clock.pass(160_000);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS', fillStatus: 'UNKNOWN' });
    await core.clock.pass(90_000);
    expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'PARTIALLY_FILLED', filledQuantity: 4 });
    expect(core.truths.at(-1)).toEqual({ orderId: '1001', status: 'PLACED', filledQuantity: 0, averagePrice: null });
  });
});

describe('an order that shows late', () => {
  it.each(['OPEN', 'TRIGGER_PENDING'] as const)(
    'and is read as %s once may be about to fill: it rests when it is read so again',
    async (state) => {
      const { core, show } = await lost();
      show({ state, filled_quantity: 0, average_price: null });
      await core.clock.pass(1100);
      expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS', orderId: '1001' });
      await core.clock.pass(2000);
      expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'PENDING' });
    },
  );
  it('after 180 s and rests is read again within a second, not a minute later', async () => {
    const { core, show } = await lost();
    core.readable = false;
    await core.clock.pass(300_000);
    core.readable = true;
    show({ state: 'OPEN', filled_quantity: 0, average_price: null });
    await core.clock.pass(61_500);
    expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'PENDING' });
  });
  it('in a read that was under way when a person settled it changes nothing any more', async () => {
    const { core, show } = await lost();
    show();
    const { readBook } = core.broker;
    core.broker.readBook = async () => {
      await core.clock.sleep(5000);
      return await readBook();
    };
    await core.clock.pass(2000);
    await core.clock.settle(core.orders.resolve('k:one', { kind: 'absent', by: 'me@here', reason: 'looked at the console' }));
    const end = await core.record();
    expect(end).toMatchObject({ state: 'DONE', fillStatus: 'REJECTED' });
    await core.clock.pass(100_000);
    expect(await core.record()).toEqual(end);
    expect(core.trail().at(-1)?.kind).toBe('order.settled');
  });
});

describe('rows that are not ours', () => {
  it('keep the order UNKNOWN when they carry no tag and fit, named once in the trail', async () => {
    const { core } = await lost();
    core.broker.book = [orderRow({ tag: null, order_id: '7' }), orderRow({ tag: null, order_id: '8' })];
    await core.clock.pass(600_000);
    const noted = core.journal.events.filter((event) => event.kind === 'order.candidates');
    const about = { broker: 'zerodha', account: 'AB1234', symbol: 'SBIN', key: 'k:one' };
    expect(noted).toEqual([{ kind: 'order.candidates', ...about, detail: { candidates: ['7', '8'], tag: expect.any(String) } }]);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS', orderId: '' });
    core.broker.book = [orderRow({ tag: null, order_id: '78' })];
    await core.clock.pass(60_000);
    expect(core.trail().at(-1)).toEqual({ kind: 'order.candidates', detail: { candidates: ['78'], tag: expect.any(String) } });
  });
  it.each([
    ['another spelling of the symbol', { symbol: 'SBIN-EQ' }],
    ['no time', { placed_at: null }],
    ['other letters', { symbol: 'nse:sbin' }],
  ])('and have %s prevent that it is called absent', async (_, change) => {
    const { core } = await lost();
    core.broker.book = [orderRow({ tag: null, order_id: '7', ...change })];
    await core.clock.pass(400_000);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS', orderId: '' });
  });
  it('prove nothing for two minutes after they are gone', async () => {
    const { core } = await lost();
    await core.clock.pass(100_000);
    core.broker.book = [orderRow({ tag: null })];
    await core.clock.pass(10_000);
    core.broker.book = [];
    // Three reads of their own are asked for again.
    await core.clock.pass(9000);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS' });
    await core.clock.pass(20_000);
    expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'REJECTED' });
  });
  it('count for nothing when they belong to another attempt of ours', async () => {
    const { core } = await lost();
    await core.place({ idempotency_key: 'two', symbol: 'INFY' });
    const two = await core.record('two');
    if (two) await core.journal.move(two, 'AMBIGUOUS', { orderId: '55' }, { kind: 'order.found' }, core.clock.now());
    core.broker.book = [orderRow({ tag: null, order_id: '55' })];
    await core.clock.pass(130_000);
    expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'REJECTED' });
  });
});

describe('an order that is nowhere', () => {
  const absent = { kind: 'order.resolved', detail: { fill_status: 'REJECTED', absent: true } };
  it('is REJECTED after three whole reads, the last two minutes after the send', async () => {
    const { core, began } = await lost();
    await core.clock.pass(began + 119_000 - core.clock.mono());
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS' });
    await core.clock.pass(7000);
    expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'REJECTED', orderId: '' });
    expect((await core.record())?.resolvedAt).not.toBeNull();
    expect(core.trail().at(-1)).toEqual(absent);
    expect((await core.place()).body).toEqual({
      success: false,
      message: 'The order did not reach the broker: its order book was read for two minutes and does not hold it',
      fill_status: 'REJECTED',
    });
  });
  it('is not while the book holds a row that cannot be read', async () => {
    const { core } = await lost();
    const unread = { row: {}, reason: 'quantity must be a number', exchange: 'NSE', symbol: 'INFY', token: null };
    core.broker.readBook = async () => ({ success: true, data: [], normalized: [], unreadable: [unread] });
    await core.clock.pass(400_000);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS' });
    core.broker.readBook = async () => ({ success: true, data: [], normalized: [] });
    await core.clock.pass(300_000);
    expect(await core.record()).toMatchObject({ state: 'DONE', fillStatus: 'REJECTED', orderId: '' });
  });
  it('is so only after three reads, however late the first of them succeeds', async () => {
    const core = new Core();
    core.broker.place = async () => ({ fate: 'unknown', order_id: '' });
    core.readable = false;
    await core.place();
    await core.clock.pass(140_000);
    core.readable = true;
    const states: (string | undefined)[] = [];
    for (let read = 0; read < 3; read += 1) {
      core.orders.wake('session');
      await core.clock.pass(10);
      states.push((await core.record())?.state);
    }
    expect(states).toEqual(['AMBIGUOUS', 'AMBIGUOUS', 'DONE']);
  });
  it.each([
    [
      'shows a row that cannot be read',
      async () => ({
        success: true as const,
        data: [5],
        normalized: [],
        unreadable: [{ row: 5, reason: '', exchange: null, symbol: null, token: null }],
      }),
    ],
    ['shows it', async () => ({ success: true as const, data: [], normalized: [orderRow()] })],
    ['fails', async () => ({ success: false as const, message: 'HTTP 503' })],
    ['throws', () => Promise.reject(new Error('reset'))],
  ])('is not called absent when a look-up by its tag %s', async (_, ordersByTag) => {
    const { core, tag } = await lost();
    const asked: string[] = [];
    core.broker.ordersByTag = async (one) => {
      asked.push(one);
      return await ordersByTag();
    };
    await core.clock.pass(200_000);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS' });
    expect(new Set(asked)).toEqual(new Set([tag]));
    core.broker.ordersByTag = async () => ({ success: true, data: [], normalized: [] });
    await core.clock.pass(60_000);
    expect(core.trail().at(-1)).toEqual(absent);
  });
  it('is not called absent when it was once seen', async () => {
    const { core, show } = await lost();
    show({ state: 'TRANSIT', filled_quantity: 0, average_price: null });
    await core.clock.pass(5000);
    core.broker.book = [];
    await core.clock.pass(600_000);
    expect(await core.record()).toMatchObject({ state: 'AMBIGUOUS', orderId: '1001' });
  });
  it('is not called absent by a read that ends in the next day, whose order book is empty', async () => {
    const { core } = await lost('2026-11-20T23:57:50+05:30');
    await core.clock.pass(106_000);
    const read = core.broker.readBook;
    core.broker.readBook = async () => {
      await core.clock.sleep(9000);
      return await read();
    };
    await core.clock.pass(600_000);
    expect(await core.record()).toMatchObject({ state: 'UNRESOLVED' });
  });
  it('is not called absent by the next day’s order book, which is empty', async () => {
    const { core, first, tag } = await lost('2026-11-20T23:58:30+05:30');
    await core.clock.pass(600_000);
    expect(await core.record()).toMatchObject({ state: 'UNRESOLVED', response: JSON.stringify(first.body), resolvedAt: null });
    expect(core.trail().at(-1)).toEqual({ kind: 'order.unresolved', detail: { tag, day: '2026-11-20' } });
    expect(core.logged).toMatchObject([
      {
        level: 50,
        key: 'k:one',
        tag,
        symbol: 'SBIN',
        broker: 'zerodha',
        day: '2026-11-20',
        msg: expect.stringContaining('look it up at the broker'),
      },
    ]);
    expect(core.orders.unresolved()).toMatchObject([{ key: 'k:one', state: 'UNRESOLVED' }]);
    core.broker.net = 0;
    expect((await core.place()).body).toEqual(first.body);
    expect(core.broker.sends).toHaveLength(1);
  });
});

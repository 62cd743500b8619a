import { describe, expect, it } from 'vitest';
import { Core } from './core.ts';

/** Counts reads of positions. */
function counting(core: Core): () => number {
  let reads = 0;
  const { readPositions } = core.broker;
  core.broker.readPositions = () => {
    reads += 1;
    return readPositions();
  };
  return () => reads;
}

describe('a key that is known by heart', () => {
  it('is replayed without a read of positions', async () => {
    const core = new Core();
    const first = await core.place();
    const reads = counting(core);
    expect((await core.place()).body).toEqual(first.body);
    expect(reads()).toBe(0);
  });
  it('is known after a restart too', async () => {
    const core = new Core();
    const first = await core.place();
    await core.clock.settle(core.orders.stop());
    core.open('process-2');
    await core.clock.settle(core.orders.recover());
    const reads = counting(core);
    expect(await core.place()).toEqual({ ...first, headers: { 'Idempotency-Replayed': 'true' } });
    expect([reads(), core.broker.sends.length]).toEqual([0, 1]);
  });
  it('of a refusal is too', async () => {
    const core = new Core();
    core.broker.net = 5;
    const first = await core.place();
    const reads = counting(core);
    expect((await core.place()).body).toEqual(first.body);
    expect(reads()).toBe(0);
  });
});

describe('a key that is known by heart, while its record cannot be read', () => {
  const unknown = { success: false, order_id: '', message: expect.stringContaining('may have been placed'), fill_status: 'UNKNOWN' };
  it.each([false, true])('gets no words that say that nothing was sent; as a question: %s', async (replayOnly) => {
    const core = new Core();
    await core.place();
    core.away = (name) => name === 'find';
    expect(await core.place({}, replayOnly)).toEqual({ status: 200, headers: { 'Retry-After': '1' }, body: unknown });
    expect(core.broker.sends).toHaveLength(1);
  });
});

describe('a key that is not known by heart', () => {
  it('is looked up beside the read of positions, and waits for both', async () => {
    const core = new Core();
    const find = core.journal.find.bind(core.journal);
    core.journal.find = async (...args) => {
      await core.clock.sleep(300);
      return await find(...args);
    };
    const { readPositions } = core.broker;
    core.broker.readPositions = async () => {
      await core.clock.sleep(200);
      return await readPositions();
    };
    void core.ask();
    await core.clock.pass(299);
    expect(core.broker.sends).toEqual([]);
    await core.clock.pass(1);
    expect(core.broker.sends).toHaveLength(1);
  });
  it('and stands is answered before an order whose fate is not known blocks it', async () => {
    const core = new Core();
    core.broker.place = async () => ({ fate: 'unknown', order_id: '' });
    await core.place({ idempotency_key: 'lost' });
    await core.leave('DONE', { response: '{"success":true,"order_id":"77","fill_status":"FILLED"}' });
    expect((await core.place()).body).toMatchObject({ order_id: '77' });
  });
  it('goes to the store first when more keys live than are kept in memory', async () => {
    const core = new Core();
    core.journal.livingKeys = async () => null;
    await core.clock.settle(core.orders.recover());
    await core.leave('DONE', { response: '{"success":true,"order_id":"77","fill_status":"FILLED"}' });
    const reads = counting(core);
    expect((await core.place()).body).toMatchObject({ order_id: '77' });
    expect(reads()).toBe(0);
  });
  it('that another record takes in the very moment of SENDING is answered by that record, and nothing is sent', async () => {
    const core = new Core();
    const begin = core.journal.begin.bind(core.journal);
    core.journal.begin = async (...args) => {
      core.journal.begin = begin;
      await core.leave('DONE', { response: '{"success":true,"order_id":"77","fill_status":"FILLED"}' });
      return await begin(...args);
    };
    expect(await core.place()).toMatchObject({ headers: { 'Idempotency-Replayed': 'true' }, body: { order_id: '77' } });
    expect(core.broker.sends).toEqual([]);
    core.broker.net = 0;
    expect((await core.place({ idempotency_key: 'two' })).body.success).toBe(true);
  });
});

describe('a fingerprint', () => {
  const none = { idempotency_key: null } as const;
  it('is free once an opposite order has filled after its answer was delivered', async () => {
    const core = new Core();
    const first = await core.place(none);
    expect((await core.place(none)).headers).toEqual({ 'Idempotency-Replayed': 'true' });
    first.delivered?.();
    await core.clock.pass(100);
    const exit = async (idempotency_key: string) => {
      const place = core.broker.place;
      core.broker.place = async (order, tag) => {
        core.broker.book.push(core.broker.row(order, tag, { order_id: idempotency_key }));
        return { fate: 'accepted', order_id: idempotency_key };
      };
      const reply = await core.place({ idempotency_key, transaction_type: 'SELL' });
      core.broker.place = place;
      return reply;
    };
    expect((await exit('2002')).body).toMatchObject({ fill_status: 'FILLED' });
    core.broker.place = async () => ({ fate: 'not_sent', order_id: '', message: 'Refused' });
    expect((await core.place(none)).headers).toEqual({});
    expect(core.broker.sends).toHaveLength(3);
  });
  it('under which an opposite order has filled before its answer was delivered stays', async () => {
    const core = new Core();
    const first = await core.place(none);
    core.broker.place = async (order, tag) => {
      core.broker.book.push(core.broker.row(order, tag, { order_id: '2002' }));
      return { fate: 'accepted', order_id: '2002' };
    };
    await core.place({ idempotency_key: 'out', transaction_type: 'SELL' });
    first.delivered?.();
    expect((await core.place(none)).headers).toEqual({ 'Idempotency-Replayed': 'true' });
  });
});

it('what an open position blocked is free once an order of ours has filled in its instrument', async () => {
  const core = new Core();
  core.broker.net = 10;
  expect((await core.place()).body).toMatchObject({ status: 'BLOCKED' });
  expect((await core.place({ idempotency_key: 'out', transaction_type: 'SELL' })).body).toMatchObject({ fill_status: 'FILLED' });
  core.broker.net = 0;
  core.broker.place = async () => ({ fate: 'not_sent', order_id: '', message: 'Refused' });
  expect(await core.place()).toMatchObject({ headers: {}, body: { message: 'Refused' } });
});

it('what an open position blocked is free after a restart too, once an order of ours has filled', async () => {
  const core = new Core();
  core.broker.net = 10;
  await core.place();
  await core.clock.settle(core.orders.stop());
  core.open('process-2');
  await core.clock.settle(core.orders.recover());
  expect((await core.place()).headers).toEqual({ 'Idempotency-Replayed': 'true' });
  await core.place({ idempotency_key: 'out', transaction_type: 'SELL' });
  core.broker.net = 0;
  core.broker.place = async () => ({ fate: 'not_sent', order_id: '', message: 'Refused' });
  expect((await core.place()).headers).toEqual({});
});

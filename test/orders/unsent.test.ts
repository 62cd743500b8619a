import { describe, expect, it } from 'vitest';
import type { Journal } from '../../server/journal/journal.ts';
import { Core } from './core.ts';
import { forever } from './stalled.ts';

const later = { status: 200, headers: { 'Retry-After': '1' } };
const storeDown = { ...later, body: { success: false, message: 'Order store unavailable' } };
const LATE = 'The MARKET order waited for 10 s and was not sent: the market has moved on';

describe('a store that is away before the send', () => {
  it.each(['find', 'begin'] as const)('for %s: nothing is sent, nothing is left, and a retry runs afresh', async (name) => {
    const core = new Core();
    core.away = (call) => call === name;
    expect(await core.place()).toEqual(storeDown);
    expect(core.logged).toMatchObject([{ key: 'k:one', error: expect.stringContaining('away') }]);
    expect([await core.record(), core.broker.sends]).toEqual([null, []]);
    core.away = () => false;
    expect(await core.place()).toMatchObject({ headers: {}, body: { success: true, fill_status: 'FILLED' } });
    expect(core.broker.sends).toHaveLength(1);
  });
  it('where a block is to be written: nothing is sent, and the answer says that it is not stored', async () => {
    const core = new Core();
    core.broker.net = 5;
    core.away = (call) => call === 'begin';
    expect(await core.place()).toEqual(storeDown);
    expect(core.broker.sends).toEqual([]);
  });
  it.each(['find', 'begin'] as const)('that hangs at %s is waited for 5 s', async (name) => {
    const core = new Core();
    core.journal[name] = forever;
    const began = core.clock.mono();
    expect(await core.place()).toEqual(storeDown);
    expect(core.clock.mono() - began).toBeLessThanOrEqual(6000);
    expect(core.broker.sends).toEqual([]);
  });
});

/** A core in whose SENDING something happens, and whose store cannot take back for a while. */
function withheld(happen: (core: Core) => void | Promise<void>, name: keyof Journal = 'withdraw'): Core {
  const core = new Core();
  const begin = core.journal.begin.bind(core.journal);
  core.journal.begin = async (...args) => {
    await happen(core);
    return await begin(...args);
  };
  core.away = (call) => call === name;
  return core;
}

const after: [string, string, (core: Core) => void | Promise<void>, string][] = [
  [
    'the kill switch',
    'The kill switch is on: only orders that can do nothing but reduce a position are sent',
    (core) => {
      core.killSwitch.on = true;
    },
    '60',
  ],
  ['the end of the session', 'The broker session changed before the order was sent', (core) => void core.account.door.shut(), '1'],
  ['a MARKET order that is too late', LATE, (core) => core.clock.sleep(4900), '1'],
];

describe('an order that is stopped after SENDING', () => {
  it.each(after)('by %s is not sent, and its record goes', async (_, message, happen, seconds) => {
    const core = withheld(happen, 'note');
    const { readPositions } = core.broker;
    core.broker.readPositions = async () => {
      await core.clock.sleep(5200);
      return await readPositions();
    };
    expect(await core.place()).toEqual({ status: 200, headers: { 'Retry-After': seconds }, body: { success: false, message } });
    expect([core.broker.sends, await core.record()]).toEqual([[], null]);
    expect(core.trail().at(-1)).toMatchObject({ kind: 'order.refused', detail: { message } });
  });
  it.each(after)('by %s answers its key with Retry-After until its record is gone; then the key is free', async (_, message, happen) => {
    const core = withheld(happen);
    const { readPositions } = core.broker;
    core.broker.readPositions = async () => {
      core.broker.readPositions = readPositions;
      await core.clock.sleep(5200);
      return await readPositions();
    };
    await core.place();
    expect(await core.record()).toMatchObject({ state: 'SENDING' });
    const again = await core.place();
    expect(again).toEqual({
      ...later,
      body: { success: false, message: `The request before with this key was not sent (${message}) and is being removed` },
    });
    core.away = () => false;
    await core.clock.pass(600);
    expect([core.broker.sends, await core.record()]).toEqual([[], null]);
    core.killSwitch.on = false;
    if (core.account.door.isShut) return;
    core.journal.begin = Object.getPrototypeOf(core.journal).begin.bind(core.journal);
    expect((await core.place()).body).toMatchObject({ success: true });
  });
  it('counts no more: the next order in its instrument is judged without it', async () => {
    const core = withheld((one) => {
      one.killSwitch.on = true;
    });
    await core.place();
    core.killSwitch.on = false;
    core.journal.begin = Object.getPrototypeOf(core.journal).begin.bind(core.journal);
    expect((await core.place({ idempotency_key: 'two' })).body).toMatchObject({ success: true });
  });
  it('where the commit of SENDING was never acknowledged leaves nothing either', async () => {
    const core = new Core();
    const begin = core.journal.begin.bind(core.journal);
    core.journal.begin = async (...args) => {
      core.journal.begin = begin;
      await begin(...args);
      throw new Error('Connection lost');
    };
    expect(await core.place()).toEqual(storeDown);
    expect([core.broker.sends, await core.record()]).toEqual([[], null]);
    expect((await core.place()).body).toMatchObject({ success: true });
  });
  it('by the door itself, in the turn that writes the bytes, leaves nothing', async () => {
    const core = new Core();
    core.broker.place = async () => {
      // As an adapter that reads first, and asks the door before its bytes.
      await core.clock.sleep(50);
      core.killSwitch.on = true;
      return { fate: 'not_sent', order_id: '', message: 'stopped' };
    };
    expect(await core.place()).toMatchObject({ headers: { 'Retry-After': '60' }, body: { success: false } });
    expect(await core.record()).toBeNull();
  });
});

describe('a refusal before SENDING', () => {
  it('by the order budget says when the budget is free, and is not kept', async () => {
    const core = new Core({ limits: 1 });
    await core.place({ idempotency_key: 'zero', symbol: 'INFY' });
    const reply = await core.place();
    const message = 'Too many orders: the order budget of this account is used up for now';
    expect(reply).toEqual({ status: 200, headers: { 'Retry-After': '61' }, body: { success: false, message } });
    expect(core.trail()).toMatchObject([{ kind: 'order.refused', detail: { message } }]);
    expect([await core.record(), core.broker.sends.length]).toEqual([null, 1]);
    expect(core.limiter.asked).toEqual(['entry', 'entry']);
  });
  it.each([
    ['The broker session changed before the order was sent', (core: Core) => void core.account.door.shut()],
    ['The gateway is stopping', (core: Core) => void core.orders.stop()],
    [LATE, (core: Core) => core.clock.sleep(8400)],
  ])('because “%s” sends nothing, and writes no SENDING', async (message, happen) => {
    const core = new Core();
    const { readPositions } = core.broker;
    const asked = core.limiter.take.bind(core.limiter);
    core.limiter.take = async (rank) => {
      await happen(core);
      await core.clock.sleep(1700);
      return await asked(rank);
    };
    core.broker.readPositions = readPositions;
    expect(await core.place()).toEqual({ ...later, body: { success: false, message } });
    expect(core.broker.sends).toEqual([]);
    expect(core.trail()).toMatchObject([{ kind: 'order.refused', detail: { message } }]);
  });
  it('lets a LIMIT order that waited as long go', async () => {
    const core = new Core();
    const asked = core.limiter.take.bind(core.limiter);
    core.limiter.take = async (rank) => {
      await core.clock.sleep(10_100);
      return await asked(rank);
    };
    expect((await core.place({ order_type: 'LIMIT', price: 100 })).body.success).toBe(true);
  });
  it('by the guard is kept, with its reason in the trail', async () => {
    const core = new Core();
    core.broker.net = 5;
    const { body } = await core.place();
    expect(body).toMatchObject({ success: false, status: 'BLOCKED', fill_status: 'REJECTED' });
    expect(core.trail()).toMatchObject([{ kind: 'order.not_sent', detail: { message: body.message } }]);
    expect(await core.record()).toMatchObject({ state: 'NOT_SENT', response: JSON.stringify(body) });
  });
  it('gives way to the record that its late look-up finds', async () => {
    const core = new Core({ limits: 1 });
    await core.place({ idempotency_key: 'zero', symbol: 'INFY' });
    await core.leave('DONE', { response: '{"success":true,"order_id":"77","fill_status":"FILLED"}' });
    expect((await core.place()).body).toMatchObject({ success: true, order_id: '77' });
  });
});

it('what is learned while an order waits for its budget is judged once more', async () => {
  const core = new Core();
  const take = core.limiter.take.bind(core.limiter);
  core.limiter.take = async (rank) => {
    core.broker.net = 5;
    await core.account.positions.next('orders');
    return await take(rank);
  };
  expect((await core.place()).body).toMatchObject({ status: 'BLOCKED' });
  expect(core.broker.sends).toEqual([]);
});

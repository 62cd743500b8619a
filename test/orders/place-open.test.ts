import { describe, expect, it } from 'vitest';
import { Core } from './core.ts';

const replayed = { 'Idempotency-Replayed': 'true' };

/** A core with an order that was sent, and whose fate nobody told. */
async function lost() {
  const core = new Core();
  core.broker.place = async () => ({ fate: 'unknown', order_id: '' });
  const first = await core.place();
  const mismatches = () => core.journal.events.filter(({ kind }) => kind === 'order.key_mismatch');
  return { core, first, mismatches };
}

describe('the key of an order in flight', () => {
  it('is answered with its answer while the broker has not answered yet', async () => {
    const core = new Core();
    const { place } = core.broker;
    core.broker.place = async (...order) => {
      await core.clock.sleep(500);
      return await place(...order);
    };
    const asked = core.ask();
    await core.clock.pass(100);
    const twin = await core.place();
    expect(twin).toEqual({ ...(await asked), headers: replayed });
    expect(twin.body).toMatchObject({ fill_status: 'FILLED' });
  });
  it('is answered with its answer, in the same moment, while its fill is waited for', async () => {
    const core = new Core();
    core.broker.place = async () => ({ fate: 'accepted', order_id: '1001' });
    const began = core.clock.mono();
    const asked = core.ask();
    await core.clock.pass(500);
    expect(await core.place()).toEqual({ ...(await asked), headers: replayed });
    expect(core.clock.mono() - began).toBe(8000);
  });
});

describe('the key of an order that is still looked for', () => {
  it('asked with the same order again is replayed, and nothing is said of another', async () => {
    const { core, first, mismatches } = await lost();
    expect(await core.place()).toEqual({ status: 200, headers: replayed, body: first.body });
    expect(mismatches()).toEqual([]);
  });
  it('asked with another order is replayed, with a header and an event that say so', async () => {
    const { core, first, mismatches } = await lost();
    const headers = { ...replayed, 'Idempotency-Key-Mismatch': 'true' };
    expect(await core.place({ quantity: 11 })).toEqual({ status: 200, headers, body: first.body });
    const about = { key: 'k:one', symbol: 'SBIN', broker: 'zerodha', account: 'AB1234' };
    expect(mismatches()).toEqual([{ kind: 'order.key_mismatch', ...about }]);
  });
  it('has the order book read at once, however rarely it is read by then', async () => {
    const { core } = await lost();
    core.broker.ordersByTag = async () => ({ success: false, message: 'HTTP 503' });
    await core.clock.pass(300_000);
    const { reads } = core.broker;
    void core.ask();
    await core.clock.pass(0);
    expect(core.broker.reads).toBe(reads + 1);
  });
  it('is not waited for by a stop', async () => {
    const { core } = await lost();
    const began = core.clock.mono();
    await core.clock.settle(core.orders.stop());
    expect(core.clock.mono()).toBe(began);
  });
});

it('an end that is known and not stored yet is replayed at once, and says so until it is', async () => {
  const core = new Core();
  core.broker.place = async () => {
    core.away = (call) => call === 'move';
    return { fate: 'rejected', order_id: '', message: 'Margin' };
  };
  const { body } = await core.place();
  const began = core.clock.mono();
  expect(await core.place()).toEqual({ status: 200, headers: { ...replayed, 'Idempotency-Stored': 'false' }, body });
  expect(core.clock.mono()).toBe(began);
  core.away = () => false;
  await core.clock.pass(1000);
  expect(await core.place()).toEqual({ status: 200, headers: replayed, body });
  expect(core.broker.sends).toHaveLength(1);
});

import { describe, expect, it } from 'vitest';
import { mayLeave } from '../../server/brokers/door.ts';
import { Core } from './core.ts';

const KILLED = 'The kill switch is on: only orders that can do nothing but reduce a position are sent';

/** An adapter that reads for 50 ms, and asks whether its bytes may leave before it writes them; returns what it heard. */
function asking(core: Core): (string | null)[] {
  const heard: (string | null)[] = [];
  const { place } = core.broker;
  core.broker.place = async (...order) => {
    await core.clock.sleep(50);
    const reason = mayLeave();
    heard.push(reason);
    return reason === null ? await place(...order) : { fate: 'not_sent', order_id: '', message: reason };
  };
  return heard;
}

describe('the bytes of an order', () => {
  it('leave where nothing stands in their way', async () => {
    const core = new Core();
    const heard = asking(core);
    expect((await core.place()).body).toMatchObject({ success: true, fill_status: 'FILLED' });
    expect(heard).toEqual([null]);
  });
  it('do not leave once the kill switch is on, and the order leaves nothing behind', async () => {
    const core = new Core();
    const heard = asking(core);
    const asked = core.ask();
    await core.clock.pass(10);
    core.killSwitch.on = true;
    const { body, headers } = await core.clock.settle(asked);
    expect([body, headers]).toEqual([{ success: false, message: KILLED }, { 'Retry-After': '60' }]);
    expect([heard, await core.record()]).toEqual([[KILLED], null]);
  });
});

it('an order that the broker took while the kill switch was turned on is answered as taken', async () => {
  const core = new Core();
  const { place } = core.broker;
  core.broker.place = async (...order) => {
    core.killSwitch.on = true;
    return await place(...order);
  };
  expect((await core.place()).body).toMatchObject({ success: true, order_id: '1001', fill_status: 'FILLED' });
  expect(await core.record()).toMatchObject({ state: 'DONE', orderId: '1001' });
});

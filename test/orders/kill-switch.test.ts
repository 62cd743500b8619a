import { describe, expect, it } from 'vitest';
import { createKillSwitch } from '../../server/orders/kill-switch.ts';
import { Core } from './core.ts';

/** A memory of the switch, and everything that was written to it. */
function keeper(remembered: boolean) {
  const written: [boolean, string][] = [];
  return { written, read: async () => remembered, write: async (on: boolean, by: string) => void written.push([on, by]) };
}

describe('the kill switch at a start', () => {
  it.each([
    [undefined, false, false, []],
    [undefined, true, true, []],
    [true, false, true, [[true, 'setting']]],
    [false, true, false, [[false, 'setting']]],
    [true, true, true, []],
    [false, false, false, []],
  ])('with the setting %s, remembered %s, is %s', async (configured, remembered, on, written) => {
    const memory = keeper(remembered);
    expect((await createKillSwitch(memory, configured)).on).toBe(on);
    expect(memory.written).toEqual(written);
  });
  it('applies a change at once and remembers who made it', async () => {
    const memory = keeper(false);
    const killSwitch = await createKillSwitch(memory, undefined);
    const setting = killSwitch.set(true, 'signal');
    expect(killSwitch.on).toBe(true);
    await setting;
    await killSwitch.set(false, 'signal');
    expect(killSwitch.on).toBe(false);
    expect(memory.written).toEqual([
      [true, 'signal'],
      [false, 'signal'],
    ]);
  });
});

describe('while the kill switch is on', () => {
  it('an entry is refused before it asks for the order budget, and may come again', async () => {
    const core = new Core();
    core.killSwitch.on = true;
    const reply = await core.place();
    expect(reply).toEqual({
      status: 200,
      headers: { 'Retry-After': '60' },
      body: { success: false, message: 'The kill switch is on: new entries are refused' },
    });
    expect([core.broker.sends, core.limiter.asked, await core.record()]).toEqual([[], [], null]);
  });
  it('an order that reduces and a cancel pass', async () => {
    const core = new Core();
    core.killSwitch.on = true;
    core.broker.net = 10;
    expect((await core.place({ transaction_type: 'SELL' })).body.success).toBe(true);
    expect((await core.clock.settle(core.desk.cancel({ order_id: '1001', variety: 'NORMAL' }))).success).toBe(true);
    expect(core.limiter.asked).toEqual(['exit', 'cancel']);
  });
});

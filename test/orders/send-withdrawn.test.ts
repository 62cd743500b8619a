import { describe, expect, it } from 'vitest';
import { tradedByNumber } from '../../server/brokers/instrument.ts';
import { Core } from './core.ts';
import { forever } from './stalled.ts';

/** A core whose next order never gets its turn to leave: after 3 s it is withdrawn. */
function withdrawing(): Core {
  const core = new Core();
  const { pace } = core.limiter;
  core.limiter.pace = () => {
    core.limiter.pace = pace;
    return forever();
  };
  return core;
}

describe('an order that was withdrawn', () => {
  it('gives its turn back at once, although its record cannot be removed yet', async () => {
    const core = withdrawing();
    core.away = (call) => call === 'withdraw';
    void core.ask();
    await core.clock.pass(10);
    void core.ask({ idempotency_key: 'two' });
    await core.clock.pass(2989);
    expect(core.broker.sends).toEqual([]);
    await core.clock.pass(1);
    expect(core.broker.sends).toHaveLength(1);
  });
  it('is answered after a second at most, although its record cannot be removed yet', async () => {
    const core = withdrawing();
    core.away = (call) => call === 'withdraw';
    const began = core.clock.mono();
    expect((await core.place()).body.success).toBe(false);
    expect(core.clock.mono() - began).toBe(4000);
  });
  it('leaves no name behind: the next one in its instrument is recorded under its own', async () => {
    const core = withdrawing();
    Object.assign(core.broker.traits, { tradedBy: tradedByNumber });
    await core.place({ symbol: 'SBIN' });
    await core.place({ idempotency_key: 'two', symbol: 'SBIN-EQ' });
    expect(await core.record('two')).toMatchObject({ symbol: 'SBIN-EQ', token: '779521' });
  });
});

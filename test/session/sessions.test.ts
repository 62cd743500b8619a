import { describe, expect, it } from 'vitest';
import { tradedBySymbol } from '../../server/brokers/instrument.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import { readLimits, Stand } from './stand.ts';

describe('the budgets of a broker', () => {
  it('outlive its sessions: a new sign-in has forgotten neither reads nor sends', async () => {
    const stand = new Stand();
    const first = await stand.connect();
    const second = await stand.connect();
    expect(second).not.toBe(first);
    expect(second.budget).toBe(first.budget);
    expect(second.reads).toBe(first.reads);
    expect(stand.asked).toEqual(['dhan TEST1']);
    expect((await stand.connect('fyers')).budget).not.toBe(first.budget);
  });
  it('have counted the read that a sign-in makes', async () => {
    const stand = new Stand();
    const account = await stand.connect();
    const signedIn = stand.clock.mono();
    await stand.clock.settle(account.reads.take('orders'));
    expect(stand.clock.mono() - signedIn).toBe(60_151);
  });
  it('are apart for the three lists where the broker counts them apart', async () => {
    const stand = new Stand();
    const together = await stand.connect();
    stand.change = { traits: { tradedBy: tradedBySymbol, orderLimits: [], readLimits, readLimitsApart: true, unattended: false } };
    const apart = await stand.connect('fyers');
    expect(
      await stand.clock.settle(Promise.all([apart.positions, apart.orderBook, apart.holdings].map((list) => list.next('orders')))),
    ).toHaveLength(3);
    expect(stand.clock.mono()).toBe(0);
    expect(await stand.clock.settle(together.holdings.next('caller'))).toMatchObject({ success: false });
  });
});

describe('a session that ends', () => {
  it.each(['disconnect', 'switch', 'same broker again', 'loss'] as const)(
    'shuts its door at once and waits for what had begun: %s',
    async (way) => {
      const stand = new Stand();
      const account = await stand.connect();
      const sending = stand.send(account, 3000);
      const ways: Record<typeof way, () => Promise<unknown>> = {
        disconnect: () => stand.sessions.disconnect(),
        switch: () => stand.sessions.connect('fyers'),
        'same broker again': () => stand.sessions.connect('dhan'),
        loss: async () => stand.expire('401'),
      };
      const ended = ways[way]();
      await stand.clock.pass(0);
      expect(account.door.isShut).toBe(true);
      expect(stand.sessions.active()).not.toBe(account);
      await stand.clock.settle(ended);
      expect(stand.clock.mono()).toBe(way === 'loss' ? 0 : 3000);
      expect(await stand.clock.settle(sending)).toBe('sent');
    },
  );
  it('is awaited by a second disconnect too', async () => {
    const stand = new Stand();
    const sending = stand.send(await stand.connect(), 3000);
    void stand.sessions.disconnect();
    expect(await stand.clock.settle(stand.sessions.disconnect())).toEqual({ success: false, message: 'Broker Not Connected' });
    expect(stand.clock.mono()).toBe(3000);
    await sending;
  });
  it('is given a second by a shutdown', async () => {
    const stand = new Stand();
    const account = await stand.connect();
    void stand.send(account, 30_000);
    await stand.clock.settle(stand.sessions.close());
    expect(account.door.isShut).toBe(true);
    expect(stand.clock.mono()).toBe(1000);
  });
  it('does not come up any more when the shutdown came while it signed in', async () => {
    const stand = new Stand();
    let closed = 0;
    stand.change.close = async () => {
      closed += 1;
    };
    stand.change.connect = async () => {
      await stand.clock.sleep(500);
      return await standInBroker().connect(null);
    };
    const connecting = stand.sessions.connect('dhan');
    await stand.clock.pass(100);
    await stand.clock.settle(stand.sessions.close());
    expect(await stand.clock.settle(connecting)).toEqual({ success: false, message: 'The gateway is stopping' });
    expect([stand.sessions.active(), closed]).toEqual([null, 1]);
  });
  it('is no active one when its door was shut from elsewhere', async () => {
    const stand = new Stand();
    const account = await stand.connect();
    await account.door.shut();
    expect(stand.sessions.active()).toBeNull();
  });
  it('stays readable while orders of it are open, or nobody knows, 180 s at most', async () => {
    let open: () => boolean | Promise<boolean> = () => true;
    const stand = new Stand({ hasOpen: () => open() });
    const account = await stand.connect();
    await stand.clock.settle(stand.sessions.disconnect());
    await stand.clock.pass(20_000);
    expect(stand.sessions.of('dhan', 'TEST1')).toBe(account);
    open = () => Promise.reject(new Error('store away'));
    await stand.clock.pass(100_000);
    expect(stand.sessions.of('dhan', 'TEST1')).toBe(account);
    await stand.clock.pass(62_000);
    expect(stand.sessions.of('dhan', 'TEST1')).toBeNull();
    await stand.connect();
    open = () => false;
    await stand.clock.settle(stand.sessions.disconnect());
    await stand.clock.pass(1000);
    expect(stand.sessions.of('dhan', 'TEST1')).toBeNull();
  });
});

it('a follower of sessions that throws is logged, and stops no session of now or later', async () => {
  const failing = (what: string) => () => {
    throw new Error(`${what} is broken`);
  };
  const stand = new Stand({ onUp: failing('the feed'), onDown: failing('the watch') });
  const first = await stand.connect();
  const second = await stand.connect('fyers');
  expect(first.door.isShut).toBe(true);
  expect(stand.sessions.active()).toBe(second);
  expect(await stand.clock.settle(stand.sessions.disconnect())).toMatchObject({ success: true });
  const told = stand.logged.join('');
  expect(told).toContain('the feed is broken');
  expect(told).toContain('the watch is broken');
});

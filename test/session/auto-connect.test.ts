import { describe, expect, it } from 'vitest';
import type { Connected } from '../../server/brokers/broker.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import { failed, live, Stand } from './stand.ts';

const HOUR_MS = 3_600_000;
const secondsOf = (tried: readonly string[]) => tried.map((one) => Number(one.split(' ')[1]));
const gaps = (seconds: readonly number[]) => seconds.slice(1).map((at, index) => at - (seconds[index] ?? 0));

describe('at the start', () => {
  it('a broker that cannot be reached is tried after 5 s, 10 s and so on up to 5 minutes, until it can', async () => {
    const stand = new Stand();
    stand.answer = () => failed('unreachable', 'No connection to the broker');
    await stand.clock.settle(stand.sessions.autoConnect(['dhan']));
    expect(stand.clock.mono()).toBe(0);
    expect([...stand.sessions.refusals]).toEqual([['dhan', 'No connection to the broker']]);
    const { message, nextTryAt } = stand.sessions.state();
    expect(message).toMatch(/^No connection to the broker\. dhan: tried again by itself at 2026-11-20 10:00:0[4-6] IST$/);
    expect((nextTryAt ?? 0) - stand.clock.now()).toBeGreaterThanOrEqual(4000);
    await stand.clock.pass(HOUR_MS);
    const pauses = gaps(secondsOf(stand.tried));
    for (const [index, steady] of [5, 10, 20, 40, 80, 160, 300, 300, 300].entries()) {
      expect(Math.abs((pauses[index] ?? 0) - steady)).toBeLessThanOrEqual(steady / 5 + 1);
    }
    expect(stand.sessions.active()).toBeNull();
    stand.answer = () => standInBroker().connect(null);
    await stand.clock.pass(361_000);
    expect(stand.sessions.active()?.broker.id).toBe('dhan');
    expect(stand.sessions.state()).toMatchObject({ message: null, nextTryAt: null });
    const tries = stand.tried.length;
    await stand.clock.pass(HOUR_MS);
    expect(stand.tried).toHaveLength(tries);
  });
  it('refused credentials are tried once, the others go on in their order', async () => {
    const stand = new Stand();
    stand.answer = (name) => (name === 'dhan' ? failed('credentials', 'DHAN_PIN is wrong') : failed('broker', 'maintenance'));
    await stand.clock.settle(stand.sessions.autoConnect(['dhan', 'fyers']));
    expect(stand.sessions.state().message).toMatch(/^DHAN_PIN is wrong; maintenance\. fyers: tried again/);
    await stand.clock.pass(HOUR_MS);
    expect(stand.tried.filter((one) => one.startsWith('dhan'))).toEqual(['dhan 0']);
    expect(stand.tried.length).toBeGreaterThan(10);
    stand.answer = () => failed('credentials');
    await stand.clock.pass(HOUR_MS);
    expect(stand.sessions.state().nextTryAt).toBeNull();
    const tries = stand.tried.length;
    await stand.clock.pass(24 * HOUR_MS);
    expect(stand.tried).toHaveLength(tries);
  });
  it('a failure that gives no cause counts as refused credentials', async () => {
    const stand = new Stand();
    stand.answer = () => ({ success: false, message: 'no' });
    await stand.clock.settle(stand.sessions.autoConnect(['dhan']));
    await stand.clock.pass(HOUR_MS);
    expect(stand.tried).toEqual(['dhan 0']);
  });
  it('with real money a broker that was reached is left alone for half a minute: a code works once', async () => {
    const stand = new Stand(live);
    stand.answer = () => failed('broker');
    await stand.clock.settle(stand.sessions.autoConnect(['dhan']));
    await stand.clock.pass(600_000);
    expect(stand.tried.length).toBeGreaterThan(4);
    expect(Math.min(...gaps(secondsOf(stand.tried)))).toBeGreaterThanOrEqual(30);
  });
  it('a stop ends it', async () => {
    const stand = new Stand();
    stand.answer = () => failed('unreachable');
    await stand.clock.settle(stand.sessions.autoConnect(['dhan']));
    await stand.clock.settle(stand.sessions.close());
    await stand.clock.pass(HOUR_MS);
    expect(stand.tried).toEqual(['dhan 0']);
  });
});

describe('a session that ends', () => {
  it('by its own time is signed in again at once, and not when somebody asks', async () => {
    const stand = new Stand();
    stand.answer = () => until(stand, HOUR_MS);
    await stand.connect();
    await stand.clock.pass(10 * HOUR_MS + 1000);
    expect(secondsOf(stand.tried)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((hour) => hour * 3600));
    expect(stand.noted.filter((kind) => kind !== 'session.connected' && kind !== 'session.lost')).toEqual([]);
  });
  it('when the wall clock is set, too', async () => {
    const stand = new Stand();
    stand.answer = () => until(stand, 20 * HOUR_MS);
    await stand.connect();
    stand.clock.step(20 * HOUR_MS);
    await stand.clock.pass(30_000);
    expect(stand.tried).toHaveLength(2);
  });
  it('again and again is signed in with growing pauses', async () => {
    const stand = new Stand();
    await stand.connect();
    for (let losses = 0; losses < 5; losses += 1) {
      stand.expire('signed in elsewhere');
      await stand.clock.run(() => stand.sessions.active() !== null);
    }
    const pauses = gaps(secondsOf(stand.tried));
    for (const [index, steady] of [0, 5, 10, 20, 40].entries()) {
      expect(Math.abs((pauses[index] ?? 0) - steady)).toBeLessThanOrEqual(steady / 5 + 1);
    }
    await stand.clock.pass(HOUR_MS);
    stand.expire('the day is over');
    await stand.clock.pass(1000);
    expect(stand.sessions.active()).not.toBeNull();
  });
  it('and does not come back at once is noted once, and a person is told when the credentials are refused', async () => {
    const stand = new Stand();
    await stand.connect();
    stand.answer = () => failed('broker', 'maintenance');
    stand.expire('401');
    await stand.clock.pass(HOUR_MS);
    expect(stand.noted).toEqual(['session.connected', 'session.lost', 'session.login_failed']);
    stand.answer = () => failed('credentials', 'DHAN_PIN is wrong');
    await stand.clock.pass(361_000);
    expect(stand.noted.at(-1)).toBe('session.login_needed');
    expect(stand.sessions.state().message).toMatch(/^DHAN_PIN is wrong\. Run: npm run login -- dhan/);
  });
  it('with real money needs a person at a broker that wants one, and is not tried', async () => {
    const stand = new Stand(live);
    await stand.connect();
    stand.expire('401');
    await stand.clock.pass(HOUR_MS);
    expect(stand.tried).toEqual(['dhan 0']);
    expect(stand.noted).toEqual(['session.connected', 'session.lost', 'session.login_needed']);
  });
  it('lets an order wait for its return, 5 s at most', async () => {
    const stand = new Stand();
    await stand.connect();
    stand.answer = async () => {
      await stand.clock.sleep(3000);
      return standInBroker().connect(null);
    };
    stand.expire('06:00');
    await stand.clock.settle(stand.sessions.settled(5000));
    expect([stand.clock.mono(), stand.sessions.activeName()]).toEqual([3000, 'dhan']);
    await stand.clock.settle(stand.sessions.settled(5000));
    expect(stand.clock.mono()).toBe(3000);
  });
});

function until(stand: Stand, ms: number): Connected {
  return { success: true, account: 'TEST1', login: { values: {}, expiresAt: new Date(stand.clock.now() + ms).toISOString() } };
}

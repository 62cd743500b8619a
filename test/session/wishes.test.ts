import { describe, expect, it } from 'vitest';
import { standInBroker } from '../support/stand-in-broker.ts';
import { failed, Stand } from './stand.ts';

const SLOW_MS = 2000;

/** A session that was lost, and whose new login is under way. */
async function signingIn(): Promise<Stand> {
  const stand = new Stand();
  stand.unattended = true;
  await stand.connect();
  stand.answer = async () => {
    await stand.clock.sleep(SLOW_MS);
    return await standInBroker().connect(null);
  };
  stand.expire('401');
  await stand.clock.pass(100);
  return stand;
}

describe('what a person decides is not undone by a login that comes by itself', () => {
  it('a disconnect while the new login is under way', async () => {
    const stand = await signingIn();
    expect(await stand.clock.settle(stand.sessions.disconnect())).toMatchObject({ success: true, broker: 'dhan' });
    await stand.clock.pass(600_000);
    expect(stand.sessions.active()).toBeNull();
    expect(stand.noted).toEqual(['session.connected', 'session.lost', 'session.disconnected']);
    expect(stand.sessions.state().message).toBe('dhan is not signed in again by itself');
  });
  it('a disconnect while it waits for its next try', async () => {
    const stand = new Stand();
    stand.answer = () => failed('unreachable');
    await stand.clock.settle(stand.sessions.autoConnect(['dhan']));
    expect(await stand.clock.settle(stand.sessions.disconnect())).toMatchObject({ success: true });
    stand.answer = () => standInBroker().connect(null);
    await stand.clock.pass(600_000);
    expect([stand.sessions.active(), stand.tried]).toEqual([null, ['dhan 0']]);
    expect(await stand.clock.settle(stand.sessions.disconnect())).toEqual({ success: false, message: 'Broker Not Connected' });
  });
  it('another broker, connected while the new login waits for its turn', async () => {
    const stand = new Stand();
    stand.unattended = true;
    await stand.connect();
    stand.answer = async () => {
      await stand.clock.sleep(SLOW_MS);
      return await standInBroker().connect(null);
    };
    const { expire } = stand;
    const chosen = stand.sessions.connect('fyers');
    await stand.clock.pass(100);
    expire('401');
    expect(await stand.clock.settle(chosen)).toMatchObject({ success: true, broker: 'fyers' });
    await stand.clock.pass(600_000);
    expect(stand.sessions.activeName()).toBe('fyers');
    expect(stand.tried).toEqual(['dhan 0', 'fyers 0']);
  });
  it('another broker, connected while the old one is tried now and then', async () => {
    const stand = new Stand();
    stand.answer = (name) => (name === 'dhan' ? failed('unreachable') : standInBroker().connect(null));
    await stand.clock.settle(stand.sessions.autoConnect(['dhan']));
    await stand.connect('fyers');
    stand.answer = () => standInBroker().connect(null);
    await stand.clock.pass(600_000);
    expect([stand.sessions.activeName(), stand.tried]).toEqual(['fyers', ['dhan 0', 'fyers 0']]);
  });
  it('but a connect that fails leaves what is tried by itself as it was', async () => {
    const stand = new Stand();
    stand.answer = () => failed('unreachable');
    await stand.clock.settle(stand.sessions.autoConnect(['dhan']));
    expect(await stand.clock.settle(stand.sessions.connect('fyers'))).toEqual({ success: false, message: 'unreachable' });
    stand.answer = () => standInBroker().connect(null);
    await stand.clock.pass(60_000);
    expect(stand.sessions.activeName()).toBe('dhan');
  });
  it('and a disconnect ends a connect that somebody else asked for before', async () => {
    const stand = await signingIn();
    const connecting = stand.sessions.connect('fyers');
    await stand.clock.settle(stand.sessions.disconnect());
    expect(await stand.clock.settle(connecting)).toEqual({ success: false, message: 'fyers was disconnected meanwhile' });
    expect(stand.sessions.active()).toBeNull();
  });
});

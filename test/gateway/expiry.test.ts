import postgres from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import type { Broker, BrokerDefinition } from '../../server/brokers/broker.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { adminOptions } from '../support/global-setup.ts';
import { standIn, standInBroker } from '../support/stand-in-broker.ts';

let gateway: TestGateway;
let sql: postgres.Sql;
let expire: (reason: string) => void;
let connects = 0;
afterEach(async () => {
  await sql.end();
  await gateway.stop();
});

const NOT_CONNECTED = { success: false, message: 'Broker Not Connected' };

/** A broker whose login ends when the test says so; its `n`th connect is what `connect` answers. */
async function start(unattended: boolean, connect: (n: number) => Awaited<ReturnType<Broker['connect']>>): Promise<void> {
  connects = 0;
  const { dhan } = standIn();
  const definition: BrokerDefinition = {
    ...dhan,
    create(env) {
      const broker = standInBroker();
      expire = env.onExpired;
      return { ...broker, traits: { ...broker.traits, unattended }, connect: async () => connect(++connects) };
    },
  };
  // In practice mode no person is ever needed.
  const mode: Record<string, string> = unattended ? {} : { GATEWAY_MODE: 'live', PRACTICE_LIMITS: 'on' };
  gateway = await startGateway({ env: { BROKERS: 'dhan', ...mode }, overrides: { brokers: { dhan: definition } } });
  sql = postgres(adminOptions(gateway.databaseUrl));
}

const login = (token: string, expiresAt = '2099-01-01T00:00:00.000Z') => ({
  success: true as const,
  account: 'TEST1',
  login: { values: { token }, expiresAt },
});
const kinds = async () => (await sql`select kind from tsm_events where kind like 'session.%' order by id`).map((row) => row.kind);
const stored = async () => (await sql`select account, expires_at from broker_sessions`).length;

describe('a login that ends', () => {
  it('and needs a person: inactive at once, forgotten, and a person is told what to do', async () => {
    await start(false, () => login('first'));
    expect(await stored()).toBe(1);
    expire('TokenException: incorrect access token');
    expect((await gateway.call('GET', '/broker/funds')).body).toEqual(NOT_CONNECTED);
    expect((await gateway.place(sbin)).body).toEqual({ ...NOT_CONNECTED, fill_status: 'REJECTED' });
    await expect.poll(kinds).toEqual(['session.connected', 'session.lost', 'session.login_needed']);
    const [lost, needed] = await sql`select detail from tsm_events where kind in ('session.lost', 'session.login_needed') order by id`;
    expect(lost?.detail.reason).toContain('incorrect access token');
    expect(needed?.detail.message).toContain('npm run login -- dhan');
    expect(await stored()).toBe(0);
    expect(connects).toBe(1);
    // After a person signed in, a connect takes it up again.
    expect((await gateway.call('POST', '/broker/connect?broker=dhan')).body.success).toBe(true);
  });
  it('and needs none: signed in again by itself, once', async () => {
    await start(true, (n) => login(`login ${n}`));
    expire('expired');
    await expect.poll(kinds).toEqual(['session.connected', 'session.lost', 'session.connected']);
    expect((await gateway.call('GET', '/broker/funds')).body.success).toBe(true);
    expect(connects).toBe(2);
    expect(await stored()).toBe(1);
  });
  it('and cannot be renewed: tried once, then a person is told why', async () => {
    await start(true, (n) => (n === 1 ? login('first') : { success: false, message: 'DHAN_PIN is wrong' }));
    expire('expired');
    await expect.poll(kinds).toEqual(['session.connected', 'session.lost', 'session.login_needed']);
    const [needed] = await sql`select detail from tsm_events where kind = 'session.login_needed'`;
    expect(needed?.detail.message).toMatch(/DHAN_PIN is wrong.*npm run login -- dhan/);
    expect(connects).toBe(2);
  });
  it('by its own time: known beforehand, and not used a moment longer', async () => {
    await start(false, () => login('short', new Date(Date.now() + 1500).toISOString()));
    expect((await gateway.call('GET', '/broker/funds')).body.success).toBe(true);
    await expect.poll(async () => (await gateway.call('GET', '/broker/funds')).body, { timeout: 10_000 }).toEqual(NOT_CONNECTED);
    await expect.poll(kinds).toEqual(['session.connected', 'session.lost', 'session.login_needed']);
  });
});

import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handleOn } from '../../server/db/handle.ts';
import { killSwitchKeeper } from '../../server/journal/kill-switch-record.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { adminOptions } from '../support/global-setup.ts';

let gateway: TestGateway;
let sql: postgres.Sql;

beforeAll(async () => {
  gateway = await startGateway({ connect: false });
  sql = postgres(adminOptions(gateway.databaseUrl));
});
afterAll(async () => {
  await sql.end();
  await gateway.stop();
});

const path = '/broker/kill-switch';
const turns = () => sql<{ detail: object }[]>`select detail from tsm_events where kind = 'kill_switch' order by id`;

/** What the next gateway on this database says of the switch. */
async function restarted(env: Record<string, string> = {}) {
  await gateway.halt();
  gateway = await startGateway({ from: gateway, connect: false, env });
  return (await gateway.call('GET', path)).body;
}

async function remembered(value: string): Promise<void> {
  await sql`delete from gateway_settings where name = 'kill_switch'`;
  await sql`insert into gateway_settings (name, value, updated_at) values ('kill_switch', ${value}, '2026-11-19T06:00:00Z')`;
}

describe('over HTTP', () => {
  it('needs a user', async () => {
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(gateway.url + path, { method, headers: { 'Content-Type': 'application/json' } });
      expect([method, answer.status]).toEqual([method, 401]);
    }
  });
  it('is read, turned by a user, and remembered with since and by, each turn with an event', async () => {
    expect((await gateway.call('GET', path)).body).toEqual({ success: true, on: false, since: null, by: null });
    const from = Date.now();
    const { status, body } = await gateway.call('POST', path, { on: true });
    expect(status).toBe(200);
    const [user] = await sql<{ name: string }[]>`select name from users`;
    expect(body).toEqual({ success: true, on: true, since: expect.stringMatching(/^20\d\d-.*Z$/), by: user?.name });
    expect(Date.parse(body.since)).toBeGreaterThanOrEqual(from);
    expect((await gateway.call('GET', path)).body).toEqual(body);
    expect(gateway.context.killSwitch.on).toBe(true);
    expect(await restarted()).toEqual(body);
    expect(await restarted({ KILL_SWITCH: 'off' })).toEqual(body);
    expect(await restarted({ KILL_SWITCH: 'on' })).toEqual(body);
    const released = (await gateway.call('POST', path, { on: false })).body;
    expect(released).toMatchObject({ success: true, on: false, by: user?.name });
    expect(await restarted({ KILL_SWITCH: 'false' })).toEqual(released);
    expect(await restarted({ KILL_SWITCH: 'true' })).toMatchObject({ on: true, by: 'setting' });
    expect((await turns()).map((turn) => turn.detail)).toEqual([
      { on: true, by: user?.name },
      { on: false, by: user?.name },
      { on: true, by: 'setting' },
    ]);
  }, 60_000);
  it('holds while the store is busy, says that it is not stored, and is stored later', async () => {
    await gateway.call('POST', path, { on: false });
    const before = (await turns()).length;
    const free = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const blocking = sql.begin(async (transaction) => {
      await transaction`lock table gateway_settings in exclusive mode`;
      locked.resolve();
      await free.promise;
    });
    await locked.promise;
    const answer = gateway.call('POST', path, { on: true });
    await expect.poll(() => gateway.context.killSwitch.on, { timeout: 15_000 }).toBe(true);
    expect(await answer).toMatchObject({ status: 200, body: { success: false, message: expect.stringContaining('not stored yet') } });
    expect((await gateway.call('GET', path)).body).toMatchObject({ success: true, on: true });
    free.resolve();
    await blocking;
    await expect.poll(async () => (await turns()).length, { timeout: 15_000 }).toBe(before + 1);
    expect(await restarted()).toMatchObject({ on: true });
  }, 60_000);
});

describe('what is remembered', () => {
  it.each([
    ['on', { on: true, since: '2026-11-19T06:00:00.000Z', by: null }],
    ['off', { on: false, since: '2026-11-19T06:00:00.000Z', by: null }],
    // Nobody knows what it says: entries wait for a person.
    ['of', { on: true, since: '2026-11-19T06:00:00.000Z', by: null }],
    ['off 12 2026-11-20T04:12:33.000Z a user', { on: false, since: '2026-11-20T04:12:33.000Z', by: 'a user' }],
  ])('as "%s" is read', async (value, expected) => {
    await remembered(value);
    expect(await restarted()).toEqual({ success: true, ...expected });
  });
  it('of the version before is replaced by the next turn', async () => {
    await remembered('on');
    expect(await restarted()).toMatchObject({ on: true });
    expect((await gateway.call('POST', path, { on: false })).body).toMatchObject({ success: true, on: false });
    expect(await restarted()).toMatchObject({ on: false });
  });
  it('is never replaced by an earlier turn that comes late', async () => {
    const keeper = killSwitchKeeper(handleOn(sql));
    const since = Date.parse('2026-11-20T04:12:33Z');
    const turn = (number: number, on: boolean) => ({ on, since, by: 'first', number });
    await remembered('on 9 2026-11-20T04:12:33.000Z first');
    const before = (await turns()).length;
    await keeper.write(turn(10, false));
    await keeper.write(turn(9, true));
    await keeper.write(turn(10, false));
    expect(await keeper.read()).toEqual(turn(10, false));
    expect(await turns()).toHaveLength(before + 1);
    await keeper.write(turn(11, true));
    expect(await keeper.read()).toEqual(turn(11, true));
  });
});

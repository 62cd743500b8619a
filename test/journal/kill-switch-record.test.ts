import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { killSwitchKeeper, type TurnKeeper, turnText } from '../../server/journal/kill-switch-record.ts';
import { recentSends } from '../../server/journal/recent-sends.ts';
import { ownDatabase } from './parts.ts';

const database = ownDatabase();
let keeper: TurnKeeper;
beforeAll(() => {
  keeper = killSwitchKeeper(database().db);
});
beforeEach(async () => {
  await database().db.$client`delete from gateway_settings where name = 'kill_switch'`;
  await database().db.$client`delete from tsm_events`;
});

const since = Date.parse('2026-11-20T04:12:33.000Z');
const turn = { on: true, since, by: 'first user', number: 7 };
const keep = (value: string) => database().db.$client`
  insert into gateway_settings (name, value) values ('kill_switch', ${value}) on conflict (name) do update set value = ${value}`;
const told = () => database().db.$client`select kind, detail from tsm_events order by id`;

describe('the kill switch in the store', () => {
  it('is off where it was never turned', async () => {
    expect(await keeper.read()).toEqual({ on: false, since: null, by: null, number: 0 });
  });
  it('is as it was turned last, each turn with its event', async () => {
    expect(turnText(turn)).toBe('on 7 2026-11-20T04:12:33.000Z first user');
    let commits = 0;
    const { tell } = database().db.commits;
    database().db.commits.tell = () => {
      commits += 1;
      tell.call(database().db.commits);
    };
    await keeper.write(turn);
    expect(await keeper.read()).toEqual(turn);
    await keeper.write({ ...turn, on: false, number: 8 });
    expect(await keeper.read()).toEqual({ ...turn, on: false, number: 8 });
    database().db.commits.tell = tell;
    expect(commits).toBe(2);
    expect(await told()).toEqual([
      { kind: 'kill_switch', detail: { on: true, by: 'first user' } },
      { kind: 'kill_switch', detail: { on: false, by: 'first user' } },
    ]);
  });
  it('is not turned back by a statement that comes late', async () => {
    await keeper.write({ ...turn, number: 10 });
    await keeper.write({ ...turn, number: 9, on: false });
    await keeper.write({ ...turn, number: 10, on: false });
    expect(await keeper.read()).toEqual({ ...turn, number: 10 });
    expect(await told()).toHaveLength(1);
  });
  it.each([
    ['off', false],
    ['on', true],
    ['what nobody can read', true],
    ['not off 7 2026-11-20T04:12:33.000Z first', true],
  ])('as “%s”, by a version before or by hand, is %s', async (value, on) => {
    await keep(value);
    expect(await keeper.read()).toEqual({ on, since: expect.any(Number), by: null, number: 0 });
    await keeper.write({ ...turn, number: 1, on: !on });
    expect(await keeper.read()).toMatchObject({ on: !on, number: 1 });
  });
});

it('sends of the day before count against the order budget: of this account, in their order, in ms', async () => {
  const now = Date.parse('2026-11-20T10:00:00.000Z');
  const event = (kind: string, agoMs: number, account = 'AB1234', broker = 'zerodha') => database().db.$client`
    insert into tsm_events (at, kind, broker, account) values (${new Date(now - agoMs).toISOString()}, ${kind}, ${broker}, ${account})`;
  await event('cancel.sending', 1000);
  await event('order.sending', 86_399_000);
  await event('modify.sending', 5000);
  await event('order.sending', 86_401_000);
  await event('order.accepted', 2000);
  await event('order.sending', 3000, 'ZZ');
  await event('order.sending', 3000, 'AB1234', 'dhan');
  expect(await recentSends(database().db, 'zerodha', 'AB1234', now)).toEqual([now - 86_399_000, now - 5000, now - 1000]);
});

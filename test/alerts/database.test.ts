import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { type Store, startStore } from '../chaos/store.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { scaledClock } from '../support/scaled-clock.ts';
import { type Receiver, startReceiver, until } from './receiver.ts';

let home: string;
let store: Store;
let receiver: Receiver;
let gateway: TestGateway;
let env: Record<string, string>;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'gateway-alerts-database-'));
  [store, receiver] = await Promise.all([startStore(home), startReceiver()]);
  const from = { databaseUrl: await store.create('alerts'), dataDir: home };
  env = { ...receiver.env, ALERT_ALL_WELL_AT: '00:00' };
  gateway = await startGateway({ from, env, overrides: { clock: scaledClock(4) } });
}, 60_000);
afterAll(async () => {
  await gateway.stop();
  await store.stop();
  await receiver.close();
  rmSync(home, { recursive: true, force: true });
});

it('a database that stands still is told while it does, and its end, each once, also over a restart', async () => {
  expect(await until(() => receiver.of('all_well').length === 1)).toBe(true);
  const wake = store.freeze();
  expect(await until(() => receiver.of('database', 'began').length === 1, 40_000)).toBe(true);
  expect(receiver.of('database')[0]?.what_to_do).toContain('Orders are refused meanwhile');
  // Over HTTP nobody can be asked for a user's token meanwhile.
  expect((await gateway.context.gateway.alerts()).standing).toMatchObject([{ kind: 'database' }]);
  wake();
  expect(await until(() => receiver.of('database', 'over').length === 1, 60_000)).toBe(true);
  const idle = async () =>
    (await gateway.call('GET', '/broker/alerts')).body.channels.every((one: { waiting: number }) => one.waiting === 0);
  expect(await until(idle)).toBe(true);
  await gateway.halt();
  gateway = await startGateway({ from: gateway, env });
  await systemClock.sleep(2500);
  expect(receiver.taken.map(({ kind, state }) => `${kind} ${state}`)).toEqual(['all_well happened', 'database began', 'database over']);
  expect(receiver.unsigned).toEqual([]);
}, 150_000);

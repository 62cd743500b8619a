import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AlertOverview } from '../../contract/alerts.ts';
import { shippedFile } from '../../server/calendar/read.ts';
import { systemClock, tradingDay } from '../../server/clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { adminOptions } from '../support/global-setup.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';
import { type Receiver, secret, startReceiver, until } from './receiver.ts';

const DAY_MS = 86_400_000;

let receiver: Receiver;
let database: TestDatabase;
let sql: postgres.Sql;
let home: string;
let calendar: string;
const running = new Set<GatewayProcess>();

beforeAll(async () => {
  [receiver, database] = await Promise.all([startReceiver(), createTestDatabase()]);
  sql = postgres(adminOptions(database.url));
  home = mkdtempSync(join(tmpdir(), 'gateway-alerts-'));
  calendar = join(home, 'calendar.json');
});
afterAll(async () => {
  for (const gateway of running) await gateway.killTree();
  await receiver.close();
  await sql.end();
  await database.drop();
  rmSync(home, { recursive: true, force: true });
});

/** A calendar that ends in so many days. */
function endsIn(days: number): void {
  const last = tradingDay(systemClock.now() + days * DAY_MS);
  const file = JSON.parse(readFileSync(shippedFile, 'utf8'));
  writeFileSync(calendar, JSON.stringify({ ...file, last_day: last, days: file.days.filter((one: { day: string }) => one.day <= last) }));
}

/** A live gateway without a broker: nothing trades, and what it tells stands over restarts. */
async function start(): Promise<GatewayProcess> {
  const env = {
    GATEWAY_MODE: 'live',
    BROKERS: '',
    DATA_DIR: home,
    DATABASE_URL: database.url,
    CALENDAR_FILE: calendar,
    ALERT_ALL_WELL_AT: '00:00',
  };
  const gateway = await startProcess({ ...env, ...receiver.env });
  running.add(gateway);
  return gateway;
}
async function kill(gateway: GatewayProcess): Promise<void> {
  await gateway.killTree();
  running.delete(gateway);
}
async function overview({ url, token }: GatewayProcess): Promise<AlertOverview> {
  const answer = await fetch(`${url}/broker/alerts`, { headers: { Authorization: `Bearer ${token}` } });
  return JSON.parse(await answer.text());
}

/** The check of docs/alerts.md takes what came, and refuses it changed, late, or under another secret. */
async function expectDocumentedCheck(): Promise<void> {
  const page = readFileSync(new URL('../../docs/alerts.md', import.meta.url), 'utf8');
  const snippet = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const { isOurs } = await import(`data:text/javascript,${encodeURIComponent(`${snippet}\nexport { isOurs };`)}`);
  const { headers, body } = receiver.newest ?? { headers: {}, body: '' };
  const late = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 400) };
  expect([
    isOurs(headers, body, secret),
    isOurs(headers, `${body} `, secret),
    isOurs(late, body, secret),
    isOurs(headers, body, 'whsec_AAAA'),
  ]).toEqual([true, false, false, false]);
}

it('a kill -9 between write and send, and many more: each is told once, and its end', async () => {
  endsIn(10);
  receiver.answer = 'fail';
  let gateway = await start();
  // Written, and nobody takes them.
  const written = async () => (await overview(gateway)).channels.every((one) => one.waiting === 2);
  expect(await until(written)).toBe(true);
  expect(await until(() => receiver.requests >= 2)).toBe(true);
  await kill(gateway);
  expect(receiver.taken).toEqual([]);

  await receiver.quiet();
  receiver.answer = 'take';
  gateway = await start();
  expect(await until(() => receiver.taken.length === 2 && receiver.texts.length === 2)).toBe(true);
  const told = ['all_well happened', 'calendar_ends began'];
  expect(receiver.taken.map(({ kind, state }) => `${kind} ${state}`).sort()).toEqual(told);
  expect((await overview(gateway)).standing).toMatchObject([{ kind: 'calendar_ends' }]);
  // Once they are marked the next start sends nothing. Where the store was slow that is a moment after nothing waits.
  const marked = async () => Number((await sql`select count(sent_at) from alert_outbox`)[0]?.count);
  expect(await until(async () => (await marked()) === 4)).toBe(true);
  await kill(gateway);

  gateway = await start();
  await systemClock.sleep(3000);
  expect(receiver.taken.map(({ kind, state }) => `${kind} ${state}`).sort()).toEqual(told);
  expect((await overview(gateway)).standing).toHaveLength(1);
  await kill(gateway);

  // What is over meanwhile is told by the next process.
  endsIn(200);
  gateway = await start();
  expect(await until(() => receiver.of('calendar_ends', 'over').length === 1)).toBe(true);
  expect((await overview(gateway)).standing).toEqual([]);
  expect(receiver.unsigned).toEqual([]);
  await expectDocumentedCheck();
  const errors = gateway.errors();
  await kill(gateway);
  expect(errors).not.toContain('very-secret-path');
}, 60_000);

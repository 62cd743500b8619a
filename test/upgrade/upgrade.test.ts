import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { migrationFiles } from '../../server/db/migrate.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type Fixture, readFixture, standUp, token } from './fixture.ts';

const MINUTE_MS = 60_000;
let gateway: TestGateway | undefined;
let drop: (() => Promise<void>) | undefined;

afterEach(async () => {
  await gateway?.stop();
  await drop?.();
});

/** This version's gateway on what that one left, a minute later by its clock. */
async function upgrade(fixture: Fixture): Promise<TestGateway> {
  const from = await standUp(fixture);
  drop = async () => {
    await from.drop();
    rmSync(from.dataDir, { recursive: true, force: true });
  };
  const behind = Date.now() - fixture.at - MINUTE_MS;
  const clock = { ...systemClock, now: () => systemClock.now() - behind };
  return await startGateway({ from, env: { GATEWAY_TOKEN: token }, overrides: { clock } });
}

const order = (symbol: string, instrument: string, more: object) => ({
  ...{ symbol, token: instrument, exchange: 'NSE', order_type: 'MARKET', product_type: 'INTRADAY', transaction_type: 'BUY', price: 0 },
  ...more,
});

/** What was placed at the time, with its key. */
const placed = {
  held: order('SBIN', '779521', { quantity: 10 }),
  bought: order('INFY', '408065', { quantity: 5 }),
  sold: order('INFY', '408065', { quantity: 5, transaction_type: 'SELL' }),
  resting: order('TCS', '2953217', { quantity: 3, order_type: 'LIMIT', price: 2800 }),
};

describe.each(['0.2.0', '2026-11-23'])('a database of %s', (name) => {
  const fixture = readFixture(name);
  const rows = (table: string) => fixture.tables[table] ?? [];
  const requests = () => gateway?.context.exchange?.exchange.ledger().requests;

  it('is brought up to date, and nothing of it is lost: keys replay, positions, orders and the trail are there', async () => {
    gateway = await upgrade(fixture);
    const { sql } = gateway.context;
    const applied = await sql`select count(*)::int as count from drizzle.__drizzle_migrations`;
    expect(applied).toEqual([{ count: migrationFiles().length }]);
    const sent = requests();
    for (const [key, body] of Object.entries(placed)) {
      const answer = await gateway.place({ ...body, idempotency_key: key });
      expect(answer.headers.get('Idempotency-Replayed'), key).toBe('true');
      expect(answer.headers.has('Idempotency-Key-Mismatch'), key).toBe(false);
      expect(answer.text, key).toBe(rows('idempotency_records').find((row) => row.key === `k:${key}`)?.response);
    }
    expect(requests()).toEqual(sent);
    const again = await gateway.place(order('SBIN', '779521', { quantity: 10, idempotency_key: 'another' }));
    expect(again.body).toMatchObject({ success: false, status: 'BLOCKED' });
    expect(requests()).toEqual(sent);
    const open = await gateway.call('GET', '/broker/records/positions?status=OPEN');
    expect(open.body.positions).toMatchObject([{ symbol: 'SBIN', net_quantity: 10 }]);
    const { body: book } = await gateway.call('GET', '/broker/records/orders');
    const ids = rows('tsm_orders').map(({ order_id }) => order_id);
    expect(book.orders.map((one: { order_id: string }) => one.order_id)).toEqual(expect.arrayContaining(ids));
    const trail = await sql`select id::int as id, kind from tsm_events where id <= ${rows('tsm_events').length} order by id`;
    expect([...trail]).toEqual(rows('tsm_events').map(({ id, kind }) => ({ id, kind })));
    for (const [table, kept] of Object.entries(fixture.tables)) {
      const [counted] = await sql`select count(*)::int as count from ${sql(table)}`;
      if (!made.has(table)) expect(counted?.count, table).toBeGreaterThanOrEqual(kept.length);
    }
  });

  it('goes on trading: what rests is cancelled, what is held leaves, once', async () => {
    gateway = await upgrade(fixture);
    const resting = rows('tsm_orders').find(({ symbol, quantity }) => symbol === 'TCS' && quantity === 3);
    const cancel = await gateway.call('POST', '/broker/orders/cancel', { order_id: resting?.order_id });
    expect(cancel.body).toMatchObject({ success: true });
    const exit = await gateway.call('POST', '/broker/exits', { all: true });
    expect(exit.body).toMatchObject({ success: true, flat: true, positions: [{ symbol: 'SBIN', outcome: 'FLAT' }] });
    const entered = await gateway.place(order('SBIN', '779521', { quantity: 2, idempotency_key: 'after' }));
    expect(entered.body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 2 });
  });
});

/** Tables whose rows end by themselves: what was asked, what was told and is over, old instrument files. */
const made = new Set(['order_requests', 'alert_standings', 'alert_outbox', 'instruments', 'instrument_masters', 'broker_sessions']);

import { expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../server/clock.ts';
import { readConfig } from '../../server/config/config.ts';
import type { Meters } from '../../server/meters.ts';
import { createMetrics } from '../../server/ops/metrics.ts';
import { until } from '../db/support.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { age } from './aged.ts';

const LOOK_EVERY_MS = 30 * 60_000;
/** When exchanges are closed, and when they trade. */
const SUNDAY = Date.parse('2026-11-22T12:00:00+05:30');
const WEDNESDAY = Date.parse('2026-11-25T10:00:00+05:30');
const BEFORE_OPENING = Date.parse('2026-11-25T08:30:00+05:30');

/** A clock that shows another moment and on which the half hours between two looks pass at once. */
function clockAt(moment: number): { clock: Clock; looks: () => number } {
  const ahead = moment - systemClock.now();
  let looks = 0;
  function sleep(...[ms, signal]: Parameters<Clock['sleep']>): Promise<void> {
    if (ms === LOOK_EVERY_MS) looks += 1;
    return systemClock.sleep(ms === LOOK_EVERY_MS ? 10 : ms, signal);
  }
  return { clock: { ...systemClock, now: () => systemClock.now() + ahead, sleep }, looks: () => looks };
}

/** A gateway that has traded: a round trip, a resting order, a position that is open after a round trip in the same instrument; then stopped, and all of it made years older. */
async function aged(): Promise<TestGateway> {
  const gateway = await startGateway();
  onTestFinished(() => gateway.stop());
  const place = async (order: object, key: string) => (await gateway.place({ ...sbin, ...order, idempotency_key: key })).body;
  expect((await place({}, 'bought')).fill_status).toBe('FILLED');
  expect((await place({ transaction_type: 'SELL' }, 'sold')).fill_status).toBe('FILLED');
  const infy = { symbol: 'INFY', token: '408065', product_type: 'DELIVERY' };
  expect((await place(infy, 'begun')).fill_status).toBe('FILLED');
  expect((await place({ ...infy, transaction_type: 'SELL' }, 'ended')).fill_status).toBe('FILLED');
  expect((await place(infy, 'held')).fill_status).toBe('FILLED');
  const { body: quoted } = await gateway.call('GET', '/broker/quotes?instruments=NSE:SBIN');
  const price = Math.floor(quoted.quotes[0].last_price * 0.97);
  const resting = await place({ order_type: 'LIMIT', price }, 'rests');
  expect(resting, JSON.stringify(resting)).toMatchObject({ fill_status: 'PENDING' });
  await gateway.halt();
  await age(gateway.databaseUrl);
  return gateway;
}

const again = (from: TestGateway, clock: Clock, meters?: Meters) =>
  startGateway({ from, overrides: { clock, meters }, connect: false, env: { KEEP_TRADES_YEARS: '8', KEEP_EVENTS_YEARS: '8' } });

/** What stands: keys of orders, symbols of positions, and how many rows of the rest. */
async function standing({ context: { sql } }: TestGateway) {
  const [rows] = await sql`
    select (select string_agg(key, ' ' order by key) from idempotency_records r join order_details using (broker, account, order_id)) as orders,
      (select string_agg(symbol || ' ' || status, ', ' order by symbol, status) from tsm_positions) as positions,
      (select count(*)::integer from position_details) as details, (select count(*)::integer from trade_history) as trades,
      (select count(*)::integer from trade_learning) as learned, (select count(*)::integer from equity_points) as points,
      (select string_agg(distinct key, ' ') from tsm_events where key is not null and order_id is null and kind = 'order.sending') as sent,
      (select count(*)::integer from tsm_events where at < now() - interval '5 years' and order_id is null and key is distinct from 'k:lost') as events,
      (select string_agg(distinct key, ' ' order by key) from tsm_events where order_id is not null) as told,
      (select count(*)::integer from idempotency_records where key = 'k:lost') as lost`;
  return rows;
}

it('deletes what is older than the settings keep, and nothing that is open or whose fate is not known', async () => {
  const from = await aged();
  const { clock } = clockAt(SUNDAY);
  const metrics = createMetrics({ process: false });
  const gateway = await again(from, clock, metrics.meters);
  onTestFinished(() => gateway.halt());
  const left = {
    // What was closed in INFY stays: the open position may go on from there.
    ...{ orders: 'k:begun k:ended k:held k:rests', positions: 'INFY CLOSED, INFY OPEN', details: 2, trades: 3, learned: 1, points: 0 },
    ...{ sent: 'k:lost', events: 0, told: 'k:begun k:ended k:held k:rests', lost: 1 },
  };
  await until(async () => (await standing(gateway))?.events === 0, 20_000);
  expect(await standing(gateway)).toEqual(left);
  const counted = async () =>
    [...(await metrics.page(null)).matchAll(/gateway_records_cut_total\{records="(\w+)"\} [1-9]/g)].map(([, records]) => records);
  await until(async () => (await counted()).length === 4, 20_000);
  expect(await counted()).toEqual(['positions', 'orders', 'equity', 'events']);
});

it.each([
  ['while an exchange trades', WEDNESDAY],
  ['shortly before one opens', BEFORE_OPENING],
])('deletes nothing %s', async (_, moment) => {
  const from = await aged();
  const { clock, looks } = clockAt(moment);
  const gateway = await again(from, clock);
  onTestFinished(() => gateway.halt());
  const before = await standing(gateway);
  expect(before).toMatchObject({ positions: 'INFY CLOSED, INFY OPEN, SBIN CLOSED', trades: 5, learned: 2 });
  const begun = looks();
  await until(async () => looks() >= begun + 5, 20_000);
  expect(await standing(gateway)).toEqual(before);
});

it('keeps the audit trail as long as the orders that it tells of', () => {
  expect(() => readConfig({ KEEP_TRADES_YEARS: '9' })).toThrow(/^KEEP_EVENTS_YEARS: must be at least KEEP_TRADES_YEARS, 9/);
  expect(() => readConfig({ KEEP_TRADES_YEARS: '0', KEEP_EVENTS_YEARS: '8' })).toThrow(
    /^KEEP_TRADES_YEARS: must be whole years from 1 to 100/,
  );
  expect(readConfig({ KEEP_EVENTS_YEARS: '10' }).keep).toEqual({ tradesYears: 8, eventsYears: 10 });
});

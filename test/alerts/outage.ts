import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { Alerts } from '../../server/alerts/alerts.ts';
import { MOST_WAITING } from '../../server/alerts/delivery.ts';
import { type Clock, systemClock, systemRandom } from '../../server/clock.ts';
import { readConfig } from '../../server/config/config.ts';
import { handleOn } from '../../server/db/handle.ts';
import { EventHub } from '../../server/events/hub.ts';
import { silentLog } from '../../server/log.ts';
import { startStore } from '../chaos/store.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { scaledClock } from '../support/scaled-clock.ts';
import { type Receiver, startReceiver, until } from './receiver.ts';

/** What an outage of the receivers came to. */
export interface Outage {
  /** Hours the receivers were away, on the moved clock. */
  hours: number;
  /** Milliseconds of an order, placed beside no alerts and beside alerts that do not get away. */
  alone: { p50: number; p99: number };
  beside: { p50: number; p99: number };
  /** Bytes of heap in use after a collection: after the first share beside alerts, and after the last. */
  heap: { first: number; last: number };
  /** Most alerts that waited on a channel. */
  most: number;
  dropped: number;
  /** Delivered once the receivers were back: by the webhook, its ids, and whether the loss was told first. */
  delivered: number;
  distinct: number;
  toldOfLoss: boolean;
}

/** How much faster the alerts' clock runs than the orders'. */
const FASTER = 240;
const LOOK_MS = 1000;

/** Alerts wait on a clock of their own, and look at its real pace: their looks are part of what is measured. */
function alertClock(): Clock {
  const moved = scaledClock(FASTER);
  return { ...moved, sleep: (ms, signal) => (ms === LOOK_MS ? systemClock : moved).sleep(ms, signal) };
}

/** Shares of `seconds` in turn: orders alone, orders beside a receiver that hangs, alone, beside one that fails. Events that are told come all the while. */
export async function runOutage(shares: number, seconds: number, say: (line: string) => void): Promise<Outage> {
  const home = mkdtempSync(join(tmpdir(), 'gateway-alert-outage-'));
  const store = await startStore(home);
  const receiver = await startReceiver();
  const gateway = await startGateway({ from: { databaseUrl: await store.create('outage'), dataDir: home } });
  const clock = alertClock();
  const alone: number[] = [];
  const beside: number[] = [];
  const heaps: number[] = [];
  let most = 0;
  let dropped = 0;
  let hours = 0;
  try {
    await placeFor(gateway, seconds, []);
    for (let share = 0; share < shares; share += 1) {
      await placeFor(gateway, seconds, alone);
      receiver.answer = share % 2 === 0 ? 'hang' : 'fail';
      const alerts = alertsOf(gateway, receiver, clock);
      const from = clock.now();
      const storming = storm(gateway, seconds);
      await placeFor(gateway, seconds, beside);
      await storming;
      hours += (clock.now() - from) / 3_600_000;
      const { channels } = await alerts.alerts();
      most = Math.max(most, ...channels.map(({ waiting }) => waiting));
      dropped += channels[0]?.dropped ?? 0;
      await alerts.stop();
      globalThis.gc?.();
      heaps.push(process.memoryUsage().heapUsed);
      say(
        `${receiver.answer}: ${channels.map(({ channel, waiting }) => `${waiting} wait on ${channel}`).join(', ')}; heap ${megabytes(heaps.at(-1) ?? 0)} MB`,
      );
    }
    await receiver.quiet();
    receiver.answer = 'take';
    // On the moved clock ten seconds of patience are an instant: what a busy machine takes later would be sent again.
    const ahead = clock.now() - systemClock.now();
    const alerts = alertsOf(gateway, receiver, { ...systemClock, now: () => systemClock.now() + ahead });
    // What an earlier one left is read first.
    await until(async () => receiver.taken.length > 0 && (await alerts.alerts()).channels.every(({ waiting }) => waiting === 0), 120_000);
    await alerts.stop();
    const delivered = receiver.taken.length;
    const told = receiver.taken.filter(({ kind }) => kind === 'dropped');
    return {
      ...{ hours, alone: quantiles(alone), beside: quantiles(beside), most, dropped, delivered, distinct: receiver.alerts.length },
      heap: { first: heaps[0] ?? 0, last: heaps.at(-1) ?? 0 },
      toldOfLoss: dropped === 0 || told.length > 0,
    };
  } finally {
    await gateway.halt();
    await receiver.close();
    await store.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The alerts of a gateway, beside those it has itself, which are off. */
function alertsOf(gateway: TestGateway, receiver: Receiver, clock: Clock): Alerts {
  const db = handleOn(gateway.context.sql);
  const alerts = new Alerts({
    ...{ db, clock, random: systemRandom, log: silentLog(), mode: 'practice', brokers: ['zerodha'] },
    settings: readConfig({ ...receiver.env, ALERT_ALL_WELL_AT: '00:00' }).alerts,
    hub: new EventHub({ db, clock: systemClock, log: silentLog() }),
    killSwitch: gateway.context.killSwitch,
    activeBroker: () => 'zerodha',
    nextTryAt: () => null,
    settled: () => true,
    unresolved: () => gateway.context.unresolved(),
    feedSilentMs: () => 0,
    isOpen: () => true,
    calendarEnds: null,
    profit: async () => null,
  });
  alerts.start();
  return alerts;
}

/** Events of three kinds that are told, ten a second. */
async function storm(gateway: TestGateway, seconds: number): Promise<void> {
  const db = handleOn(gateway.context.sql);
  for (let count = 0; count < seconds * 10; count += 1) {
    await db.execute(sql`
      insert into tsm_events (kind, broker, symbol, order_id, detail) values
        ('kill_switch', null, null, null, '{"on": true, "by": "storm"}'),
        ('order.resolved', 'zerodha', 'SBIN', '1', '{"fill_status": "REJECTED"}'),
        ('position.corrected', 'zerodha', 'SBIN', null, '{"exchange": "NSE", "style": "INTRADAY", "believed": 1, "held": 2}')`);
    await systemClock.sleep(100);
  }
}

/** Buys and sells one after the other for so long; what each took is added to `took`. */
async function placeFor(gateway: TestGateway, seconds: number, took: number[]): Promise<void> {
  const end = systemClock.mono() + seconds * 1000;
  for (let side = 'BUY'; systemClock.mono() < end || side === 'SELL'; side = side === 'BUY' ? 'SELL' : 'BUY') {
    const began = systemClock.mono();
    const { body } = await gateway.place({ ...sbin, transaction_type: side });
    if (body.fill_status !== 'FILLED') throw new Error(`an order was not filled: ${JSON.stringify(body)}`);
    took.push(systemClock.mono() - began);
  }
}

function quantiles(values: readonly number[]): { p50: number; p99: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => Number((sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1));
  return { p50: at(0.5), p99: at(0.99) };
}

export function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

/** Why an outage was not what it has to be; empty when it was. */
export function faultsOf({ alone, beside, heap, most, delivered, distinct, toldOfLoss }: Outage): string[] {
  const faults: string[] = [];
  if (beside.p50 > alone.p50 * 1.25 + 2) faults.push(`an order takes ${beside.p50} ms beside them and ${alone.p50} ms alone`);
  if (heap.last > heap.first + 12 * 1024 * 1024) faults.push('the heap grows');
  if (most > MOST_WAITING + 1) faults.push(`${most} wait on a channel`);
  if (delivered !== distinct) faults.push(`${delivered - distinct} came twice`);
  if (!toldOfLoss) faults.push('nobody was told of what was dropped');
  return faults;
}

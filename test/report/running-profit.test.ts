import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { type Database, openDatabase } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { dayOf } from '../../server/report/day.ts';
import { earningsOf, sumOf } from '../../server/report/day-profit.ts';
import type { PositionDay } from '../../server/report/position-rows.ts';
import { RunningProfit } from '../../server/report/running-profit.ts';
import { ReportStore } from '../../server/report/store.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';

const WHO = { broker: 'zerodha', account: 'PR0001', mode: 'practice' };
const SYMBOLS = ['SBIN', 'TCS', 'INFY', 'ITC', 'RELIANCE'];

let gateway: TestGateway;
let database: Database;
beforeAll(async () => {
  gateway = await startGateway();
  database = await openDatabase({ mode: 'practice', dataDir: 'unused', databaseUrl: gateway.databaseUrl, log: silentLog(), beside: true });
});
afterAll(async () => {
  await database?.close();
  await gateway?.stop();
});

/** Positions that each read brought. */
const brought: number[] = [];

class Counted extends ReportStore {
  override async read<Result>(work: Parameters<ReportStore['read']>[0]): Promise<Result> {
    const found = await super.read(work);
    if (Array.isArray(found)) brought.push((found[1] as PositionDay).rows.length);
    return found as Result;
  }
}

let monoMs = 0;
const prices = { price: () => ({ rupees: 812.35, at: Date.now() }), close: () => 800 };

function says({ realised, unrealised, total, known, unknown }: ReturnType<typeof sumOf>) {
  return [realised.toFixed(), unrealised?.toFixed(), total?.toFixed(), known.toFixed(), unknown];
}

/**
 * Until the transactions of all that share this server are over which began before now. While one of them is open, what was written since it began is
 * read again.
 */
async function settled(): Promise<void> {
  const sql = database.db.$client;
  const [now] = await sql`select pg_current_xact_id()::text as id`;
  const over = () => sql`select 1 from pg_current_snapshot() as s where pg_snapshot_xmin(s) > ${now?.id}::xid8`;
  await expect.poll(async () => (await over()).length).toBe(1);
}

/** The running profit and the whole day's are one; how many positions were read for the former, each time. */
async function compared(running: RunningProfit): Promise<number[]> {
  const day = dayOf(Date.now());
  brought.length = 0;
  const stands = await running.read(WHO, day);
  const read = [...brought];
  const all = await earningsOf({ store: new ReportStore(database.db, systemClock), prices }, WHO, day);
  expect(says(stands.profit)).toEqual(says(sumOf(day, all)));
  expect(stands.positions).toBe(all.length);
  return read;
}

test('the running profit of a day is the whole one, of what changed alone', { timeout: 60_000 }, async () => {
  const running = new RunningProfit({ store: new Counted(database.db, systemClock), prices, clock: { mono: () => monoMs } });
  expect(await compared(running)).toEqual([0]);
  let round = 0;
  async function trade(transaction_type: string, symbol: string): Promise<void> {
    round += 1;
    const { body } = await gateway.place({ ...sbin, symbol, token: '', transaction_type, idempotency_key: `running-${round}` });
    expect(body.fill_status).toBe('FILLED');
  }
  for (const symbol of SYMBOLS) {
    await trade('BUY', symbol);
    await compared(running);
    await trade('SELL', symbol);
    await compared(running);
  }
  await trade('BUY', 'SBIN');
  // It settles rows itself now and then.
  await gateway.halt();
  await settled();
  await compared(running);
  // Nothing was written since, and one is open.
  expect(await compared(running)).toEqual([1]);
  const sql = database.db.$client;
  await sql`update tsm_positions set updated_at = updated_at where status = 'CLOSED'`;
  await settled();
  expect(await compared(running)).toEqual([SYMBOLS.length + 1]);
  expect(await compared(running)).toEqual([1]);
  // A transaction that began before the last read, and ends after it.
  const written = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  const slow = sql.begin(async (tx) => {
    await tx`update tsm_positions set realized_pnl = realized_pnl + 1, updated_at = now() where symbol = 'RELIANCE'`;
    written.resolve();
    await read.promise;
  });
  await written.promise;
  expect(await compared(running)).toEqual([1]);
  read.resolve();
  await slow;
  await settled();
  expect(await compared(running)).toEqual([2]);
  // A closed one that was put right.
  await sql`update tsm_positions set realized_pnl = realized_pnl + 5, updated_at = now() where symbol = 'TCS'`;
  await settled();
  expect(await compared(running)).toEqual([2]);
  // It opens again.
  await sql`update tsm_positions set status = 'OPEN', qty = 1, closed_at = null, updated_at = now() where symbol = 'INFY'`;
  await settled();
  expect(await compared(running)).toEqual([2]);
  // A row that goes is missed when they are counted: all are read again.
  await sql`delete from position_details where position_id = (select id from tsm_positions where symbol = 'ITC')`;
  monoMs += 10_000;
  expect(await compared(running)).toEqual([2, SYMBOLS.length]);
  // And in any case after ten minutes.
  monoMs += 600_000;
  expect(await compared(running)).toEqual([SYMBOLS.length]);
});

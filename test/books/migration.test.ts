import postgres from 'postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readAddress } from '../../server/db/address.ts';
import { createGate, type Gate } from '../../server/db/gate.ts';
import { handleOn } from '../../server/db/handle.ts';
import { migrateDatabase } from '../../server/db/migrate.ts';
import { types } from '../../server/db/open.ts';
import { attempt } from '../orders/parts.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { migrateUpTo } from '../support/migrations.ts';
import { filled, imbalance, START, who } from './parts.ts';

let database: TestDatabase;
let gate: Gate;
let sql: postgres.Sql;
beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
  gate = createGate(readAddress(database.url));
  gate.open();
  sql = postgres({ ...gate.options, max: 2, types });
});
afterEach(async () => {
  await sql.end();
  await database.drop();
});

it('an open row of before, half closed, goes on in the books as it stood', async () => {
  await migrateUpTo(sql, '0000_first');
  await sql`insert into tsm_capital (id, deployed_capital, realized_pnl) values (1, 5, 150)`;
  await sql`
    insert into tsm_positions (id, symbol, broker, exchange, style, side, qty, entry_price, status, mode, realized_pnl, exit_price)
    values (1, 'SBIN', 'zerodha', 'NSE', 'INTRADAY', 'BUY', 10, 800, 'OPEN', 'practice', 150, 815)`;
  await sql`insert into position_details (position_id, account, closed_quantity, exit_value) values (1, 'AB1234', 10, 8150)`;
  await sql`select setval('tsm_positions_id_seq', 1)`;
  await migrateDatabase(gate.options);
  expect(await sql`select open_cost, closed_cost from position_details`).toEqual([
    { open_cost: '8000.0000000000', closed_cost: '8000.0000000000' },
  ]);
  expect(await imbalance(sql)).toEqual([]);
  await filled(handleOn(sql), { transaction_type: 'SELL', average_price: 820 }, START);
  expect(await sql`select status, qty, realized_pnl, exit_price from tsm_positions`).toEqual([
    { status: 'CLOSED', qty: 0, realized_pnl: '350.0000', exit_price: '817.5000' },
  ]);
  expect(await sql`select deployed_capital, realized_pnl from tsm_capital`).toEqual([
    { deployed_capital: '0.0000', realized_pnl: '350.0000' },
  ]);
});

const DAY_MS = 86_400_000;

/** As the version before kept an order and its details. */
async function recorded(id: string, at: number, { account = who.account, external = false } = {}): Promise<void> {
  await sql`
    with made as (
      insert into tsm_orders (order_id, broker, symbol, exchange, side, product, quantity, filled_quantity, avg_price, status, mode, created_at)
      values (${id}, ${who.broker}, 'SBIN', 'NSE', 'BUY', 'INTRADAY', 10, 10, 800, 'FILLED', 'practice', to_timestamp(${at / 1000}))
    )
    insert into order_details (broker, order_id, account, external) values (${who.broker}, ${id}, ${account}, ${external})`;
  await sql`
    insert into trade_history (broker, account, trade_id, order_id, symbol, exchange, side, product, quantity, price, traded_at, mode, derived)
    values (${who.broker}, ${account}, ${`${id}:10`}, ${id}, 'SBIN', 'NSE', 'BUY', 'INTRADAY', 10, 800, to_timestamp(${at / 1000}), 'practice', true)`;
}

async function attempted(id: string, day: string, account = who.account): Promise<void> {
  const one = attempt({ key: `k:${account}:${day}:${id}` });
  await sql`
    insert into idempotency_records (key, state, owner, request_hash, broker, account, trading_day, tag, symbol, exchange, side, order_type, product,
      quantity, price, started_at, order_id)
    values (${one.key}, 'DONE', 'process', 'hash', ${who.broker}, ${account}, ${day}, 'tag', 'SBIN', 'NSE', 'BUY', 'MARKET', 'INTRADAY', 10, 0, now(), ${id})`;
}

it('orders of before belong to the day of their attempt, else to the one they were made on, and so do their trades', async () => {
  await migrateUpTo(sql, '0004_pending_by_symbol');
  // 20:00 in India.
  const evening = START + 10 * 3_600_000;
  await recorded('day', START);
  await attempted('day', '2026-11-20');
  await recorded('amo', evening);
  await attempted('amo', '2026-11-23');
  await recorded('hand', evening + 5 * 3_600_000, { external: true });
  await recorded('other', START, { account: 'ZZ' });
  await attempted('other', '2026-11-25');
  // An attempt of an earlier day under an id that came again.
  await recorded('again', START);
  await attempted('again', '2026-11-13');
  await sql`
    insert into trade_history (broker, account, trade_id, order_id, symbol, exchange, side, product, quantity, price, traded_at, mode)
    values (${who.broker}, ${who.account}, '9', 'nobody', 'SBIN', 'NSE', 'BUY', 'INTRADAY', 1, 800, to_timestamp(${START / 1000 - 86_400}), 'practice')`;
  await migrateDatabase(gate.options);
  const days = { day: '2026-11-20', amo: '2026-11-23', hand: '2026-11-21', other: '2026-11-20', again: '2026-11-20' };
  const rows = await sql<{ order_id: string; trading_day: string; same: boolean }[]>`
    select d.order_id, d.trading_day, o.created_at = d.created_at as same from order_details d join tsm_orders o on o.order_id = d.order_id`;
  expect(Object.fromEntries(rows.map((row) => [row.order_id, row.trading_day]))).toEqual(days);
  expect(rows.every(({ same }) => same)).toBe(true);
  const trades = await sql<{ order_id: string; trading_day: string }[]>`select order_id, trading_day from trade_history`;
  expect(Object.fromEntries(trades.map((row) => [row.order_id, row.trading_day]))).toEqual({ ...days, nobody: '2026-11-19' });
  await filled(handleOn(sql), { order_id: 'day' }, START + DAY_MS);
  expect(await sql`select trading_day from order_details where order_id = 'day' order by 1`).toEqual([
    { trading_day: '2026-11-20' },
    { trading_day: '2026-11-21' },
  ]);
});

it('100,000 order records of before are brought over', async () => {
  await migrateUpTo(sql, '0004_pending_by_symbol');
  const at = sql`to_timestamp(${START / 1000}::float8 + n * 60)`;
  await sql`
    insert into tsm_orders (order_id, broker, symbol, exchange, side, product, quantity, filled_quantity, avg_price, status, mode, created_at)
    select 'o' || n, ${who.broker}, 'SBIN', 'NSE', 'BUY', 'INTRADAY', 10, 10, 800, 'FILLED', 'practice', ${at} from generate_series(1, 100000) n`;
  await sql`insert into order_details (broker, order_id, account) select ${who.broker}, 'o' || n, ${who.account} from generate_series(1, 100000) n`;
  await sql`
    insert into trade_history (broker, account, trade_id, order_id, symbol, exchange, side, product, quantity, price, traded_at, mode)
    select ${who.broker}, ${who.account}, n::text, 'o' || n, 'SBIN', 'NSE', 'BUY', 'INTRADAY', 10, 800, ${at}, 'practice' from generate_series(1, 100000) n`;
  const began = performance.now();
  await migrateDatabase(gate.options);
  console.log(`100,000 order records migrated in ${Math.round(performance.now() - began)} ms`);
  const [row] = await sql`
    select count(*) as count from order_details d join tsm_orders o using (broker, order_id, created_at)
    join trade_history t using (broker, account, order_id, trading_day)`;
  expect(row).toEqual({ count: 100_000 });
}, 90_000);

import { readFileSync } from 'node:fs';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readAddress } from '../../server/db/address.ts';
import { createGate } from '../../server/db/gate.ts';
import { types } from '../../server/db/open.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { filled, imbalance, START } from './parts.ts';

let database: TestDatabase;
let sql: postgres.Sql;
beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
  const gate = createGate(readAddress(database.url));
  gate.open();
  sql = postgres({ ...gate.options, max: 2, types });
});
afterEach(async () => {
  await sql.end();
  await database.drop();
});

async function migrate(name: string): Promise<void> {
  const text = readFileSync(new URL(`../../drizzle/migrations/${name}.sql`, import.meta.url), 'utf8');
  for (const statement of text.split('--> statement-breakpoint')) await sql.unsafe(statement);
}

it('an open row of before, half closed, goes on in the books as it stood', async () => {
  await migrate('0000_first');
  await sql`insert into tsm_capital (id, deployed_capital, realized_pnl) values (1, 5, 150)`;
  await sql`
    insert into tsm_positions (id, symbol, broker, exchange, style, side, qty, entry_price, status, mode, realized_pnl, exit_price)
    values (1, 'SBIN', 'zerodha', 'NSE', 'INTRADAY', 'BUY', 10, 800, 'OPEN', 'practice', 150, 815)`;
  await sql`insert into position_details (position_id, account, closed_quantity, exit_value) values (1, 'AB1234', 10, 8150)`;
  await sql`select setval('tsm_positions_id_seq', 1)`;
  await migrate('0001_books');
  expect(await sql`select open_cost, closed_cost from position_details`).toEqual([
    { open_cost: '8000.0000000000', closed_cost: '8000.0000000000' },
  ]);
  expect(await imbalance(sql)).toEqual([]);
  await filled(sql, { transaction_type: 'SELL', average_price: 820 }, START);
  expect(await sql`select status, qty, realized_pnl, exit_price from tsm_positions`).toEqual([
    { status: 'CLOSED', qty: 0, realized_pnl: '350.0000', exit_price: '817.5000' },
  ]);
  expect(await sql`select deployed_capital, realized_pnl from tsm_capital`).toEqual([
    { deployed_capital: '0.0000', realized_pnl: '350.0000' },
  ]);
});

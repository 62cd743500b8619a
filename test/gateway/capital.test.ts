import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emulators } from '../../server/exchange/emulators.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { adminOptions } from '../support/global-setup.ts';

let gateway: TestGateway;
let sql: postgres.Sql;
beforeAll(async () => {
  gateway = await startGateway({ connect: false });
  sql = postgres(adminOptions(gateway.databaseUrl));
});
afterAll(async () => {
  await sql.end();
  await gateway.stop();
});

it("takes each account's free funds as its capital, once, and adds the accounts up", async () => {
  let accounts = 0;
  for (const { id } of emulators) {
    expect((await gateway.call('POST', `/broker/connect?broker=${id}`)).body, id).toMatchObject({ success: true });
    accounts += 1;
    const opened = () => sql`select funds, opening from book_accounts where broker = ${id}`;
    await expect.poll(opened, { timeout: 10_000 }).toMatchObject([{ funds: '1000000.0000', opening: '1000000.0000' }]);
    const [capital] = await sql`select total_capital, available_capital, deployed_capital, realized_pnl from tsm_capital`;
    const total = `${accounts * 1_000_000}.0000`;
    expect(capital, id).toMatchObject({
      total_capital: total,
      available_capital: total,
      deployed_capital: '0.0000',
      realized_pnl: '0.0000',
    });
  }
  expect((await gateway.call('POST', '/broker/connect?broker=zerodha')).body.success).toBe(true);
  expect(await sql`select 1 from tsm_events where kind = 'capital.opened' and broker = 'zerodha'`).toHaveLength(1);
}, 60_000);

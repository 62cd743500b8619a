import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { watchedInstruments } from '../../server/books/open-positions.ts';
import { handleOn } from '../../server/db/handle.ts';
import { fingerprint, imbalance } from '../books/parts.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { adminOptions } from '../support/global-setup.ts';

let first: TestGateway;
let gateway: TestGateway;
let sql: postgres.Sql;
beforeAll(async () => {
  first = await startGateway();
  gateway = first;
  sql = postgres(adminOptions(gateway.databaseUrl));
});
afterAll(async () => {
  await sql.end();
  await gateway.halt();
  await first.stop();
});

function venue() {
  const { exchange } = gateway.context;
  if (!exchange) throw new Error('no practice exchange');
  return exchange;
}

async function restart(options: { connect?: boolean } = {}): Promise<void> {
  await gateway.halt();
  gateway = await startGateway({ from: first, ...options });
}

const quiet = { timeout: 30_000, interval: 200 };
const settled = () => expect.poll(() => sql`select 1 from trade_history where derived`, quiet).toHaveLength(0);
const position = async (symbol: string) =>
  (await sql`select side, qty, status from tsm_positions where symbol = ${symbol} order by id desc limit 1`)[0];
const hand = { exchange: 'NSE', side: 'BUY', product: 'INTRADAY' } as const;

it('starts while positions cannot be read: HTTP answers, orders keep the rules of the guard, and the books catch up when it heals', async () => {
  expect((await gateway.place({ ...sbin, symbol: 'INFY', idempotency_key: 'held' })).body.fill_status).toBe('FILLED');
  await settled();
  await restart({ connect: false });
  // What happens while nobody looks: ours is sold by hand, and something else bought.
  venue().exchange.placeByHand('zerodha', { ...hand, symbol: 'INFY', side: 'SELL', orderType: 'MARKET', quantity: 4 });
  venue().exchange.placeByHand('zerodha', { ...hand, symbol: 'WIPRO', orderType: 'MARKET', quantity: 3 });
  venue().faults.plant({ kind: 'status5xxBefore', operation: 'positions', times: 'always' });
  await gateway.context.autoConnect();
  expect((await gateway.call('GET', '/')).body).toMatchObject({ broker: 'zerodha', status: 'ready' });
  expect((await gateway.call('GET', '/broker/funds')).body.success).toBe(true);
  expect((await gateway.call('GET', '/broker/positions')).body.success).toBe(false);
  const entry = await gateway.place({ ...sbin, symbol: 'TCS', idempotency_key: 'blind' });
  expect(entry.body).toMatchObject({ success: false, status: 'BLOCKED', message: expect.stringContaining('could not be read') });
  // Orders were reconciled all the same, so the exit of what is left of it is known.
  await expect.poll(() => position('INFY'), quiet).toMatchObject({ side: 'BUY', qty: '6', status: 'OPEN' });
  const exit = await gateway.place({ ...sbin, symbol: 'INFY', transaction_type: 'SELL', quantity: 6, idempotency_key: 'exit' });
  expect(exit.body).toMatchObject({ success: true, fill_status: 'FILLED' });
  await sql`with old as (update position_details set touched_at = now() - interval '1 minute') update tsm_positions set qty = 9 where symbol = 'WIPRO' and status = 'OPEN'`;
  await sql`update trade_history set frozen = true where symbol = 'WIPRO'`;
  venue().faults.clear();
  await expect.poll(() => position('WIPRO'), { timeout: 45_000, interval: 200 }).toMatchObject({ qty: '3', status: 'OPEN' });
  expect(await position('INFY')).toMatchObject({ qty: '0', status: 'CLOSED' });
  expect((await gateway.place({ ...sbin, symbol: 'TCS', idempotency_key: 'seen' })).body.fill_status).toBe('FILLED');
}, 120_000);

it('follows an order placed elsewhere to its end, marked external, and never touches it', async () => {
  venue().exchange.setPrice('NSE', 'ITC', '400');
  const placed = venue().exchange.placeByHand('zerodha', { ...hand, symbol: 'ITC', orderType: 'LIMIT', price: '390', quantity: 5 });
  if (!placed.ok) throw new Error(placed.refusal.code);
  const record = () =>
    sql`select o.status, d.external, o.filled_quantity from tsm_orders o join order_details d using (broker, order_id, created_at) where o.order_id = ${placed.order.orderId}`;
  await restart();
  await expect.poll(record, quiet).toMatchObject([{ status: 'PLACED', external: true }]);
  expect(
    (await watchedInstruments(handleOn(sql), { broker: 'zerodha', account: 'PR0001', mode: 'practice' })).map((one) => one.symbol),
  ).toContain('ITC');
  venue().exchange.setPrice('NSE', 'ITC', '389');
  await expect.poll(record, quiet).toMatchObject([{ status: 'FILLED', external: true, filled_quantity: '5' }]);
  await expect.poll(() => position('ITC'), quiet).toMatchObject({ side: 'BUY', qty: '5' });
  const [order] = venue()
    .exchange.account('zerodha')
    .orders()
    .filter((one) => one.orderId === placed.order.orderId);
  expect(order?.modifications).toBe(0);
  expect(await sql`select 1 from tsm_events where kind in ('modify.sending', 'cancel.sending')`).toHaveLength(0);
}, 60_000);

it('a start whose records agree with the broker writes none of them', async () => {
  await settled();
  await restart();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const before = await fingerprint(sql, { events: false });
  await restart();
  const passes = () => sql`select 1 from tsm_events where kind = 'session.connected'`;
  const connected = (await passes()).length;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(connected).toBeGreaterThan(2);
  // The feed writes last prices; nothing else may move.
  const tables = (text: string) => text.split('\n').filter((line) => !line.startsWith('tsm_positions'));
  expect(tables(await fingerprint(sql, { events: false }))).toEqual(tables(before));
  expect(
    await sql`select kind from tsm_events where id > (select max(id) from tsm_events where kind = 'session.connected') and kind !~ '^(session|feed)'`,
  ).toEqual([]);
  expect(await imbalance(sql)).toEqual([]);
}, 60_000);

import { tmpdir } from 'node:os';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { practiceCredentials } from '../../server/exchange/emulators.ts';
import { type PracticeExchange, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { sbin } from '../support/gateway.ts';
import { adminOptions } from '../support/global-setup.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';

/** A gateway process that can be killed, and an exchange that outlives it. */
let venue: PracticeExchange;
let database: TestDatabase;
let gateway: GatewayProcess;
let sql: postgres.Sql;
let env: Record<string, string>;
const token = 'a-token-of-this-test-with-more-than-32-characters';

beforeAll(async () => {
  [venue, database] = await Promise.all([
    startExchange({ ports: 'free', seed: 11, limits: false, clock: systemClock, log: silentLog() }),
    createTestDatabase(),
  ]);
  sql = postgres(adminOptions(database.url));
  env = {
    GATEWAY_MODE: 'live',
    BROKERS: 'zerodha',
    GATEWAY_TOKEN: token,
    POSITION_GUARD: 'off',
    DATABASE_URL: database.url,
    DATA_DIR: tmpdir(),
    ZERODHA_API_URL: venue.urls.zerodha?.api ?? '',
    ...Object.fromEntries(Object.entries(practiceCredentials('zerodha')).map(([name, value]) => [`ZERODHA_${name}`, value])),
  };
  gateway = await startProcess(env);
}, 60_000);
afterAll(async () => {
  await gateway.killTree();
  await sql.end({ timeout: 1 });
  await venue.close();
  await database.drop();
});

async function place(change: object) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ ...sbin, ...change });
  const answer = await fetch(`${gateway.url}/broker/orders/place`, { method: 'POST', headers, body });
  const said: ReturnType<typeof JSON.parse> = await answer.json();
  return { status: answer.status, headers: answer.headers, body: said };
}

const orderOf = async (symbol: string) =>
  await sql`select status, strategy, ai_confidence, reason from tsm_orders where symbol = ${symbol} order by created_at`;
const positionsOf = async (symbol: string) =>
  await sql`select side, status, strategy, ai_confidence from tsm_positions where symbol = ${symbol} order by id`;

it('stands with the order, the position it opens and what that earned; a repeat with other words replays', async () => {
  const buy = await place({ idempotency_key: 'in', strategy: 'breakout', ai_confidence: 0.72 });
  expect(buy.body).toMatchObject({ success: true, fill_status: 'FILLED' });
  const again = await place({ idempotency_key: 'in', strategy: 'another', ai_confidence: null });
  expect(again.body).toEqual(buy.body);
  expect([again.headers.get('Idempotency-Replayed'), again.headers.get('Idempotency-Key-Mismatch')]).toEqual(['true', null]);
  // One that adds, and one that closes and flips: the first position stays its opener's, the second is the flipper's.
  await place({ idempotency_key: 'more', strategy: 'adder', ai_confidence: 1 });
  await place({ idempotency_key: 'flip', strategy: 'reversal', transaction_type: 'SELL', quantity: 25 });
  expect(await orderOf('SBIN')).toMatchObject([
    { strategy: 'breakout', ai_confidence: '0.7200', reason: null },
    { strategy: 'adder', ai_confidence: '1.0000' },
    { strategy: 'reversal', ai_confidence: null },
  ]);
  expect(await positionsOf('SBIN')).toEqual([
    { side: 'BUY', status: 'CLOSED', strategy: 'breakout', ai_confidence: '0.7200' },
    { side: 'SELL', status: 'OPEN', strategy: 'reversal', ai_confidence: null },
  ]);
  expect(await sql`select strategy from trade_learning where symbol = 'SBIN'`).toEqual([{ strategy: 'breakout' }]);
});

it.each([
  [{ strategy: 'a'.repeat(65) }, 'strategy: must be text of 1 to 64 characters, or null'],
  [{ strategy: 'tab\t' }, 'strategy: must hold neither control characters nor halves of characters'],
  [{ strategy: '' }, 'strategy: must be text of 1 to 64 characters, or null'],
  [{ ai_confidence: 1.01 }, 'ai_confidence: must be at most 1'],
  [{ ai_confidence: -0.1 }, 'ai_confidence: must be a number of at least 0, or null'],
  [{ ai_confidence: '0.5' }, 'ai_confidence: must be a number of at least 0, or null'],
])('%j is 422', async (change, message) => {
  expect(await place(change)).toMatchObject({ status: 422, body: { success: false, message } });
});

it('survives kill -9 while the order is at the broker', async () => {
  venue.faults.plant({ kind: 'hangAfterAccept', operation: 'place' });
  const hanging = place({ symbol: 'INFY', idempotency_key: 'killed', strategy: 'survivor', ai_confidence: 0.5 }).catch(() => undefined);
  await expect.poll(() => venue.exchange.ledger().orders.some(({ symbol }) => symbol === 'INFY'), { timeout: 10_000 }).toBe(true);
  expect(await sql`select state, strategy from idempotency_records where key = 'k:killed'`).toEqual([
    { state: 'SENDING', strategy: 'survivor' },
  ]);
  await gateway.killTree();
  await hanging;
  gateway = await startProcess(env);
  const known = { strategy: 'survivor', ai_confidence: '0.5000' };
  await expect.poll(() => orderOf('INFY'), { timeout: 30_000 }).toMatchObject([{ status: 'FILLED', ...known }]);
  await expect.poll(() => positionsOf('INFY'), { timeout: 10_000 }).toEqual([{ side: 'BUY', status: 'OPEN', ...known }]);
}, 90_000);

it('is nobody’s where an order was placed elsewhere', async () => {
  const hand = { symbol: 'WIPRO', exchange: 'NSE', side: 'BUY', orderType: 'MARKET', product: 'INTRADAY', quantity: 3 } as const;
  venue.exchange.placeByHand('zerodha', hand);
  // An order of ours makes the gateway look.
  await place({ symbol: 'TCS', idempotency_key: 'look', strategy: 'ours' });
  const nobodys = { strategy: null, ai_confidence: null };
  await expect.poll(() => positionsOf('WIPRO'), { timeout: 70_000 }).toMatchObject([{ status: 'OPEN', ...nobodys }]);
  expect(await orderOf('WIPRO')).toMatchObject([nobodys]);
}, 90_000);

it('an order the exchange rejects has the reason in its record, as in its answer', async () => {
  venue.faults.plant({ kind: 'rejectByRisk', operation: 'place' });
  const { body } = await place({ symbol: 'ITC', idempotency_key: 'risky', strategy: 'hopeful' });
  expect(body).toMatchObject({ success: true, fill_status: 'REJECTED', message: expect.stringContaining('RMS') });
  expect(await orderOf('ITC')).toEqual([{ status: 'REJECTED', strategy: 'hopeful', ai_confidence: null, reason: body.message }]);
});

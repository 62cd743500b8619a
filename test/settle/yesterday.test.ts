import { expect, it } from 'vitest';
import type { Clock } from '../../server/clock.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { scaledClock } from '../support/scaled-clock.ts';
import { orders } from './command.ts';

const FACTOR = 8;

/** Fast time that begins at a moment in India. */
function clockFrom(start: string): Clock {
  const scaled = scaledClock(FACTOR);
  const ahead = Date.parse(start) - scaled.now();
  return { ...scaled, now: () => scaled.now() + ahead };
}

const requestsOf = ({ context }: TestGateway) => context.exchange?.exchange.ledger().requests.length ?? 0;

it("settles yesterday's orders after a restart, and leaves positions as reconciliation made them since", async () => {
  const evening = await startGateway({ overrides: { clock: clockFrom('2026-11-19T15:29:00+05:30') } });
  const { databaseUrl, dataDir } = evening;
  const { faults } = evening.context.exchange ?? {};
  faults?.plant({ kind: 'status5xxBefore', operation: 'orders', times: 'always' });
  faults?.plant({ kind: 'lostRequest', operation: 'place' });
  expect((await evening.place({ ...sbin, symbol: 'INFY' })).body).toMatchObject({ fill_status: 'UNKNOWN' });
  faults?.plant({ kind: 'resetAfterAccept', operation: 'place' });
  const held = { ...sbin, symbol: 'TCS', idempotency_key: 'held' };
  expect((await evening.place(held)).body).toMatchObject({ fill_status: 'UNKNOWN' });
  const [bought] = evening.context.exchange?.exchange.ledger().orders ?? [];
  await evening.halt();

  const from = { databaseUrl, dataDir };
  const morning = await startGateway({ from, overrides: { clock: clockFrom('2026-11-20T08:55:00+05:30') } });
  const states = () => morning.context.sql`select distinct state from idempotency_records`;
  await expect.poll(states, { timeout: 20_000 }).toEqual([{ state: 'UNRESOLVED' }]);
  await morning.halt();
  const later = await startGateway({ from, overrides: { clock: clockFrom('2026-11-20T09:10:00+05:30') } });
  const { sql } = later.context;
  const command = (...args: string[]) => orders({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir }, ...args);
  const positions = () => sql`select symbol, qty, status, entry_price from tsm_positions order by id`;
  const capital = () => sql`select deployed_capital, realized_pnl from tsm_capital`;
  // What yesterday's order bought stands in the broker's positions, and so in ours.
  await expect.poll(positions, { timeout: 20_000 }).toMatchObject([{ symbol: 'TCS', qty: 10, status: 'OPEN' }]);
  const before = [[...(await positions())], [...(await capital())]];

  const listed = (await command('list')).out;
  const key = /^f:\w{64}$/m.exec(listed)?.[0] ?? '';
  expect(listed).toMatch(/UNRESOLVED since 2026-11-19 15:29:\d\d IST/);
  expect(listed.indexOf('k:held')).toBeGreaterThan(0);
  const said = ['--filled', '10', '--at', '3500.5', '--order', bought?.orderId ?? '', '--reason', 'contract note'];
  expect(await command('resolve', 'held', ...said)).toMatchObject({ code: 0, out: expect.stringContaining('FILLED, 10 at 3500.5') });
  expect(await command('resolve', key, '--absent')).toMatchObject({ code: 0 });
  expect((await command('list')).out).toContain('no order whose fate is not known');
  expect(await command('resolve', 'held', ...said)).toMatchObject({ code: 1, err: expect.stringContaining('settled already') });

  const replay = await later.place(held);
  expect(replay.body).toMatchObject({ success: true, order_id: bought?.orderId, fill_status: 'FILLED', avg_fill_price: 3500.5 });
  expect(replay.headers.get('Order-Resolved-At')).toMatch(/^2026-11-20T03:4/);
  expect(await sql`select order_id, status, filled_quantity from tsm_orders where symbol in ('TCS', 'INFY')`).toEqual([
    { order_id: bought?.orderId, status: 'FILLED', filled_quantity: 10 },
  ]);
  const trades = await sql`select order_id, quantity, position_id, frozen from trade_history`;
  expect(trades).toEqual([{ order_id: bought?.orderId, quantity: 10, position_id: null, frozen: true }]);
  const events =
    await sql`select detail ->> 'reason' as reason, detail ->> 'was' as was from tsm_events where kind = 'order.settled' order by id`;
  expect(events).toEqual([
    { reason: 'contract note', was: 'UNRESOLVED' },
    { reason: '', was: 'UNRESOLVED' },
  ]);
  expect([[...(await positions())], [...(await capital())]]).toEqual(before);
  // A reconciliation that read everything after that: it has adopted what a hand bought.
  const hand = { exchange: 'NSE', symbol: 'ITC', side: 'BUY', orderType: 'MARKET', product: 'INTRADAY', quantity: 1 } as const;
  later.context.exchange?.exchange.placeByHand('zerodha', hand);
  await later.call('POST', '/broker/connect?broker=zerodha');
  await expect.poll(positions, { timeout: 20_000 }).toHaveLength(2);
  expect([...(await positions())].filter(({ symbol }) => symbol === 'TCS')).toEqual(before[0]);

  // A fingerprint of yesterday answers no order of today.
  const fresh = await later.place({ ...sbin, symbol: 'INFY' });
  expect(fresh.headers.get('Idempotency-Replayed')).toBeNull();
  expect(fresh.body).toMatchObject({ success: true, fill_status: 'FILLED' });
  expect(requestsOf(later)).toBe(3);
  await later.halt();
  await evening.stop();
}, 120_000);

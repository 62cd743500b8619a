import postgres from 'postgres';
import { expect, it } from 'vitest';
import type { Broker, BrokerDefinition, Listing, Sent } from '../../server/brokers/broker.ts';
import { zerodha } from '../../server/brokers/zerodha/adapter.ts';
import { type Clock, tradingDay } from '../../server/clock.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { adminOptions } from '../support/global-setup.ts';
import { scaledClock } from '../support/scaled-clock.ts';
import { venueOf } from './fast.ts';

const FACTOR = 8;

/** Fast time that begins at a moment in India. */
function clockFrom(start: string): Clock {
  const scaled = scaledClock(FACTOR);
  const ahead = Date.parse(start) - scaled.now();
  return { ...scaled, now: () => scaled.now() + ahead };
}

/** Order ids that begin anew each day, between the gateway and the broker's own: A1, A2, ... */
class DailyIds {
  readonly #given = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  give(own: string, day: string): string {
    const known = this.#given.get(own);
    if (known) return known;
    const count = (this.#counts.get(day) ?? 0) + 1;
    this.#counts.set(day, count);
    this.#given.set(own, `A${count}`);
    return `A${count}`;
  }

  /** The broker's own id of the newest order that was given this one. */
  own(id: string): string {
    return [...this.#given].findLast(([, given]) => given === id)?.[0] ?? id;
  }
}

function withDailyIds(ids: DailyIds, clock: () => Clock): BrokerDefinition {
  const today = () => tradingDay(clock().now());
  const told = (sent: Sent): Sent => (sent.order_id ? { ...sent, order_id: ids.give(sent.order_id, today()) } : sent);
  function renamed<Row extends { order_id: string }>(listing: Listing<Row>, at: (row: Row) => string | null): Listing<Row> {
    if (!listing.success) return listing;
    const dayOf = (row: Row) => tradingDay(Date.parse(at(row) ?? ''));
    return { ...listing, normalized: listing.normalized.map((row) => ({ ...row, order_id: ids.give(row.order_id, dayOf(row)) })) };
  }
  function wrap(broker: Broker): Broker {
    return {
      id: broker.id,
      traits: broker.traits,
      connect: (stored) => broker.connect(stored),
      logout: () => broker.logout(),
      close: () => broker.close(),
      profile: () => broker.profile(),
      funds: () => broker.funds(),
      holdings: () => broker.holdings(),
      positions: () => broker.positions(),
      orders: async () => renamed(await broker.orders(), (row) => row.placed_at),
      tradebook: async () => renamed((await broker.tradebook?.()) ?? { success: false, message: 'none' }, (row) => row.traded_at),
      placeOrder: async (order, tag) => told(await broker.placeOrder(order, tag)),
      modifyOrder: async (change) => told(await broker.modifyOrder({ ...change, orderid: ids.own(change.orderid) })),
      cancelOrder: async (orderId) => told(await broker.cancelOrder(ids.own(orderId))),
    };
  }
  return { ...zerodha, create: (env) => wrap(zerodha.create(env)) };
}

it('a broker whose order ids begin anew each day: two days of orders, fills, cancels and trades, and a restart', async () => {
  let clock = clockFrom('2026-11-19T10:00:00+05:30');
  const definition = withDailyIds(new DailyIds(), () => clock);
  const open = (from?: TestGateway) => startGateway({ ...(from && { from }), overrides: { clock, brokers: { zerodha: definition } } });
  const first = await open();
  const sql = postgres(adminOptions(first.databaseUrl));
  const confirmed = () => expect.poll(() => sql`select 1 from trade_history where derived`, { timeout: 20_000 }).toHaveLength(0);
  const placed = async (gateway: TestGateway, order: object, id: string) => {
    const { body } = await gateway.place({ ...sbin, ...order });
    expect(body).toMatchObject({ success: true, order_id: id });
    return body;
  };
  const limit = { symbol: 'ITC', order_type: 'LIMIT', price: 390 };
  const hand = { exchange: 'NSE', symbol: 'WIPRO', side: 'BUY', orderType: 'MARKET', product: 'INTRADAY', quantity: 3 } as const;

  const bought = await placed(first, { idempotency_key: 'bought' }, 'A1');
  expect((await placed(first, { ...limit, idempotency_key: 'rests' }, 'A2')).fill_status).toBe('PENDING');
  venueOf(first).exchange.placeByHand('zerodha', hand);
  await expect.poll(() => sql`select 1 from tsm_positions where symbol = 'WIPRO' and qty = 3`, { timeout: 20_000 }).toHaveLength(1);
  await confirmed();
  await first.halt();

  clock = clockFrom('2026-11-20T10:00:00+05:30');
  const second = await open(first);
  const sold = await placed(second, { transaction_type: 'SELL', idempotency_key: 'sold' }, 'A1');
  expect([bought.fill_status, sold.fill_status]).toEqual(['FILLED', 'FILLED']);
  await placed(second, { ...limit, quantity: 4, idempotency_key: 'rests again' }, 'A2');
  expect((await second.call('POST', '/broker/orders/cancel', { order_id: 'A2' })).body.success).toBe(true);
  venueOf(second).exchange.placeByHand('zerodha', { ...hand, side: 'SELL' });
  await expect.poll(() => sql`select 1 from tsm_positions where symbol = 'WIPRO' and status = 'OPEN'`, { timeout: 20_000 }).toHaveLength(0);
  await confirmed();
  await second.halt();
  const third = await open(first);
  expect((await third.place({ ...sbin, idempotency_key: 'bought' })).body).toEqual(bought);
  await expect
    .poll(() => sql`select status from tsm_orders where symbol = 'ITC' and quantity = 4`, { timeout: 20_000 })
    .toEqual([{ status: 'CANCELLED' }]);

  const orders = await sql`
    select d.trading_day as day, d.order_id as id, o.side, o.status, o.quantity::int, d.external
    from order_details d join tsm_orders o using (broker, order_id, created_at) order by 1, 2`;
  const [own, other] = [{ external: false }, { external: true }];
  expect(orders).toEqual([
    { day: '2026-11-19', id: 'A1', side: 'BUY', status: 'FILLED', quantity: 10, ...own },
    { day: '2026-11-19', id: 'A2', side: 'BUY', status: expect.stringMatching('CANCELLED|UNKNOWN'), quantity: 10, ...own },
    { day: '2026-11-19', id: 'A3', side: 'BUY', status: 'FILLED', quantity: 3, ...other },
    { day: '2026-11-20', id: 'A1', side: 'SELL', status: 'FILLED', quantity: 10, ...own },
    { day: '2026-11-20', id: 'A2', side: 'BUY', status: 'CANCELLED', quantity: 4, ...own },
    { day: '2026-11-20', id: 'A3', side: 'SELL', status: 'FILLED', quantity: 3, ...other },
  ]);
  const executed =
    await sql`select trading_day as day, order_id as id, sum(quantity)::int as quantity from trade_history group by 1, 2 order by 1, 2`;
  expect(executed).toEqual(orders.filter(({ status }) => status === 'FILLED').map(({ day, id, quantity }) => ({ day, id, quantity })));
  expect(await sql`select 1 from tsm_positions where status = 'OPEN'`).toHaveLength(0);
  expect(await sql`select realized_pnl::float from tsm_positions where symbol = 'SBIN'`).toEqual([
    { realized_pnl: expect.closeTo((sold.avg_fill_price - bought.avg_fill_price) * 10, 4) },
  ]);
  expect(await sql`select kind from tsm_events where kind like 'position.%' and kind <> 'position.multiplier'`).toEqual([]);
  await sql.end();
  await third.halt();
  await first.stop();
}, 120_000);

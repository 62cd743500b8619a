import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { adminOptions } from '../support/global-setup.ts';

let gateway: TestGateway;
let sql: postgres.Sql;

function venue(of = gateway) {
  const { exchange } = of.context;
  if (!exchange) throw new Error('no practice exchange');
  return exchange;
}

beforeAll(async () => {
  gateway = await startGateway();
  sql = postgres(adminOptions(gateway.databaseUrl));
});
afterAll(async () => {
  await sql.end();
  await gateway.stop();
});

describe('bad numbers', () => {
  it.each([null, '', true, '5', [7], 1.5, 0, -1, undefined])('quantity %j is 422, claims nothing and sends nothing', async (quantity) => {
    const { status, body } = await gateway.place({ ...sbin, quantity, idempotency_key: 'bad' });
    expect(status).toBe(422);
    expect(body).toMatchObject({ success: false, issues: [{ path: 'quantity', message: expect.any(String) }] });
    expect(body.message).toContain('quantity');
    expect(await sql`select key from idempotency_records`).toHaveLength(0);
    expect(venue().exchange.ledger().requests).toHaveLength(0);
  });
  it('price -1 is 422', async () => {
    const { status, body } = await gateway.place({ ...sbin, price: -1 });
    expect(status).toBe(422);
    expect(body.issues[0].path).toBe('price');
  });
});

describe('text nobody can write down', () => {
  it.each(['SB\0IN', 'SBIN\n', 'SB\ud800IN'])('symbol %j is 422, claims nothing and sends nothing', async (symbol) => {
    const { status, body } = await gateway.place({ ...sbin, symbol });
    expect(status).toBe(422);
    expect(body.issues).toEqual([{ path: 'symbol', message: expect.stringContaining('control characters') }]);
    expect(await sql`select key from idempotency_records`).toHaveLength(0);
    expect(venue().exchange.ledger().requests).toHaveLength(0);
  });
});

describe('what is written down', () => {
  it('a round trip: order, position, capital, trades, learning and an event for each step', async () => {
    const buy = await gateway.place({ ...sbin, idempotency_key: 'in' });
    const [order] = await sql`select * from tsm_orders where order_id = ${buy.body.order_id}`;
    expect(order).toMatchObject({
      broker: 'zerodha',
      symbol: 'SBIN',
      exchange: 'NSE',
      side: 'BUY',
      order_type: 'MARKET',
      product: 'INTRADAY',
      status: 'FILLED',
      mode: 'practice',
      strategy: null,
      ai_confidence: null,
      reason: null,
    });
    expect(Number(order?.filled_quantity)).toBe(10);
    expect(Number(order?.avg_price)).toBe(buy.body.avg_fill_price);
    const [open] = await sql`select * from tsm_positions where status = 'OPEN'`;
    expect(open).toMatchObject({
      symbol: 'SBIN',
      style: 'INTRADAY',
      side: 'BUY',
      entry_order_id: buy.body.order_id,
      stop_loss: null,
      target_price: null,
    });
    expect(Number(open?.qty)).toBe(10);
    const sell = await gateway.place({ ...sbin, transaction_type: 'SELL', idempotency_key: 'out' });
    const profit = (sell.body.avg_fill_price - buy.body.avg_fill_price) * 10;
    const [closed] = await sql`select * from tsm_positions where id = ${open?.id}`;
    expect(closed).toMatchObject({ status: 'CLOSED', exit_reason: 'ORDER' });
    expect(Number(closed?.realized_pnl)).toBeCloseTo(profit, 4);
    expect(Number(closed?.exit_price)).toBe(sell.body.avg_fill_price);
    const [capital] = await sql`select * from tsm_capital where id = 1`;
    expect(Number(capital?.realized_pnl)).toBeCloseTo(profit, 4);
    expect(Number(capital?.deployed_capital)).toBe(0);
    expect(await sql`select 1 from trade_history`).toHaveLength(2);
    expect(await sql`select 1 from trade_learning`).toHaveLength(1);
    const kinds = (await sql`select kind from tsm_events where key = 'k:in' order by id`).map((row) => row.kind);
    expect(kinds).toEqual(['order.sending', 'order.accepted', 'order.done']);
  });
  it('the stored answer is the text that was sent', async () => {
    const answer = await gateway.place({ ...sbin, symbol: 'TCS', idempotency_key: 'text' });
    const [row] = await sql`select response, state from idempotency_records where key = 'k:text'`;
    expect(row).toEqual({ response: answer.text, state: 'DONE' });
  });
  it('the broker login is kept encrypted', async () => {
    const [row] = await sql`select sealed, account from broker_sessions where broker = 'zerodha'`;
    expect(row?.account).toBe('PR0001');
    expect(Buffer.from(row?.sealed, 'base64').toString('latin1')).not.toContain('practice');
  });
  it('API tokens are kept as hashes', async () => {
    const rows = await sql`select token_hash from users`;
    expect(rows).toHaveLength(1);
    expect(rows[0]?.token_hash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('start-up', () => {
  it('survives a failing positions query, and brings the records to the broker once it heals', async () => {
    await gateway.place({ ...sbin, symbol: 'INFY', idempotency_key: 'kept' });
    // Once the exchange's own trades stand, nothing but the broker's positions tells of it.
    await expect.poll(async () => await sql`select 1 from trade_history where derived`, { timeout: 20_000 }).toHaveLength(0);
    await sql`
      with settled as (update position_details set touched_at = now() - interval '1 minute')
      update tsm_positions set qty = 7 where symbol = 'INFY' and status = 'OPEN'`;
    await gateway.halt();
    const again = await startGateway({ from: gateway, connect: false });
    expect(again.context.loaded.positions.map((row) => row.symbol).sort()).toEqual(['INFY', 'TCS']);
    expect(again.context.loaded.capital.realized_pnl).toEqual(expect.any(String));
    const hand = { symbol: 'WIPRO', exchange: 'NSE', side: 'BUY', orderType: 'MARKET', product: 'INTRADAY', quantity: 3 } as const;
    venue(again).exchange.placeByHand('zerodha', hand);
    venue(again).faults.plant({ kind: 'status5xxBefore', operation: 'positions', times: 1 });
    await again.context.autoConnect();
    expect((await again.call('GET', '/')).body.broker).toBe('zerodha');
    await expect
      .poll(async () => (await sql`select qty from tsm_positions where symbol = 'INFY' and status = 'OPEN'`)[0]?.qty, { timeout: 10_000 })
      .toBe('10');
    await expect
      .poll(async () => await sql`select 1 from tsm_positions where symbol = 'WIPRO' and status = 'OPEN'`, { timeout: 10_000 })
      .toHaveLength(1);
    const events =
      await sql`select kind, symbol, detail from tsm_events where kind like 'position.%' or kind = 'order.external' order by kind`;
    expect(events).toMatchObject([
      { kind: 'order.external', symbol: 'WIPRO', detail: { side: 'BUY', quantity: 3 } },
      { kind: 'position.corrected', symbol: 'INFY', detail: { believed: 7, held: 10 } },
    ]);
    await again.halt();
  }, 60_000);
});

describe('the kill switch', () => {
  it('refuses entries, lets exits and cancels pass, and survives a restart', async () => {
    const first = await startGateway({ from: gateway });
    const resting = await first.place({ ...sbin, symbol: 'ITC', order_type: 'LIMIT', price: 390, idempotency_key: 'rest' });
    await first.context.killSwitch.set(true, 'test');
    await first.halt();
    const second = await startGateway({ from: gateway });
    const entry = await second.place({ ...sbin, symbol: 'LT', idempotency_key: 'entry' });
    expect(entry.body).toEqual({ success: false, message: expect.stringContaining('kill switch') });
    expect(entry.headers.get('Retry-After')).toBe('60');
    const exit = await second.place({ ...sbin, symbol: 'TCS', transaction_type: 'SELL', idempotency_key: 'exit' });
    expect(exit.body.fill_status).toBe('FILLED');
    expect((await second.call('POST', '/broker/orders/cancel', { order_id: resting.body.order_id })).body.success).toBe(true);
    await second.context.killSwitch.set(false, 'test');
    expect((await second.place({ ...sbin, symbol: 'LT', idempotency_key: 'entry' })).body.fill_status).toBe('FILLED');
    await second.halt();
  }, 40_000);
});

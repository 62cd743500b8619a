import { describe, expect, it, onTestFinished } from 'vitest';
import { proven } from '../support/proven.ts';
import { marketOrder, shareAt, startFast, venueOf } from './fast.ts';

describe.each(proven)('%s: an exit after shares were sold by hand', (id) => {
  // While positions lag, what was sold is taken off, shown or not: it may leave some, and the same exit closes it later.
  it.each([
    { lagMs: 4000, atOnce: false },
    { lagMs: 0, atOnce: true },
  ])('never goes below what is left, with positions that lag by $lagMs ms', { timeout: 60_000 }, async ({ lagMs, atOnce }) => {
    const fast = await startFast(id, { env: { POSITION_GUARD: 'off' } });
    onTestFinished(() => fast.gateway.stop());
    const { gateway, clock } = fast;
    const { exchange, faults } = venueOf(gateway);
    const share = shareAt(gateway, 'SBIN');
    const order = { ...marketOrder(fast, 'SBIN'), quantity: 10 };
    expect((await gateway.place({ ...order, idempotency_key: 'in' })).body).toMatchObject({ fill_status: 'FILLED' });
    await clock.sleep(8000);
    await gateway.call('GET', '/broker/positions');
    if (lagMs > 0) faults.plant({ kind: 'laggingPositions', operation: 'positions', lagMs, times: 'always' });
    const hand = { exchange: 'NSE', side: 'SELL', orderType: 'MARKET', product: 'INTRADAY' } as const;
    expect(exchange.placeByHand(id, { ...hand, symbol: share.symbol, quantity: 4 })).toMatchObject({ ok: true });
    await gateway.call('GET', '/broker/orders');
    const leave = async (key: string) => {
      const { body } = await gateway.call('POST', '/broker/exits', { all: true, idempotency_key: key });
      return { flat: body.flat, net: net() };
    };
    const net = () => {
      const { orders } = exchange.ledger();
      return orders.reduce((sum, { side, filled }) => sum + (side === 'BUY' ? filled : -filled), 0);
    };
    const first = await leave('out');
    expect(first.net).toBeGreaterThanOrEqual(0);
    if (atOnce) expect(first).toEqual({ flat: true, net: 0 });
    await clock.sleep(12_000);
    await gateway.call('GET', '/broker/positions');
    expect(await leave('out again')).toMatchObject({ net: 0 });
  });
});

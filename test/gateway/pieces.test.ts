import { afterEach, describe, expect, it } from 'vitest';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import type { LedgerOrder } from '../../server/exchange/summary.ts';
import { everything } from '../support/proven.ts';
import { type Fast, marketOrder, startFast, venueOf } from './fast.ts';

/** Held by every practice account from the start. */
const SHARES = 50;
const SLICE = 10;
const STALL_MS = 7000;
/** Far less than the stall, by a clock that a busy machine slows down. */
const AT_ONCE_MS = 1000;
/** A stall takes its seconds: `npm test` waits for it once. */
const tested: readonly BrokerId[] = everything ? brokerIds : ['zerodha'];
const pieces = Array.from({ length: SHARES / SLICE }, (_, index) => index);

let fast: Fast;
afterEach(() => fast.gateway.stop());

function sales(symbol: string): LedgerOrder[] {
  const { orders } = venueOf(fast.gateway).exchange.ledger();
  return orders.filter((order) => order.symbol === symbol && order.side === 'SELL');
}

async function hold(symbol: string, quantity: number): Promise<void> {
  const { body, text } = await fast.gateway.place({ ...marketOrder(fast, symbol), quantity });
  expect(body, text).toMatchObject({ fill_status: 'FILLED', filled_quantity: quantity });
}

function sell(symbol: string, quantity: number, key: string, product_type = 'INTRADAY') {
  return fast.gateway.place({ ...marketOrder(fast, symbol), transaction_type: 'SELL', quantity, product_type, idempotency_key: key });
}

describe.each(tested)('%s: a position leaves in pieces', (id) => {
  it('two partial exits at once both fill', async () => {
    fast = await startFast(id, { factor: 1 });
    await hold('TCS', 10);
    const answers = await Promise.all([sell('TCS', 4, 'one'), sell('TCS', 6, 'two')]);
    for (const { body, text } of answers) expect(body, text).toMatchObject({ success: true, fill_status: 'FILLED' });
    expect(
      sales('TCS')
        .map((order) => order.filled)
        .toSorted(),
    ).toEqual([4, 6]);
  });

  it.each([
    ['positions show it', 0],
    ['positions do not show it either', 4000],
  ])('the first has filled and its poll has not seen it: the second fills where %s', async (_name, lagMs) => {
    fast = await startFast(id, { factor: 1 });
    await hold('TCS', 10);
    const { faults } = venueOf(fast.gateway);
    faults.plant({ kind: 'delay', operation: 'orders', delayMs: 3000, times: 'always' });
    if (lagMs > 0) faults.plant({ kind: 'laggingPositions', lagMs, times: 'always' });
    const first = sell('TCS', 5, 'one');
    await expect.poll(() => sales('TCS')[0]?.filled).toBe(5);
    const second = sell('TCS', 5, 'two');
    await expect.poll(() => sales('TCS')[1]?.filled, { timeout: 5000 }).toBe(5);
    faults.clear();
    for (const { body, text } of await Promise.all([first, second])) expect(body, text).toMatchObject({ success: true });
  });

  it('leaves at once behind an exit, and behind an entry, whose send stalls for 7 s', async () => {
    fast = await startFast(id, { factor: 1, env: { POSITION_GUARD: 'off' } });
    const { gateway, clock } = fast;
    for (const [symbol, side] of [['TCS', 'SELL'] as const, ['INFY', 'BUY'] as const]) {
      await hold(symbol, 10);
      const planted = venueOf(gateway).faults.plant({ kind: 'delay', operation: 'place', delayMs: STALL_MS });
      const stalled = gateway.place({
        ...marketOrder(fast, symbol),
        transaction_type: side,
        quantity: 3,
        idempotency_key: `stalled ${side}`,
      });
      await expect.poll(() => planted.struck).toBe(1);
      const asked = clock.now();
      const { body, text } = await sell(symbol, 7, `exit behind ${side}`);
      expect(body, text).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 7 });
      const exit = sales(symbol).find((order) => order.quantity === 7);
      expect((exit?.receivedAt ?? Number.POSITIVE_INFINITY) - asked, side).toBeLessThan(AT_ONCE_MS);
      await stalled;
    }
  }, 60_000);
});

describe.each(tested)('%s: 50 shares that are held leave in five slices of ten', (id) => {
  it('at once', async () => {
    fast = await startFast(id, { factor: 1 });
    const answers = await Promise.all(pieces.map((index) => sell('SBIN', SLICE, `slice ${index}`, 'DELIVERY')));
    for (const { body, text } of answers)
      expect(body, text).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: SLICE });
    expect(sales('SBIN').map((order) => order.filled)).toEqual(pieces.map(() => SLICE));
  });

  it('one after the other', async () => {
    fast = await startFast(id, { factor: 1 });
    for (const index of pieces) {
      const { body, text } = await sell('SBIN', SLICE, `slice ${index}`, 'DELIVERY');
      expect(body, text).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: SLICE });
    }
    expect(sales('SBIN')).toHaveLength(pieces.length);
  });
});

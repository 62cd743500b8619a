import { describe, expect, test } from 'vitest';
import { practice } from '../exchange/practice.ts';
import { everything } from '../support/proven.ts';

/** Their instrument files tell no freeze quantity. The first refuses such an order at once, the second in its order book. */
const brokers = ['zerodha', 'fyers', ...(everything ? (['aliceblue', 'angelone', 'dhan'] as const) : [])] as const;

describe.each(brokers)('%s, whose file tells no freeze quantity', (id) => {
  const { call, order, place, venue, venueOrders } = practice(id, {}, { instruments: true, env: { POSITION_GUARD: 'off' } });

  test('a position above it leaves in halves of what was refused, and no more than it', { timeout: 90_000, retry: 0 }, async () => {
    await expect.poll(async () => (await call('GET', '/broker/instruments')).body, { timeout: 60_000 }).toMatchObject({ success: true });
    const option = venue().exchange.instruments.find(({ underlying, kind }) => underlying === 'BANKNIFTY' && kind === 'CE');
    if (!option?.freezeQuantity) throw new Error('no option with a freeze quantity');
    const { symbol, lotSize: lot, freezeQuantity: freeze } = option;
    venue().exchange.setPrice('NFO', symbol, '10');
    const most = freeze - (freeze % lot);
    for (const [index, quantity] of [most, most, lot].entries()) {
      const fields = { quantity, product_type: 'CARRYFORWARD', idempotency_key: `in ${index}` };
      const bought = async () => (await place(order(symbol, fields, 'NFO'))).body;
      await expect.poll(bought, { interval: 500 }).toMatchObject({ fill_status: 'FILLED' });
    }
    const { body } = await call('POST', '/broker/exits', { all: true, idempotency_key: 'out' });
    const whole = 2 * most + lot;
    expect(body).toMatchObject({ flat: true, positions: [{ outcome: 'FLAT', filled_quantity: whole }] });
    const sold = venueOrders(symbol).filter(({ side }) => side === 'SELL');
    const filled = sold.filter((one) => one.filled > 0);
    expect(filled.reduce((sum, one) => sum + one.filled, 0)).toBe(whole);
    expect(filled.every(({ quantity }) => quantity <= most && quantity % lot === 0)).toBe(true);
    const tried = body.positions[0].orders.map(({ quantity }: { quantity: number }) => quantity);
    expect(tried.slice(0, 2)).toEqual([whole, Math.floor(whole / 2 / lot) * lot]);
  });
});

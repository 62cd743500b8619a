import { describe, expect, it } from 'vitest';
import type { PlaceOrderRequest } from '../../contract/orders.ts';
import type { HoldingRow } from '../../server/brokers/broker.ts';
import { recordKey } from '../../server/orders/key.ts';
import { Core } from './core.ts';
import { request } from './parts.ts';

const bare = (change: Partial<PlaceOrderRequest> = {}) => request({ idempotency_key: null, ...change });

/** Ten shares are held from earlier days. */
function holding(core: Core): void {
  const money = { isin: null, average_price: null, last_price: null, pnl: null };
  const row: HoldingRow = { symbol: 'SBIN', token: null, exchange: 'NSE', quantity: 10, sellable_quantity: 10, ...money };
  Object.assign(core.broker, { holdings: async () => ({ success: true, data: [], normalized: [row] }) });
}

/** A core without a session until the wait of that number. */
function until(wait: number): Core {
  const core = new Core();
  core.connected = false;
  core.firstRound = async () => {
    core.connected = core.waits.length >= wait;
  };
  return core;
}

describe('an order without a key', () => {
  it('whose session comes up while its key is looked up goes under that session’s fingerprint', async () => {
    const core = until(2);
    const placed = core.orders.place(bare(), { replayOnly: false });
    expect((await core.clock.settle(placed)).body).toMatchObject({ success: true, fill_status: 'FILLED' });
    expect(core.journal.events.map(({ key }) => key)).toEqual(Array(3).fill(recordKey(bare(), 'zerodha')));
    expect(core.broker.sends).toHaveLength(1);
  });
  it('whose session comes and goes again is refused, and waits for nobody', async () => {
    const core = until(2);
    // More keys live than are kept in memory: each is looked up first.
    core.journal.livingKeys = async () => null;
    await core.clock.settle(core.orders.recover());
    const find = core.journal.find.bind(core.journal);
    core.journal.find = async (key, now) => {
      if (key === recordKey(bare(), 'zerodha')) [core.connected, core.firstRound] = [false, async () => undefined];
      return await find(key, now);
    };
    const began = core.clock.mono();
    const placed = core.orders.place(bare(), { replayOnly: false });
    expect((await core.clock.settle(placed)).body).toEqual({ success: false, message: 'Broker Not Connected', fill_status: 'REJECTED' });
    expect([core.clock.mono() - began, core.broker.sends]).toEqual([0, []]);
  });
});

describe('a sale that is to reduce the position alone', () => {
  const sale = bare({ transaction_type: 'SELL', product_type: 'DELIVERY', reduce_only: true });
  it.each([
    { positionAlone: true, wait: 1, sent: 0 },
    { positionAlone: true, wait: 2, sent: 0 },
    { positionAlone: false, wait: 1, sent: 1 },
    { positionAlone: false, wait: 2, sent: 1 },
  ])('takes nothing of what is held from earlier days, whenever its session comes up: %o', async ({ positionAlone, wait, sent }) => {
    const core = until(wait);
    holding(core);
    const placed = core.orders.place(sale, { replayOnly: false, positionAlone });
    expect((await core.clock.settle(placed)).body.success).toBe(sent > 0);
    expect(core.broker.sends).toHaveLength(sent);
  });
  it('and any other one may sell that', async () => {
    const core = new Core();
    holding(core);
    const { body } = await core.place({ transaction_type: 'SELL', product_type: 'DELIVERY', reduce_only: true });
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED' });
  });
});

import { expect, test } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { sbin, startGateway } from '../support/gateway.ts';

test("what a caller says for a token never feeds another instrument's price: the broker's own counts", { timeout: 60_000 }, async () => {
  const gateway = await startGateway();
  try {
    const { exchange } = gateway.context;
    exchange?.exchange.setPrice('NSE', 'SBIN', '812');
    exchange?.exchange.setPrice('NSE', 'INFY', '1568');
    // INFY's token under SBIN's name: Kite trades by symbol.
    const filled = await gateway.place({ ...sbin, token: '408065' });
    const resting = await gateway.place({ ...sbin, symbol: 'TCS', token: '408065', order_type: 'LIMIT', price: 2900 });
    expect([filled.body.fill_status, resting.body.fill_status]).toEqual(['FILLED', 'PENDING']);
    const tokens = await gateway.context
      .sql`select o.symbol, d.token from tsm_orders o join order_details d using (broker, order_id) order by o.symbol`;
    expect(tokens).toEqual([
      { symbol: 'SBIN', token: '779521' },
      { symbol: 'TCS', token: '2953217' },
    ]);
    for (let waited = 0; gateway.context.feed.price('NSE', 'SBIN') === null && waited < 200; waited += 1) await systemClock.sleep(50);
    expect(gateway.context.feed.price('NSE', 'SBIN')).toMatchObject({ rupees: 812 });
    expect(await gateway.context.sql`select token from position_details`).toEqual([{ token: '779521' }]);
  } finally {
    await gateway.stop();
  }
});

import { expect, test } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { sbin, startGateway } from '../support/gateway.ts';

const INFY = '408065';

test("what a caller says for a token never feeds another instrument's price: the broker's own counts", { timeout: 60_000 }, async () => {
  const gateway = await startGateway();
  try {
    const { exchange, feed, sql } = gateway.context;
    exchange?.exchange.setPrice('NSE', 'SBIN', '812');
    exchange?.exchange.setPrice('NSE', 'INFY', '1568');
    // INFY's token under other names: Kite trades by symbol.
    const filled = await gateway.place({ ...sbin, token: INFY });
    const resting = await gateway.place({ ...sbin, symbol: 'TCS', token: INFY, order_type: 'LIMIT', price: 2900 });
    expect([filled.body.fill_status, resting.body.fill_status]).toEqual(['FILLED', 'PENDING']);
    const heard = new Set<number | undefined>();
    for (let waited = 0; waited < 600 && !(feed.price('NSE', 'SBIN') && feed.price('NSE', 'TCS')); waited += 1) {
      for (const symbol of ['SBIN', 'TCS']) heard.add(feed.price('NSE', symbol)?.rupees);
      await systemClock.sleep(50);
    }
    expect(feed.price('NSE', 'SBIN')).toMatchObject({ rupees: 812 });
    expect(feed.price('NSE', 'TCS')).toMatchObject({ rupees: expect.any(Number) });
    expect(heard).not.toContain(1568);
    const tokens =
      await sql`select o.symbol, d.token from tsm_orders o join order_details d using (broker, order_id, created_at) order by o.symbol`;
    expect(tokens).toEqual([
      { symbol: 'SBIN', token: '779521' },
      { symbol: 'TCS', token: '2953217' },
    ]);
    expect(await sql`select token from position_details`).toEqual([{ token: '779521' }]);
  } finally {
    await gateway.stop();
  }
});

import { expect, it, vi } from 'vitest';
import { startGateway } from '../support/gateway.ts';

it('a table that does not answer holds up neither lists nor orders', { timeout: 60_000 }, async () => {
  const gateway = await startGateway({ instruments: true });
  const { sql } = gateway.context;
  const other = await sql.reserve();
  try {
    await vi.waitUntil(() => gateway.context.instruments.of('zerodha'), { timeout: 30_000 });
    await other`begin`;
    await other`lock table instruments_1 in access exclusive mode`;
    const order = { symbol: 'WIPRO', token: '', exchange: 'NSE', order_type: 'MARKET', product_type: 'INTRADAY', quantity: 5 };
    expect((await gateway.place({ ...order, transaction_type: 'BUY' })).body).toMatchObject({ success: true, fill_status: 'FILLED' });
    const { body } = await gateway.call('GET', '/broker/positions');
    expect(body.normalized).toMatchObject([{ symbol: 'WIPRO', net_quantity: 5, instrument: null }]);
    const quotes = (await gateway.call('GET', '/broker/quotes?instruments=NSE:TCS')).body;
    expect(quotes).toMatchObject({ success: true, quotes: [{ instrument: 'NSE:TCS' }] });
  } finally {
    await other`rollback`;
    other.release();
    await gateway.stop();
  }
});

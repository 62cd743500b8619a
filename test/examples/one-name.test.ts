import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { brokerIds } from '../../contract/words.ts';
import { createGateway, type Gateway, type Instrument } from '../../sdk/index.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** One strategy, which knows no broker: what it does at each of the ten is the same text. */
describe.each(brokerIds)('a strategy at %s', (broker) => {
  let running: TestGateway;
  let gateway: Gateway;
  beforeAll(async () => {
    running = await startGateway({ env: { BROKERS: broker }, instruments: true });
    gateway = createGateway({ baseUrl: running.url, token: running.token });
    await vi.waitUntil(() => gateway.instruments({ limit: 1 }).catch(() => null), { timeout: 30_000 });
  }, 60_000);
  afterAll(() => running?.stop());

  const first = async (query: Parameters<Gateway['instruments']>[0]): Promise<Instrument> => {
    const [found] = (await gateway.instruments(query)).instruments;
    if (!found) throw new Error(`nothing like ${JSON.stringify(query)}`);
    return found;
  };

  it.each([
    ['a share', { q: 'SBIN', exchange: 'NSE', kind: 'EQ' }, 'NSE:SBIN', 'INTRADAY'],
    ['a future', { exchange: 'NFO', underlying: 'NIFTY', kind: 'FUT' }, /^NFO:NIFTY\d\d[A-Z]{3}\d\dFUT$/, 'CARRYFORWARD'],
    ['an option', { q: 'nifty 26000 ce' }, /^NFO:NIFTY\d\d[A-Z]{3}\d\d26000CE$/, 'CARRYFORWARD'],
  ])('buys and sells %s by its one name, and is told so in every list', async (_, query, name, product) => {
    const { instrument, exchange, symbol, lot_size, broker_symbol, token } = await first(query);
    expect(instrument).toMatch(name);
    const held = async () => (await gateway.positions()).normalized.find((each) => each.instrument === instrument);
    const asked = { exchange, order_type: 'MARKET', product_type: product, quantity: lot_size };
    const trade = async (side: 'BUY' | 'SELL', name: { symbol: string; token: string }) => {
      const order = await gateway.place({ ...asked, ...name, transaction_type: side, reduce_only: side === 'SELL' });
      expect(await order.filled()).toMatchObject({ instrument, filled_quantity: lot_size, state: 'FILLED' });
    };
    await trade('BUY', { symbol, token: '' });
    await trade('SELL', { symbol, token: '' });
    // Whatever the broker's own row says of a position is a way out of it.
    await trade('BUY', { symbol, token });
    const row = await held();
    expect(row).toMatchObject({ net_quantity: lot_size });
    await trade('SELL', { symbol: row?.symbol ?? '', token: row?.token ?? '' });
    expect(await held()).toMatchObject({ net_quantity: 0 });
    // Upstox prints its contracts in one way in the file and in another in its rows, and goes by the key.
    expect([row?.symbol, row?.token]).toContain(row?.token === token ? token : broker_symbol);
  });

  it('is told the right value where it is wrong', async () => {
    const { exchange, symbol, lot_size, freeze_quantity } = await first({ exchange: 'NFO', underlying: 'NIFTY', kind: 'FUT' });
    const asked = {
      symbol,
      exchange,
      token: '',
      transaction_type: 'BUY',
      product_type: 'CARRYFORWARD',
      order_type: 'LIMIT',
      quantity: lot_size,
    };
    await expect(gateway.place({ ...asked, quantity: lot_size + 1, price: 26_000 })).rejects.toThrow(
      `quantity: ${lot_size + 1} is no multiple of the lot of ${lot_size}`,
    );
    await expect(gateway.place({ ...asked, price: 26_000.01 })).rejects.toThrow('price: 26000.01 is off the tick of 0.1');
    if (freeze_quantity !== null)
      await expect(gateway.place({ ...asked, quantity: lot_size * 100, price: 26_000 })).rejects.toThrow(
        `is above the freeze quantity of ${freeze_quantity}`,
      );
    const other = await first({ q: 'INFY', exchange: 'NSE', kind: 'EQ' });
    await expect(gateway.place({ ...asked, exchange: 'NSE', symbol: 'SBIN', token: other.token, price: 800 })).rejects.toThrow(
      'is NSE:INFY',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { heldQuantity } from '../../server/brokers/broker.ts';
import { brokers } from '../../server/brokers/index.ts';
import { goesByToken, type InstrumentName, InstrumentNames } from '../../server/brokers/instrument.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import { envFor } from '../brokers/stub-server.ts';
import { practice } from '../exchange/practice.ts';

type Row = InstrumentName & { product_type: string; net_quantity: number; quantity: number; sellable_quantity: number };

/** Fifty SBIN stand in every practice account's holdings from the start. */
describe.each(emulators.map((emulator) => emulator.id))('%s', (id) => {
  const { call, order, place, venueOrders } = practice(id);
  const { traits } = brokers[id].create(envFor(brokers[id], 'http://127.0.0.1:1', {}).env);
  const rows = async (path: string): Promise<Row[]> => {
    const { body } = await call('GET', path);
    expect(body).toMatchObject({ success: true });
    return body.normalized;
  };
  /** The holding and the DELIVERY position of what an order names. */
  async function held(name: InstrumentName) {
    const names = new InstrumentNames(traits.tradedBy);
    const holding = (await rows('/broker/holdings')).find((row) => names.holds(row, name));
    const delivered = (await rows('/broker/positions')).filter((row) => row.product_type === 'DELIVERY');
    const position = delivered.find((row) => names.key(row) === names.key(name));
    const [sellable, net] = [holding?.sellable_quantity ?? 0, position?.net_quantity ?? 0];
    return { sellable, net, held: heldQuantity(sellable, net, traits.holdingsFall) };
  }
  const sale = () => order('SBIN', { transaction_type: 'SELL', product_type: 'DELIVERY' }) as unknown as InstrumentName;

  it('holds 50 shares, and 40 after ten of them are sold', async () => {
    expect(await held(sale())).toEqual({ sellable: 50, net: 0, held: 50 });
    const { body, text } = await place({ ...sale() });
    expect(body, text).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
    await expect.poll(() => held(sale()), { timeout: 10_000 }).toEqual({ sellable: 40, net: -10, held: 40 });
  });

  it('names the instrument in orders, positions, holdings and trades as the order did, by one key', async () => {
    const name = sale();
    const names = new InstrumentNames(traits.tradedBy);
    for (const path of ['/broker/orders', '/broker/positions', '/broker/holdings', '/broker/tradebook']) {
      // Dhan's holdings name no exchange.
      const all = (await rows(path)).map((row) => ({ ...row, exchange: row.exchange === 'ALL' ? 'NSE' : row.exchange }));
      // Angel One's trades have no token: their symbol was taught by the orders.
      for (const row of all) names.learn(row);
      const same = all.filter((row) => names.key(row) === names.key(name));
      expect(same.length, path).toBeGreaterThan(0);
      expect(
        all.filter((row) => names.mayBeSame(row, name)),
        path,
      ).toEqual(same);
    }
  });

  it('sends another spelling as the same instrument, and blocks a second entry under the first', async () => {
    const plain = order('TCS') as unknown as InstrumentName;
    const { symbol, token } = plain;
    const byToken = goesByToken(traits.tradedBy, plain);
    const other = {
      ...plain,
      ...(byToken ? { token: id === 'upstox' ? token?.toLowerCase() : `0${token}` } : { symbol: symbol.toLowerCase() }),
    };
    const { body, text } = await place(other);
    expect(body, text).toMatchObject({ success: true, fill_status: 'FILLED' });
    expect((await place({ ...plain, idempotency_key: 'plain' })).body).toMatchObject({ success: false, status: 'BLOCKED' });
    expect(venueOrders('TCS')).toHaveLength(1);
  });
});

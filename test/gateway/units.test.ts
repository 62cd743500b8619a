import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrokerId, brokerIds, orderTypes } from '../../contract/words.ts';
import { systemClock } from '../../server/clock.ts';
import { roundToTick } from '../../server/exchange/instruments.ts';
import type { Instrument } from '../../server/exchange/types.ts';
import { Big } from '../../server/money.ts';
import { type Unit, unitsOf } from '../brokers/units.ts';
import { practice } from '../exchange/practice.ts';
import { adminOptions } from '../support/global-setup.ts';
import { everything } from '../support/proven.ts';

/** Exchange, contract, one lot in each unit, and the rupees that one lot gains when its price rises by one. */
const contracts: readonly (readonly ['BFO' | 'MCX' | 'CDS', string, Readonly<Partial<Record<Unit, number>>>, number])[] = [
  ['BFO', 'SENSEX26DECFUT', { units: 20 }, 20],
  ['MCX', 'CRUDEOIL26DECFUT', { units: 100, lots: 1 }, 100],
  // 100 g, quoted for 10 g.
  ['MCX', 'GOLDM26DECFUT', { units: 100, lots: 1 }, 10],
  ['CDS', 'USDINR26DECFUT', { lots: 1, contracts: 1 }, 1_000],
];
/** Brokers that pass an SL-M on, and so refuse one where the exchange takes none. */
const passStopMarket: readonly BrokerId[] = ['angelone', 'upstox', 'zerodha'];
/** A price of the feed stands in the records by then. */
const RECORDED_MS = 1_500;
const patience = { timeout: 30_000, interval: 100 };

/** With `npm test` three that count in lots, in units and in contracts. */
const tried: readonly BrokerId[] = everything ? brokerIds : ['fyers', 'kotak', 'upstox'];

describe.each(tried)('%s', (id) => {
  const { call, gateway, instrument, order, place, venue, venueOrders } = practice(id);
  let sql: postgres.Sql;
  beforeAll(() => {
    sql = postgres(adminOptions(gateway().databaseUrl));
  });
  afterAll(() => sql.end());

  const account = () => venue().exchange.account(id);
  const newest = (symbol: string) =>
    account()
      .orders()
      .findLast((one) => one.symbol === symbol);
  const reaches = (symbol: string, facts: object) => expect.poll(() => newest(symbol), patience).toMatchObject(facts);
  const number = async (text: string) => Number((await sql.unsafe(text))[0]?.value);

  /** The base price times a share, on the tick. */
  const priceAt = ({ basePrice, tick }: Instrument, share: string) => Number(roundToTick(new Big(basePrice).times(share), tick));
  const traded = contracts.flatMap(([exchange, symbol, lots, point]) => {
    const lot = lots[unitsOf[id][exchange] ?? 'units'];
    return unitsOf[id][exchange] && lot ? [{ exchange, symbol, lot, point }] : [];
  });
  const closed = contracts.filter(([exchange]) => !unitsOf[id][exchange]);

  test.each(traded)(
    '$exchange:$symbol: a lot is $lot: all four types, a change, a cancel, the live price and the money',
    async ({ exchange, symbol, lot, point }) => {
      const one = instrument(exchange, symbol);
      const { multiplier } = one;
      /** A quantity of the exchange in lots. */
      const lotsOf = (quantity: number) => (quantity * multiplier) / point;
      const contract = { product_type: 'CARRYFORWARD', quantity: lot };
      const asked = (fields: object) => place(order(symbol, { ...contract, ...fields }, exchange));
      venue().exchange.setPrice(exchange, symbol, one.basePrice);

      const resting = await asked({ order_type: 'LIMIT', price: priceAt(one, '0.96') });
      expect(resting.body, resting.text).toMatchObject({ success: true, fill_status: 'PENDING' });
      const { order_id } = resting.body;
      const change = { order_id, quantity: 2 * lot, price: priceAt(one, '0.97') };
      expect((await call('POST', '/broker/orders/modify', change)).body).toMatchObject({ success: true });
      await reaches(symbol, { state: 'OPEN', quantity: (2 * point) / multiplier, price: String(change.price) });
      const { normalized } = (await call('GET', '/broker/orders')).body;
      expect(normalized.find((row: { order_id: string }) => row.order_id === order_id)).toMatchObject({ exchange, quantity: 2 * lot });
      if (lot > 1)
        expect((await call('POST', '/broker/orders/modify', { ...change, quantity: lot + 1 })).body).toMatchObject({ success: false });
      expect((await call('POST', '/broker/orders/cancel', { order_id })).body).toMatchObject({ success: true });
      await reaches(symbol, { state: 'CANCELLED' });

      if (lot > 1) {
        const odd = await asked({ quantity: lot + 1, order_type: 'LIMIT', price: change.price });
        expect(odd.body, odd.text).toMatchObject({ fill_status: 'REJECTED', message: expect.stringMatching(/multiple|lot/i) });
      }

      const stop = { trigger_price: priceAt(one, '1.02') };
      for (const [order_type, price] of [
        ['SL', priceAt(one, '1.03')],
        ['SL-M', 0],
      ] as const) {
        const before = venueOrders(symbol).length;
        const { body, text } = await asked({ ...stop, order_type, price });
        if (order_type === 'SL-M' && exchange === 'BFO' && passStopMarket.includes(id)) {
          expect(body, text).toMatchObject({ success: false, message: expect.stringMatching(/SL-M is not taken for .* on BFO/) });
          expect(venueOrders(symbol)).toHaveLength(before);
          continue;
        }
        expect(body, text).toMatchObject({ success: true, fill_status: 'PENDING' });
        await reaches(symbol, { state: 'TRIGGER_PENDING', quantity: point / multiplier });
        expect((await call('POST', '/broker/orders/cancel', { order_id: body.order_id })).body).toMatchObject({ success: true });
        await reaches(symbol, { state: 'CANCELLED' });
      }

      const bought = await asked({ quantity: 2 * lot });
      expect(bought.body, bought.text).toMatchObject({ fill_status: 'FILLED', filled_quantity: 2 * lot });
      const entry = Number(newest(symbol)?.average);
      expect(lotsOf(newest(symbol)?.filled ?? 0)).toBe(2);
      expect(bought.body.avg_fill_price).toBe(entry);
      const positions = (await call('GET', '/broker/positions')).body.normalized;
      const held = positions.find((row: { exchange: string; net_quantity: number }) => row.exchange === exchange && row.net_quantity !== 0);
      expect(held).toMatchObject({ net_quantity: 2 * lot });
      expect(held.net_quantity * held.multiplier).toBeCloseTo(2 * point, 9);
      expect(held.average_price).toBeCloseTo(entry, 2);
      const cost = entry * 2 * point;
      await expect.poll(() => number('select deployed_capital as value from tsm_capital'), patience).toBeCloseTo(cost, 2);

      const last = (column: string) => number(`select ${column} as value from tsm_positions order by id desc limit 1`);
      let asks = 0;
      async function follows(): Promise<boolean> {
        asks += 1;
        const risen = priceAt(one, asks % 2 ? '1.01' : '1.011');
        venue().exchange.setPrice(exchange, symbol, String(risen));
        await systemClock.sleep(RECORDED_MS);
        return (await last('ltp')) === risen;
      }
      await expect.poll(follows, patience).toBe(true);
      const sold = await asked({ quantity: 2 * lot, transaction_type: 'SELL' });
      expect(sold.body, sold.text).toMatchObject({ fill_status: 'FILLED', filled_quantity: 2 * lot });
      const profit = (Number(newest(symbol)?.average) - entry) * 2 * point;
      expect(profit).toBeGreaterThan(0);
      await expect.poll(() => last('realized_pnl'), patience).toBeCloseTo(profit, 2);
      expect(await number('select deployed_capital as value from tsm_capital')).toBe(0);
    },
    90_000,
  );

  if (closed.length > 0)
    test.each(closed)('%s:%s: refused with the exchange and the reason, and nothing is sent', async (exchange, symbol) => {
      const one = instrument(exchange, symbol);
      const before = venue().exchange.ledger().requests.length;
      for (const order_type of orderTypes) {
        const prices = { price: priceAt(one, '1.03'), trigger_price: priceAt(one, '1.02') };
        const contract = { product_type: 'CARRYFORWARD', quantity: 1, order_type, ...prices };
        const { body } = await place(order(symbol, contract, exchange));
        expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringMatching(/^exchange: .{30}/) });
        expect(body.message).toContain(exchange);
      }
      expect(venue().exchange.ledger().requests).toHaveLength(before);
    });
});

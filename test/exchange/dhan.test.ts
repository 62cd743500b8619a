import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dhan } from '../../server/brokers/dhan/adapter.ts';
import { practiceCredentials, startExchange } from '../../server/exchange/host.ts';
import { timeCode } from '../../server/exchange/wire/time-codes.ts';
import { silentLog } from '../../server/log.ts';
import { envFor, fixtures } from '../brokers/stub-server.ts';
import { manualClock } from './manual-clock.ts';
import { practice } from './practice.ts';

/** What is Dhan's own; what all ten share is in test/gateway/ten.test.ts. */
const gateway = practice('dhan');
const { order: orderFor, read, venue, venueOrders: ledgerOf } = gateway;
const priceOf = (symbol: string, share: number) => Math.round(gateway.bid(symbol) * share);

describe('the session', () => {
  it('is signed in anew when Dhan ends it', async () => {
    venue().faults.plant({ kind: 'sessionExpired', operation: 'funds' });
    expect((await gateway.call('GET', '/broker/funds')).body.success).toBe(false);
    await expect.poll(async () => (await gateway.call('GET', '/broker/funds')).body.success).toBe(true);
  });
  it.each([
    [59_000, '287082'],
    [1_111_111_109_000, '081804'],
    [20_000_000_000_000, '353130'],
  ])('the exchange knows the codes of RFC 6238: %d', (at, code) => {
    expect(timeCode('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', at)).toBe(code);
  });
});

describe('orders', () => {
  it('MARKET fills with quantity and average of the ledger, and comes back as LIMIT', async () => {
    const { body } = await gateway.place(orderFor('SBIN'));
    const [order] = ledgerOf('SBIN');
    expect(body).toMatchObject({ success: true, order_id: order?.orderId, fill_status: 'FILLED', filled_quantity: 10 });
    expect(body.avg_fill_price).toBe(Number(order?.average));
    expect(await read(body.order_id)).toMatchObject({ orderStatus: 'TRADED', orderType: 'LIMIT', correlationId: order?.tag });
  });
  it('an order for a contract is named Dhan’s way', async () => {
    const order = orderFor('NIFTY26DECFUT', {}, 'NFO');
    expect(order).toMatchObject({ symbol: 'NIFTY-Dec2026-FUT', token: '47001' });
    expect(orderFor('NIFTY26DEC26000CE', {}, 'NFO').symbol).toBe('NIFTY-Dec2026-26000-CE');
    const { body } = await gateway.place({ ...order, quantity: 65 });
    expect(body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 65 });
  });
  it('SL-M rests as a stop with a limit, and the answer says so', async () => {
    const { body } = await gateway.place({ ...orderFor('ITC'), order_type: 'SL-M', trigger_price: priceOf('ITC', 1.04) });
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING', message: expect.stringContaining('SL-M was sent as SL') });
    expect(ledgerOf('ITC')).toMatchObject([{ orderType: 'SL', status: 'TRIGGER_PENDING' }]);
  });
  it('a stop whose limit is its trigger is refused, placed or changed', async () => {
    const [at, beyond] = [priceOf('ITC', 1.04), priceOf('ITC', 1.05)];
    const refused = { success: false, message: expect.stringMatching(/Trigger Price.*DH-906/) };
    const stop = { ...orderFor('ITC'), order_type: 'SL', trigger_price: at };
    expect((await gateway.place({ ...stop, price: at })).body).toMatchObject({ ...refused, fill_status: 'REJECTED' });
    const { order_id } = (await gateway.place({ ...stop, price: beyond })).body;
    expect((await gateway.call('POST', '/broker/orders/modify', { order_id, price: at })).body).toMatchObject(refused);
  });
  it('too large for the account is taken, then REJECTED in the words of the risk system', async () => {
    const { body } = await gateway.place({ ...orderFor('WIPRO'), quantity: 1_000_000 });
    expect(body).toMatchObject({ success: true, fill_status: 'REJECTED', message: expect.stringMatching(/^RMS:\d+:Margin/) });
  });
  it('a contract of a segment that order documents lack is never sent', async () => {
    const { body } = await gateway.place({ ...orderFor('USDINR26DECFUT', {}, 'CDS'), quantity: 1, product_type: 'CARRYFORWARD' });
    expect(body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('no currency segment') });
    expect(ledgerOf('USDINR26DECFUT')).toEqual([]);
  });
  it('partial fills add up, whatever average Dhan shows meanwhile', async () => {
    const parts = [
      { quantity: 3, afterMs: 0 },
      { quantity: 7, afterMs: 300 },
    ];
    venue().faults.plant({ kind: 'partialFills', operation: 'place', plan: parts });
    const { body } = await gateway.place(orderFor('LT'));
    expect(body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 10, avg_fill_price: Number(ledgerOf('LT')[0]?.average) });
  });
});

describe('answers of the exchange', () => {
  const { one } = fixtures('dhan');
  const Rows = z.array(z.record(z.string(), z.unknown())).min(1);
  const firstKeys = (body: unknown) => Object.keys(Rows.parse([body].flat())[0] ?? {}).toSorted();
  it.each([
    ['profile', 'profile', []],
    ['funds', 'funds', []],
    ['holdings', 'holdings', ['lastTradedPrice']],
    ['positions', 'positions', []],
    ['orders', 'orders', ['order_id']],
    ['tradebook', 'trades', []],
  ] as const)('%s have the fields of the documented example', async (path, fixture, more) => {
    const { body } = await gateway.call('GET', `/broker/${path}`);
    expect(firstKeys(body.data)).toEqual([...firstKeys(one(fixture).body), ...more].toSorted());
  });
});

describe('rows in our words', () => {
  it('say what the exchange knows', async () => {
    const { normalized } = (await gateway.call('GET', '/broker/positions')).body;
    const [order] = ledgerOf('SBIN');
    expect(normalized).toContainEqual(
      expect.objectContaining({
        symbol: 'SBIN',
        token: '3045',
        exchange: 'NSE',
        product_type: 'INTRADAY',
        net_quantity: 10,
        average_price: Number(order?.average),
      }),
    );
    const { normalized: orders } = (await gateway.call('GET', '/broker/orders')).body;
    expect(orders.find((row: { order_id: string }) => row.order_id === order?.orderId)).toMatchObject({
      status: 'FILLED',
      tag: order?.tag,
      placed_at: new Date(Math.floor((order?.receivedAt ?? 0) / 1000) * 1000).toISOString(),
    });
  });
  it('tell what a short position was sold at, also once some was bought back', async () => {
    const sold = await gateway.place({ ...orderFor('INFY'), transaction_type: 'SELL', quantity: 20 });
    venue().exchange.setPrice('NSE', 'INFY', String(Math.round(gateway.bid('INFY') * 0.98)));
    const bought = await gateway.place({ ...orderFor('INFY'), quantity: 5 });
    expect([sold.body.fill_status, bought.body.fill_status]).toEqual(['FILLED', 'FILLED']);
    const { data, normalized } = (await gateway.call('GET', '/broker/positions')).body;
    const raw = data.find((row: { tradingSymbol: string }) => row.tradingSymbol === 'INFY');
    expect(raw).toMatchObject({ netQty: -15, costPrice: bought.body.avg_fill_price });
    const row = normalized.find(({ symbol }: { symbol: string }) => symbol === 'INFY');
    expect(row).toMatchObject({ net_quantity: -15, average_price: sold.body.avg_fill_price });
  });
});

it('a position carried over costs what it cost, not what yesterday closed at', async () => {
  const clock = manualClock();
  const host = await startExchange({ ports: 'free', seed: 1, limits: false, clock, log: silentLog(), transitMs: [0, 0] });
  const { env } = envFor(dhan, host.urls.dhan?.api ?? '', { ...practiceCredentials('dhan') });
  const broker = dhan.create({ ...env, loginUrl: host.urls.dhan?.login ?? '', clock });
  const pin = (price: string) => host.exchange.setPrice('NFO', 'SBIN26DECFUT', price);
  const position = async () => {
    expect(await broker.connect(null)).toMatchObject({ success: true });
    const answer = await broker.positions();
    return answer.success ? { ...z.looseObject({}).parse(answer.data[0]), ...answer.normalized[0] } : answer;
  };
  pin('815.05');
  const terms = { side: 'SELL', orderType: 'MARKET', product: 'CARRYFORWARD', quantity: 750, price: '0', triggerPrice: '0' } as const;
  host.exchange.placeByHand('dhan', { exchange: 'NFO', symbol: 'SBIN26DECFUT', ...terms });
  const sold = 815;
  expect(await position()).toMatchObject({ netQty: -750, sellAvg: sold, costPrice: sold, average_price: sold });
  clock.pass(86_400_000);
  pin('825');
  const carried = { netQty: -750, carryForwardSellQty: 750, sellAvg: 825, costPrice: sold, average_price: sold };
  expect(await position()).toMatchObject(carried);
  await broker.close();
  await host.close();
});

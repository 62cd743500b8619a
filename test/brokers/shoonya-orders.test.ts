import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Broker, BrokerChange, BrokerOrder } from '../../server/brokers/broker.ts';
import { shoonya } from '../../server/brokers/shoonya/adapter.ts';
import { TAG } from './conformance.ts';
import { body, credentials, error, fieldsOf, future, healthy, list, order, orderId, patched } from './shoonya.suite.ts';
import { type Answer, envFor, openStub, type StubServer } from './stub-server.ts';

let stub: StubServer;
let broker: Broker;
beforeEach(async () => {
  stub = await openStub();
  healthy(stub);
  await use();
});
afterEach(async () => {
  await broker.close();
  await stub.close();
});
async function use(changed: Record<string, unknown> = {}): Promise<void> {
  broker = shoonya.create({ ...envFor(shoonya, stub.url, credentials).env, ...changed });
  await broker.connect(null);
}
const sentTo = (name: string) => stub.calls(`POST /${name}`).map((seen) => fieldsOf(seen.body));
const place = (changed: Partial<BrokerOrder>) => broker.placeOrder({ ...order, ...changed }, TAG);
const quoteOf = (changed: Record<string, unknown>): Answer => ({ body: { ...body('quote'), ...changed } });

describe('the fields of an order', () => {
  const common = {
    uid: 'FT0001',
    actid: 'FT0001',
    exch: 'NSE',
    tsym: 'SBIN-EQ',
    qty: '10',
    dscqty: '0',
    prd: 'I',
    trantype: 'B',
    prctyp: 'LMT',
    ret: 'DAY',
    ordersource: 'API',
    remarks: TAG,
    prc: '812.35',
  };
  test.each<[string, Partial<BrokerOrder>, Record<string, unknown>]>([
    ['LIMIT', {}, {}],
    ['a sale for delivery', { transactiontype: 'SELL', producttype: 'DELIVERY' }, { trantype: 'S', prd: 'C' }],
    ['a share of BSE', { exchange: 'BSE', tradingsymbol: 'SBIN' }, { exch: 'BSE', tsym: 'SBIN' }],
    ['a future', { ...future, producttype: 'CARRYFORWARD' }, { exch: 'NFO', tsym: 'NIFTY24NOV26F', qty: '75', prd: 'M' }],
    ['SL', { ordertype: 'SL', price: '801', triggerprice: '800.5' }, { prctyp: 'SL-LMT', prc: '801', trgprc: '800.5' }],
    ['the stop variety', { variety: 'STOPLOSS', ordertype: 'SL', triggerprice: '812' }, { prctyp: 'SL-LMT', trgprc: '812' }],
    ['AMO', { variety: 'AMO' }, { amo: 'Yes' }],
    ['a trigger that LIMIT does not use', { triggerprice: '800' }, {}],
  ])('%s', async (_what, changed, fields) => {
    expect(await place(changed)).toMatchObject({ fate: 'accepted', order_id: '200520000000017' });
    expect(sentTo('PlaceOrder')).toEqual([{ ...common, ...fields }]);
    expect(stub.calls('POST /GetQuotes')).toEqual([]);
  });
  test('the algo id goes along when set', async () => {
    await use({ algoId: 'ALG1' });
    await place({});
    expect(sentTo('PlaceOrder')).toEqual([{ ...common, algo_id: 'ALG1' }]);
  });
  test('an ampersand is never bare', async () => {
    await place({ symbol: 'M&M-EQ', tradingsymbol: 'M&M-EQ' });
    expect(stub.calls('POST /PlaceOrder')[0]?.body).toContain('"tsym":"M%26M-EQ"');
    stub.on('POST /OrderBook', { body: patched('orders', { tsym: 'M&M-EQ' }) });
    await broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '813.5' });
    expect(stub.calls('POST /ModifyOrder')[0]?.body).toContain('"tsym":"M%26M-EQ"');
    await broker.lastPrice?.('NSE', 'M&M-EQ', '2031&');
    expect(stub.calls('POST /GetQuotes')[0]?.body).toBe('jData={"uid":"FT0001","exch":"NSE","token":"2031\\u0026"}');
  });
});

describe('a protected limit', () => {
  const option = { ...future, symbol: 'NIFTY24NOV26C26000', tradingsymbol: 'NIFTY24NOV26C26000' };
  test.each<[string, Partial<BrokerOrder>, Record<string, unknown>, string]>([
    ['buying, above 500', {}, {}, '816.4'],
    ['selling, above 500', { transactiontype: 'SELL' }, {}, '808.3'],
    ['buying, up to 500', {}, { lp: '400.00', lc: '360' }, '404'],
    ['buying, below 100', {}, { lp: '50.00', lc: '45', ti: '0.01' }, '51'],
    ['selling, below 100', { transactiontype: 'SELL' }, { lp: '50.00', lc: '45', ti: '0.01' }, '49'],
    ['a band on the tick', {}, { lp: '812.33' }, '816.35'],
    ['at the upper circuit', {}, { uc: '814.02' }, '814'],
    ['at the lower circuit', { transactiontype: 'SELL' }, { lc: '810.02' }, '810.05'],
    ['when the price is the circuit', {}, { uc: '812.35' }, '812.35'],
    ['a cheap option: one tick at least', option, { exch: 'NFO', tsym: 'NIFTY24NOV26C26000', lp: '0.30', lc: '0.05', uc: '20' }, '0.35'],
    ['an option', option, { exch: 'NFO', tsym: 'NIFTY24NOV26C26000', lp: '90', lc: '0.05', uc: '200' }, '92.7'],
    ['a future', future, { exch: 'NFO', tsym: 'NIFTY24NOV26F', lp: '26000', lc: '23400', uc: '28600', ti: '0.1' }, '26130'],
  ])('MARKET %s', async (_what, changed, row, prc) => {
    stub.on('POST /GetQuotes', quoteOf(row));
    expect(await place({ ordertype: 'MARKET', price: '0', ...changed })).toMatchObject({ fate: 'accepted' });
    expect(sentTo('PlaceOrder')).toMatchObject([{ prctyp: 'LMT', prc }]);
    expect(sentTo('PlaceOrder')[0]).not.toHaveProperty('trgprc');
    expect(sentTo('GetQuotes')).toEqual([{ uid: 'FT0001', exch: row.exch ?? 'NSE', token: changed.token ?? '3045' }]);
  });
  test.each<[string, Partial<BrokerOrder>, string]>([
    ['buying', { triggerprice: '820' }, '840.5'],
    ['selling', { transactiontype: 'SELL', triggerprice: '800' }, '780'],
    ['near the circuit', { triggerprice: '893.5' }, '893.55'],
  ])('SL-M %s lies beyond the trigger', async (_what, changed, prc) => {
    expect(await place({ ordertype: 'SL-M', price: '0', variety: 'STOPLOSS', ...changed })).toMatchObject({ fate: 'accepted' });
    expect(sentTo('PlaceOrder')).toMatchObject([{ prctyp: 'SL-LMT', prc, trgprc: changed.triggerprice }]);
  });
  test.each<[string, Answer, RegExp]>([
    ['without a last price', quoteOf({ lp: '0.00' }), /has not traded/],
    ['without a tick', quoteOf({ ti: undefined }), /tick/],
    ['without circuit limits', quoteOf({ uc: '0.00' }), /circuit/],
    ['with a price beyond the circuit', quoteOf({ uc: '800' }), /circuit/],
    ['of another exchange', quoteOf({ exch: 'BSE' }), /token/],
    ['that cannot be read', quoteOf({ lp: 'n/a' }), /lp/],
    ['that is refused', error('timeout'), /Server Timeout/],
    ['of an unknown token', error('noDataForOrder'), /no data/],
    ['that never comes', 'reset', /lost/],
  ])('a quote %s leaves the order unsent', async (_what, answer, message) => {
    stub.on('POST /GetQuotes', answer);
    const sent = await place({ ordertype: 'MARKET', price: '0' });
    expect(sent).toMatchObject({ fate: 'rejected', order_id: '', message: expect.stringMatching(message) });
    expect(stub.calls('POST /PlaceOrder')).toEqual([]);
  });
  test.each([
    [4_900, 'accepted'],
    [5_100, 'rejected'],
  ])('a quote that took %i ms', async (ms, fate) => {
    let now = Date.now();
    const { clock } = envFor(shoonya, stub.url, {}).env;
    await use({ clock: { ...clock, now: () => now } });
    stub.on('POST /GetQuotes', () => {
      now += ms;
      return quoteOf({});
    });
    expect(await place({ ordertype: 'MARKET', price: '0' })).toMatchObject({ fate });
    expect(stub.calls('POST /PlaceOrder').length).toBe(fate === 'accepted' ? 1 : 0);
  });
  test('the last price tells when it was read', async () => {
    const before = Date.now();
    const price = await broker.lastPrice?.('NSE', 'SBIN-EQ', '3045');
    expect(price).toMatchObject({ price: 812.35 });
    expect(price?.at).toBeGreaterThanOrEqual(before);
    stub.on('POST /GetQuotes', quoteOf({ lp: '0.00' }));
    expect(await broker.lastPrice?.('NSE', 'SBIN-EQ', '3045')).toBeNull();
  });
});

describe('a change', () => {
  const limit = '26112000000018';
  const stop = '26112000000019';
  const booked = { uid: 'FT0001', actid: 'FT0001', ordersource: 'API', exch: 'NSE', norenordno: limit, tsym: 'SBIN-EQ', ret: 'DAY' };
  const kept = { ...booked, qty: '10', prctyp: 'LMT', prc: '812.35' };
  test.each<[string, Partial<BrokerChange>, Record<string, unknown>]>([
    ['of the price', { price: '813' }, { ...kept, prc: '813' }],
    ['of the quantity of a partly filled order, the total', { quantity: '12' }, { ...kept, qty: '12' }],
    ['into a stop', { ordertype: 'SL', triggerprice: '812' }, { ...kept, prctyp: 'SL-LMT', trgprc: '812' }],
    ['into MARKET', { ordertype: 'MARKET' }, { ...kept, prc: '816.4' }],
    ['into SL-M', { ordertype: 'SL-M', triggerprice: '820' }, { ...kept, prctyp: 'SL-LMT', prc: '840.5', trgprc: '820' }],
    [
      'of a stop',
      { orderid: stop, price: '799', triggerprice: '799.5' },
      { ...kept, norenordno: stop, prctyp: 'SL-LMT', prc: '799', trgprc: '799.5' },
    ],
    ['of a stop into LIMIT', { orderid: stop, ordertype: 'LIMIT' }, { ...kept, norenordno: stop, prc: '800' }],
  ])('%s sends the rest as booked', async (_what, change, fields) => {
    const sent = await broker.modifyOrder({ orderid: limit, variety: 'NORMAL', ...change });
    expect(sent).toMatchObject({ fate: 'accepted', order_id: '200526000000103' });
    expect(sentTo('ModifyOrder')).toEqual([fields]);
  });
  test('a disclosed quantity stays', async () => {
    stub.on('POST /OrderBook', { body: patched('orders', { dscqty: '2' }) });
    await broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '813' });
    expect(sentTo('ModifyOrder')).toMatchObject([{ dscqty: '2' }]);
  });
  test.each<[string, Partial<BrokerChange>, RegExp]>([
    ['of an order that is not there', { orderid: '1' }, /^order_id: 1 .*not in the order book/],
    ['with a trigger for LIMIT', { triggerprice: '800' }, /^trigger_price: LIMIT/],
    ['with a price for MARKET', { ordertype: 'MARKET', price: '813' }, /^price: MARKET/],
    ['with a price of 0', { price: '0' }, /^price/],
    ['with no quantity', { quantity: '0' }, /^quantity/],
    ['of a stop’s trigger beyond its limit', { orderid: stop, triggerprice: '799' }, /^price: the limit 800 .*799/],
    ['of an order of the currency exchange by its quantity', { orderid: '26112000000021', quantity: '75' }, /^quantity.*CDS/],
  ])('%s is refused before sending', async (_what, change, message) => {
    stub.on('POST /OrderBook', { body: list('orders').map((row) => (row.exch === 'NFO' ? { ...row, exch: 'CDS' } : row)) });
    expect(await broker.modifyOrder({ orderid: limit, variety: 'NORMAL', ...change })).toMatchObject({
      fate: 'rejected',
      message: expect.stringMatching(message),
    });
    expect(stub.calls('POST /ModifyOrder')).toEqual([]);
  });
  test.each<[string, Answer, RegExp]>([
    ['cannot be had', error('timeout'), /Server Timeout/],
    ['is empty', { body: body('noData') }, /no data/],
    ['does not tell the quantity', { body: patched('orders', { qty: undefined }) }, /qty/],
    ['shows a type of two legs', { body: patched('orders', { prctyp: '2L' }) }, /2L/],
  ])('is refused when the book %s', async (_what, answer, message) => {
    stub.on('POST /OrderBook', answer);
    const sent = await broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '813' });
    expect(sent).toMatchObject({ fate: 'rejected', message: expect.stringMatching(message) });
    expect(stub.calls('POST /ModifyOrder')).toEqual([]);
  });
});

test('a cancellation names the order alone and reads nothing', async () => {
  expect(await broker.cancelOrder(orderId)).toMatchObject({ fate: 'accepted', order_id: '200526000000103' });
  expect(sentTo('CancelOrder')).toEqual([{ uid: 'FT0001', ordersource: 'API', norenordno: orderId }]);
  expect(stub.calls('POST /OrderBook')).toEqual([]);
});

test('orders, changes and books say that they come over the API; what Shoonya’s own client asks without it does not', async () => {
  await broker.placeOrder(order, TAG);
  await broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '813' });
  await broker.cancelOrder(orderId);
  await broker.tradebook?.();
  await broker.positions();
  const sources = ['PlaceOrder', 'ModifyOrder', 'CancelOrder', 'OrderBook', 'TradeBook', 'PositionBook'].map(
    (name) => sentTo(name)[0]?.ordersource,
  );
  expect(sources).toEqual(['API', 'API', 'API', 'API', 'API', undefined]);
});

test('what is known of limits', () => {
  expect(broker.traits).toMatchObject({ unattended: false, orderLimits: [{ requests: 200, perMs: 60_000 }] });
});

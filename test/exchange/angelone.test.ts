import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { HoldingRow, OrderRow, PositionRow, TradeRow } from '../../contract/rows.ts';
import { systemClock } from '../../server/clock.ts';
import { type PracticeExchange, practiceCredentials, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';
import { practice } from './practice.ts';

const { CLIENT_ID = '', PIN = '', TOTP_SECRET = '', API_KEY = '' } = practiceCredentials('angelone');
const totp = () => new TOTP({ secret: Secret.fromBase32(TOTP_SECRET) }).generate();

describe('a gateway on the practice exchange as Angel One', () => {
  /** What is its own; what all ten share is in test/gateway/ten.test.ts. */
  const gateway = practice('angelone');
  const { read, venue, venueOrders: ledger } = gateway;
  const sbin = {
    symbol: 'SBIN-EQ',
    token: '3045',
    exchange: 'NSE',
    transaction_type: 'BUY',
    order_type: 'MARKET',
    product_type: 'INTRADAY',
    quantity: 10,
  };
  const share = (symbol: string, token: string) => ({ ...sbin, symbol: `${symbol}-EQ`, token });

  test('a MARKET order fills with the quantity and average of the ledger, booked as a protected LIMIT', async () => {
    const { body } = await gateway.place(sbin);
    const [order] = ledger('SBIN');
    expect(order).toMatchObject({ tag: expect.stringMatching(/^[a-z][a-z0-9]{15}$/), status: 'FILLED', orderType: 'LIMIT' });
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, order_id: order?.orderId });
    expect(body.avg_fill_price).toBe(Number(order?.average));
    expect(body.order_id).toMatch(/^\d{15}$/);
  });

  test('a LIMIT order at the market fills too', async () => {
    venue().exchange.setPrice('NSE', 'INFY', '1568');
    const { body } = await gateway.place({ ...share('INFY', '1594'), order_type: 'LIMIT', price: 1570 });
    const [order] = ledger('INFY');
    expect(body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 10, avg_fill_price: Number(order?.average) });
  });

  test('a stop waits for its trigger, is moved and cancelled in the variety of stops', async () => {
    venue().exchange.setPrice('NSE', 'ITC', '404');
    const stop = { ...share('ITC', '1660'), order_type: 'SL', price: 412, trigger_price: 410 };
    const { body } = await gateway.place(stop);
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING' });
    const { order_id } = body;
    expect((await gateway.call('POST', '/broker/orders/modify', { order_id, trigger_price: 411 })).body).toMatchObject({ success: true });
    const row = await read(order_id);
    expect(row).toMatchObject({ variety: 'STOPLOSS', ordertype: 'STOPLOSS_LIMIT', orderstatus: 'trigger pending', status: 'modified' });
    expect([Number(row.price), Number(row.triggerprice)]).toEqual([412, 411]);
    expect((await gateway.call('POST', '/broker/orders/cancel', { order_id })).body).toMatchObject({ success: true });
    const marketStop = await gateway.place({ ...stop, order_type: 'SL-M', price: 0, idempotency_key: 'slm' });
    expect(marketStop.body).toMatchObject({ success: true, fill_status: 'PENDING' });
    venue().exchange.setPrice('NSE', 'ITC', '410');
    await expect.poll(async () => (await read(marketStop.body.order_id)).status).toBe('complete');
  });

  test('too little money is an accepted order that turns REJECTED with its reason', async () => {
    const { body } = await gateway.place({ ...share('MARUTI', '10999'), product_type: 'DELIVERY', quantity: 1_000 });
    expect(body).toMatchObject({ success: true, fill_status: 'REJECTED', message: expect.stringContaining('Insufficient Funds') });
  });

  test('MCX is refused before sending; NFO is sent in units', async () => {
    const crude = { ...sbin, symbol: 'CRUDEOIL18DEC26FUT', token: '464101', exchange: 'MCX', product_type: 'CARRYFORWARD', quantity: 1 };
    expect((await gateway.place(crude)).body).toMatchObject({ success: false, message: expect.stringContaining('lots or units') });
    const nifty = { ...crude, symbol: 'NIFTY29DEC26FUT', token: '47001', exchange: 'NFO', quantity: 65, product_type: 'INTRADAY' };
    const { body } = await gateway.place({ ...nifty, order_type: 'LIMIT', price: 24_000 });
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING' });
  });

  test('the rows in our words fit the contract, and their names are those that orders take', async () => {
    expect((await gateway.place({ ...sbin, transaction_type: 'SELL' })).body).toMatchObject({ fill_status: 'FILLED' });
    const rows = async (path: string) => (await gateway.call('GET', `/broker/${path}`)).body.normalized;
    const orders = z.array(OrderRow).parse(await rows('orders'));
    expect(orders.map((row) => row.state)).not.toContain('UNKNOWN');
    expect(orders.every((row) => row.tag !== null && row.placed_at !== null)).toBe(true);
    const positions = z.array(PositionRow).parse(await rows('positions'));
    expect(positions.find((row) => row.symbol === 'INFY-EQ')).toMatchObject({
      net_quantity: 10,
      token: '1594',
      product_type: 'INTRADAY',
      realized_pnl: 0,
      unrealized_pnl: expect.any(Number),
    });
    expect(positions.find((row) => row.symbol === 'SBIN-EQ')).toMatchObject({
      net_quantity: 0,
      average_price: null,
      realized_pnl: expect.any(Number),
      unrealized_pnl: 0,
    });
    expect(z.array(HoldingRow).parse(await rows('holdings'))).toMatchObject([
      { symbol: 'SBIN-EQ', quantity: 50, average_price: 781.4 },
      {},
      {},
    ]);
    const trades = z.array(TradeRow).parse(await rows('tradebook'));
    expect(trades.every((row) => Math.abs(Date.parse(row.traded_at ?? '') - Date.now()) < 120_000)).toBe(true);
  });

  test('a dead login is renewed without a person', async () => {
    venue().faults.plant({ kind: 'sessionExpired', operation: 'funds' });
    expect((await gateway.call('GET', '/broker/funds')).body.success).toBe(false);
    await expect.poll(async () => (await gateway.call('GET', '/broker/funds')).body.success).toBe(true);
  });
});

/** The official SDK judges the emulator: it runs in a process of its own, nothing changed but its root address. */
describe('smartapi-javascript on the practice exchange', () => {
  let host: PracticeExchange;
  let results: Record<string, Record<string, unknown>>;
  beforeAll(async () => {
    host = await startExchange({ ports: 'free', seed: 1, limits: false, clock: systemClock, log: silentLog(), transitMs: [0, 0] });
    host.exchange.setPrice('NSE', 'SBIN', '812');
    const script = new URL('angelone-sdk-child.ts', import.meta.url).pathname;
    // The SDK writes its error log where it runs.
    const cwd = await mkdtemp(join(tmpdir(), 'smartapi-'));
    const args = [script, host.urls.angelone?.api ?? '', CLIENT_ID, PIN, totp()];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, maxBuffer: 10_000_000 });
    await rm(cwd, { recursive: true, force: true });
    results = z.record(z.string(), z.record(z.string(), z.unknown())).parse(JSON.parse(stdout));
  });
  afterAll(() => host.close());

  const rows = (name: string) => z.array(z.record(z.string(), z.unknown())).parse(results[name]?.data);
  const done = { status: true, message: 'SUCCESS', errorcode: '' };
  const token = expect.stringMatching(/^eyJ/);

  test('signs in, renews and signs out', () => {
    expect(results.session).toEqual({ ...done, data: { jwtToken: token, refreshToken: token, feedToken: token, state: 'live' } });
    expect(results.renewed).toMatchObject({ ...done, data: { jwtToken: token, refreshToken: token } });
    expect(results.logout).toEqual({ ...done, data: '' });
    expect(results.afterLogout).toEqual({ success: false, message: 'Invalid Token', errorCode: 'AG8001', data: '' });
  });
  test('is told what is wrong with a login', () => {
    expect(results.noToken).toMatchObject({ success: false, errorCode: 'AG8003' });
    expect(results.wrongToken).toMatchObject({ success: false, errorCode: 'AG8001' });
    expect(results.expired).toEqual({ hookCalls: 1 });
    for (const name of ['wrongPin', 'wrongTotp']) expect(results[name]).toMatchObject({ status: false, errorcode: 'AB1000', data: null });
  });
  test('reads the account', () => {
    expect(results.profile).toMatchObject({ ...done, data: { clientcode: CLIENT_ID } });
    expect(results.rms).toMatchObject({ ...done, data: { net: '1000000.0000', utilisedspan: null } });
    expect(rows('holding')).toMatchObject([{ tradingsymbol: 'SBIN-EQ', symboltoken: '3045', quantity: 50, ltp: 812 }, {}, {}]);
    // The market may move between the two reads.
    const unpriced = rows('holding').map(({ ltp, pnlpercentage, profitandloss, ...row }) => row);
    expect(results.allHolding).toMatchObject({ data: { holdings: unpriced, totalholding: { totalinvvalue: 82_956 } } });
    for (const name of ['noPositions', 'noOrders', 'noTrades']) expect(results[name]).toEqual({ ...done, data: null });
    expect(results.market).toMatchObject({
      data: { fetched: [{ tradingSymbol: 'SBIN-EQ', symbolToken: '3045', ltp: 812 }], unfetched: [{ symbolToken: '99' }] },
    });
    const best = [{ quantity: 100, orders: 1 }, { quantity: 200, orders: 2 }, {}, {}, {}];
    const whole = {
      ltp: 812,
      exchFeedTime: expect.stringMatching(/^\d\d-\w{3}-\d{4} [\d:]{8}$/),
      totBuyQuan: 1_500,
      depth: { buy: best, sell: best },
    };
    expect(results.full).toMatchObject({ data: { fetched: [whole], unfetched: [] } });
  });
  test('places, modifies and cancels', () => {
    for (const name of ['atMarket', 'limit', 'stop', 'margin', 'modify', 'partialModify', 'cancel']) {
      const named = { orderid: expect.stringMatching(/^\d{15}$/), uniqueorderid: expect.stringMatching(/^[0-9a-z]{10,14}$/) };
      expect(results[name], name).toMatchObject({ ...done, data: named });
    }
    expect(results.details).toMatchObject({ ...done, data: { quantity: '12', price: 791, orderstatus: 'open' } });
    expect(results.detailsAfter).toMatchObject({ data: { price: 791 } });
    expect(results.marginDetails).toMatchObject({ data: { status: 'rejected', text: expect.stringContaining('Insufficient Funds') } });
    expect(results.byOrderId).toMatchObject({ status: false, errorcode: 'AB1007', data: null });
  });
  test('sees the books', () => {
    const [atMarket, limit, stop] = rows('orders');
    expect(atMarket).toMatchObject({ ordertype: 'LIMIT', status: 'complete', filledshares: '10', ordertag: 'k3v9c0m2p7q1x8za' });
    expect([Number(atMarket?.averageprice), Number(atMarket?.price)]).toEqual([812.05, 828.25]);
    expect(limit).toMatchObject({ status: 'cancelled', quantity: '12', cancelsize: '12', ordertag: '' });
    expect(stop).toMatchObject({ variety: 'STOPLOSS', ordertype: 'STOPLOSS_LIMIT', orderstatus: 'trigger pending' });
    expect(rows('orders').every((row) => /^\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d$/.test(String(row.updatetime)))).toBe(true);
    expect(rows('trades')).toMatchObject([{ fillprice: '812.05', fillsize: '10', filltime: expect.stringMatching(/^\d\d:\d\d:\d\d$/) }]);
    expect(rows('positions')).toMatchObject([{ netqty: '10', netvalue: '- 8120.50', totalbuyavgprice: '812.0500', multiplier: '-1' }]);
  });
  test.each([
    ['amo', 'AB1007'],
    ['stopAsNormal', 'AB1008'],
    ['cancelWrongVariety', 'AB1008'],
    ['otherToken', 'AB1009'],
    ['wrongProduct', 'AB1012'],
    ['longTag', 'AB4008'],
    ['unknownOrder', 'AB1013'],
  ])('%s is refused with %s', (name, errorcode) => {
    expect(results[name]).toMatchObject({ status: false, errorcode, data: null });
  });
  test('tags were noted, and a refused placing request left no order', () => {
    expect(host.exchange.ledger().orders.length).toBe(4);
    expect(host.exchange.ledger().placingRequests.angelone).toBe(9);
  });
});

describe('the emulator as the broker limits it', () => {
  test('a second read of the book within a second, and a tenth order call, are refused in plain text', async () => {
    const host = await startExchange({ ports: 'free', seed: 1, limits: true, clock: systemClock, log: silentLog(), transitMs: [0, 0] });
    const headers: Record<string, string> = { 'content-type': 'application/json', 'x-privatekey': API_KEY };
    const call = async (path: string, body?: unknown) => {
      const url = `${host.urls.angelone?.api}/rest/${path}`;
      const answer = await fetch(url, { headers, ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }) });
      return { status: answer.status, text: await answer.text() };
    };
    const login = await call('auth/angelbroking/user/v1/loginByPassword', { clientcode: CLIENT_ID, password: PIN, totp: totp() });
    headers.authorization = `Bearer ${JSON.parse(login.text).data.jwtToken}`;
    const book = 'secure/angelbroking/order/v1/getOrderBook';
    const statuses = [await call(book), await call(book)].map((answer) => answer.status);
    expect(statuses).toEqual([200, 403]);
    const cancels = [];
    for (let sent = 0; sent < 10; sent++)
      cancels.push(await call('secure/angelbroking/order/v1/cancelOrder', { variety: 'NORMAL', orderid: '1' }));
    expect(cancels.map((answer) => answer.status)).toEqual([...Array(9).fill(200), 403]);
    expect(cancels.at(-1)?.text).toBe('Access denied because of exceeding access rate');
    await host.close();
  });

  test('names instruments as its master file does', async () => {
    const host = await startExchange({ ports: 'free', seed: 1, limits: false, clock: systemClock, log: silentLog() });
    const answer = await fetch(`${host.urls.angelone?.api}/OpenAPI_File/files/OpenAPIScripMaster.json`);
    const master = z.array(z.record(z.string(), z.string())).parse(await answer.json());
    const find = (symbol: string) => master.find((row) => row.symbol === symbol);
    expect(find('SBIN-EQ')).toMatchObject({ token: '3045', exch_seg: 'NSE', tick_size: '5.000000', strike: '-1.000000' });
    expect(find('NIFTY29DEC2626000CE')).toMatchObject({
      strike: '2600000.000000',
      lotsize: '65',
      instrumenttype: 'OPTIDX',
      expiry: '29DEC2026',
    });
    expect(find('USDINR29DEC26FUT')).toMatchObject({ exch_seg: 'CDS', instrumenttype: 'FUTCUR' });
    expect(new Set(master.map((row) => `${row.exch_seg}:${row.symbol}`)).size).toBe([...host.exchange.listed].length);
    await host.close();
  });
});

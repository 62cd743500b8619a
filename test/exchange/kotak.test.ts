import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { HoldingRow, OrderRow, PositionRow, TradeRow } from '../../contract/rows.ts';
import { systemClock } from '../../server/clock.ts';
import { type PracticeExchange, practiceCredentials, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';
import { fixtures } from '../brokers/stub-server.ts';
import { practice } from './practice.ts';

const { ACCESS_TOKEN = '', MOBILE_NUMBER = '', UCC = '', TOTP_SECRET = '', MPIN = '' } = practiceCredentials('kotak');
const record = z.record(z.string(), z.unknown());
const rowList = z.array(record);

describe('a gateway on the practice exchange as Kotak Neo', () => {
  /** What is its own; what all ten share is in test/gateway/ten.test.ts. */
  const gateway = practice('kotak');
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
    venue().exchange.setPrice('NSE', 'SBIN', '812');
    const { body } = await gateway.place(sbin);
    const [order] = ledger('SBIN');
    expect(order).toMatchObject({ tag: expect.stringMatching(/^[a-z][a-z0-9]{15}$/), status: 'FILLED', orderType: 'LIMIT' });
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, order_id: order?.orderId });
    expect(body.avg_fill_price).toBe(Number(order?.average));
    expect(await read(body.order_id)).toMatchObject({ prcTp: 'L', prc: '816.05', ordSt: 'complete', GuiOrdId: order?.tag });
  });

  test('a LIMIT order at the market fills, in parts too', async () => {
    venue().exchange.setPrice('NSE', 'INFY', '1568');
    const plan = [
      { quantity: 3, afterMs: 0 },
      { quantity: 7, afterMs: 300 },
    ];
    venue().faults.plant({ kind: 'partialFills', operation: 'place', plan });
    const { body } = await gateway.place({ ...share('INFY', '1594'), order_type: 'LIMIT', price: 1570 });
    const [order] = ledger('INFY');
    expect(body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 10, avg_fill_price: Number(order?.average) });
  });

  test('an SL-M order goes out as SL with a limit that follows its trigger, and fills when it triggers', async () => {
    venue().exchange.setPrice('NSE', 'ITC', '404');
    const { body } = await gateway.place({ ...share('ITC', '1660'), order_type: 'SL-M', trigger_price: 410 });
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING' });
    const { order_id } = body;
    expect(await read(order_id)).toMatchObject({ prcTp: 'SL', prc: '414.10', trgPrc: '410.00', ordSt: 'trigger pending' });
    expect((await gateway.call('POST', '/broker/orders/modify', { order_id, trigger_price: 412 })).body).toMatchObject({ success: true });
    await expect.poll(() => read(order_id)).toMatchObject({ prc: '416.10', trgPrc: '412.00', ordSt: 'trigger pending' });
    venue().exchange.setPrice('NSE', 'ITC', '412');
    await expect.poll(async () => (await read(order_id)).ordSt).toBe('complete');
  });

  test('an after-market order rests, is changed and cancelled as one', async () => {
    const { body } = await gateway.place({ ...share('NTPC', '11630'), order_type: 'LIMIT', price: 320, variety: 'AMO' });
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING' });
    const { order_id } = body;
    expect((await gateway.call('POST', '/broker/orders/modify', { order_id, price: 321 })).body).toMatchObject({ success: true });
    await expect.poll(() => read(order_id)).toMatchObject({ prc: '321.00', ordSt: 'after market order req received' });
    expect((await gateway.call('POST', '/broker/orders/cancel', { order_id })).body).toMatchObject({ success: true });
    await expect.poll(async () => (await read(order_id)).ordSt).toBe('cancelled after market order');
  });

  test('too little money is refused at once; a price off the tick is accepted and turns REJECTED with its reason', async () => {
    const large = await gateway.place({ ...share('MARUTI', '10999'), product_type: 'DELIVERY', quantity: 1_000 });
    expect(large.body).toMatchObject({ success: false, fill_status: 'REJECTED', message: 'Insufficient balance.' });
    const odd = await gateway.place({ ...share('TITAN', '3506'), order_type: 'LIMIT', price: 3_880.03 });
    expect(odd.body).toMatchObject({ success: true, fill_status: 'REJECTED', message: expect.stringContaining('tick size') });
  });

  test('NFO is sent in units', async () => {
    const nifty = { ...sbin, symbol: 'NIFTY26DECFUT', token: '47001', exchange: 'NFO', quantity: 65, product_type: 'INTRADAY' };
    const { body } = await gateway.place({ ...nifty, order_type: 'LIMIT', price: 24_000 });
    expect(body).toMatchObject({ success: true, fill_status: 'PENDING' });
    const half = await gateway.place({ ...nifty, symbol: 'NIFTY27JANFUT', token: '47002', quantity: 60 });
    expect(half.body).toMatchObject({ success: false, fill_status: 'REJECTED', message: expect.stringContaining('lot size 65') });
  });

  test('the rows in our words fit the contract, and their names are those that orders take', async () => {
    expect((await gateway.place({ ...sbin, transaction_type: 'SELL' })).body).toMatchObject({ fill_status: 'FILLED' });
    const rows = async (path: string) => (await gateway.call('GET', `/broker/${path}`)).body.normalized;
    const orders = z.array(OrderRow).parse(await rows('orders'));
    expect(orders.map((row) => row.state)).not.toContain('UNKNOWN');
    expect(orders.every((row) => row.placed_at !== null && Math.abs(Date.parse(row.placed_at) - Date.now()) < 120_000)).toBe(true);
    const positions = z.array(PositionRow).parse(await rows('positions'));
    expect(positions.find((row) => row.symbol === 'INFY-EQ')).toMatchObject({ net_quantity: 10, token: '1594', product_type: 'INTRADAY' });
    expect(positions.find((row) => row.symbol === 'SBIN-EQ')).toMatchObject({ net_quantity: 0, average_price: 0 });
    const holdings = z.array(HoldingRow).parse(await rows('holdings'));
    expect(holdings).toMatchObject([{ symbol: 'SBIN-EQ', token: '3045', quantity: 50, average_price: 781.4 }, {}, {}]);
    const trades = z.array(TradeRow).parse(await rows('tradebook'));
    expect(trades.every((row) => Math.abs(Date.parse(row.traded_at ?? '') - Date.now()) < 120_000)).toBe(true);
  });

  test('positions are read where they lay before, too', async () => {
    const nets = async () => (await gateway.call('GET', '/broker/positions')).body.normalized.map((row: PositionRow) => row.net_quantity);
    const newer = await nets();
    const { kotak } = venue().switches;
    if (!kotak) throw new Error('no switches');
    kotak.oldPositions = true;
    expect(await nets()).toEqual(newer);
    kotak.oldPositions = false;
    expect((await gateway.call('GET', '/broker/positions')).body.success).toBe(false);
    expect(await nets()).toEqual(newer);
  });

  test('a position that Kotak leaves out is made of its trades', async () => {
    const rows = async () =>
      z
        .array(PositionRow)
        .parse((await gateway.call('GET', '/broker/positions')).body.normalized)
        .sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
    const whole = await rows();
    const { kotak } = venue().switches;
    if (!kotak) throw new Error('no switches');
    kotak.positionsIncomplete = true;
    expect(await rows()).toEqual(whole);
    kotak.positionsIncomplete = false;
  });

  test('a MARKET order fills also where Kotak books its own far from the market, and tells its limit', async () => {
    const { kotak } = venue().switches;
    if (!kotak) throw new Error('no switches');
    kotak.marketOrdersFar = true;
    venue().exchange.setPrice('NSE', 'LT', '4000');
    const { body } = await gateway.place(share('LT', '11483'));
    kotak.marketOrdersFar = false;
    expect(body).toMatchObject({ fill_status: 'FILLED', message: 'MARKET went to Kotak as LIMIT with a limit of 4020' });
  });

  test('a dead login is renewed without a person', async () => {
    venue().faults.plant({ kind: 'sessionExpired', operation: 'holdings' });
    expect((await gateway.call('GET', '/broker/holdings')).body.success).toBe(false);
    await expect.poll(async () => (await gateway.call('GET', '/broker/holdings')).body.success).toBe(true);
  });
});

/** Held against the recorded shapes and against what the official Python client sends. */
describe('the Kotak Neo emulator', () => {
  let host: PracticeExchange;
  let session: Record<string, string>;
  const app = { authorization: ACCESS_TOKEN, 'neo-fin-key': 'neotradeapi', 'content-type': 'application/json' };
  const { one, errors } = fixtures('kotak');
  const code = () => new TOTP({ secret: Secret.fromBase32(TOTP_SECRET) }).generate();

  async function call(method: string, path: string, headers: Record<string, string>, body?: unknown) {
    const text = body === undefined ? {} : { body: body instanceof URLSearchParams ? body : JSON.stringify(body) };
    const answer = await fetch(`${host.urls.kotak?.api}${path}`, { method, headers, ...text });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  }
  const login = (fields: Record<string, unknown>, headers = app) => call('POST', '/login/1.0/tradeApiLogin', headers, fields);
  const good = () => ({ mobileNumber: MOBILE_NUMBER, ucc: UCC, totp: code() });
  const get = (path: string) => call('GET', path, session);
  const ask = (path: string, fields: unknown) => call('POST', path, session, new URLSearchParams({ jData: JSON.stringify(fields) }));
  /** As the official client sends it: no pf, no ig. */
  const fields = {
    am: 'NO',
    dq: '0',
    es: 'nse_cm',
    mp: '0',
    pc: 'MIS',
    pr: '780',
    pt: 'L',
    qt: '10',
    rt: 'DAY',
    tp: '0',
    ts: 'SBIN-EQ',
    tt: 'B',
    os: 'NEOTRADEAPI',
  };
  const place = (more: Record<string, unknown> = {}) => ask('/quick/order/rule/ms/place', { ...fields, ...more });
  const keys = (value: unknown) => Object.keys(record.parse(value)).sort();
  const rows = async (path: string) => rowList.parse((await get(path)).body.data);

  beforeAll(async () => {
    host = await startExchange({ ports: 'free', seed: 1, limits: false, clock: systemClock, log: silentLog(), transitMs: [0, 0] });
    host.exchange.setPrice('NSE', 'SBIN', '812');
    const view = await login(good());
    const validated = await call(
      'POST',
      '/login/1.0/tradeApiValidate',
      { ...app, Sid: view.body.data.sid, Auth: view.body.data.token },
      { mpin: MPIN },
    );
    expect(keys(view.body.data)).toEqual(keys(one('view').body.data));
    expect(keys(validated.body.data)).toEqual(keys(one('session').body.data));
    expect(validated.body.data).toMatchObject({ kType: 'Trade', ucc: UCC, baseUrl: host.urls.kotak?.api });
    const [, claims = ''] = String(view.body.data.token).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ sub: UCC });
    session = { Auth: validated.body.data.token, Sid: validated.body.data.sid };
  });
  afterAll(() => host.close());

  test('refuses sign-in in the forms of sign-in', async () => {
    const refusal = (message: string) => ({ status: 401, body: { status: 'error', message, errorCode: '401' } });
    expect(await login({ ...good(), totp: '000000' })).toEqual(refusal('Invalid TOTP'));
    expect(await login({ ...good(), ucc: 'OTHER' })).toEqual(refusal('Invalid mobile number or UCC'));
    expect(await login(good(), { ...app, authorization: 'nonsense' })).toEqual(refusal('Invalid access token'));
    expect(await login({ ...good(), mobileNumber: '' })).toEqual({
      status: 400,
      body: { error: [{ code: '400', message: "Missing required field 'MobileNumber'" }] },
    });
    const view = await login(good());
    const headers = { ...app, sid: view.body.data.sid, auth: view.body.data.token };
    expect(await call('POST', '/login/1.0/tradeApiValidate', headers, { mpin: '1' })).toEqual(refusal('Invalid MPIN'));
    expect(await call('POST', '/login/1.0/tradeApiValidate', { ...headers, sid: 'x' }, { mpin: MPIN })).toEqual(refusal('Invalid session'));
    // A view login opens no report.
    expect((await call('GET', '/quick/user/orders', headers)).status).toBe(403);
  });

  test('answers empty reports and dead logins the documented way', async () => {
    for (const path of ['/quick/user/trades', '/portfolio/v2/positions'])
      expect(await get(path)).toEqual({ status: 200, body: { ...one('noData').body, tid: expect.any(String) } });
    expect(await call('GET', '/quick/user/orders', { Auth: 'x', Sid: 'y' })).toEqual({
      status: 403,
      body: { stat: 'Not_Ok', emsg: 'Invalid session', stCode: 1003 },
    });
    expect((await get('/5config/config')).status).toBe(404);
  });

  test('rows have the recorded fields', async () => {
    expect((await place({ pr: '0', pt: 'MKT', tp: null, dq: null, ig: null })).body).toEqual({
      nOrdNo: expect.stringMatching(/^\d{16}$/),
      stat: 'Ok',
      stCode: 200,
    });
    for (const [name, path] of Object.entries({
      orders: '/quick/user/orders',
      trades: '/quick/user/trades',
      positions: '/portfolio/v2/positions',
    })) {
      const [recorded] = rowList.parse(one(name).body.data);
      expect(keys((await rows(path))[0]), name).toEqual(keys(recorded));
    }
    const [recorded] = rowList.parse(one('holdings').body.data);
    expect(keys((await rows('/portfolio/v1/holdings'))[0])).toEqual(keys(recorded));
    expect((await get('/portfolio/v1/holdings')).body).not.toHaveProperty('stat');
    const limits = await ask('/quick/user/limits', { seg: 'ALL', exch: 'ALL', prod: 'ALL' });
    expect(keys(limits.body)).toEqual(expect.arrayContaining(keys(one('funds').body)));
    const quotes = await call('GET', '/script-details/1.0/quotes/neosymbol/nse_cm|3045/all', { Authorization: ACCESS_TOKEN });
    expect(keys(quotes.body[0])).toEqual(keys(rowList.parse(one('quote').body)[0]));
    expect((await call('GET', '/script-details/1.0/quotes/neosymbol/nse_cm|3045/all', {})).status).toBe(401);
  });

  test('serves positions in one place at a time, and books market orders far from the market, when it is told to', async () => {
    const { kotak } = host.switches;
    if (!kotak) throw new Error('no switches');
    const status = async (path: string) => (await get(path)).status;
    expect([await status('/portfolio/v2/positions'), await status('/quick/user/positions')]).toEqual([200, 404]);
    Object.assign(kotak, { oldPositions: true, marketOrdersFar: true });
    expect([await status('/portfolio/v2/positions'), await status('/quick/user/positions')]).toEqual([404, 200]);
    host.exchange.setPrice('NSE', 'WIPRO', '240');
    const { body } = await place({ ts: 'WIPRO-EQ', pr: '0', pt: 'MKT', tt: 'S' });
    expect((await rows(`/quick/user/orders/${body.nOrdNo}`))[0]).toMatchObject({ prcTp: 'L', prc: '261.60', ordSt: 'open' });
    Object.assign(kotak, { oldPositions: false, marketOrdersFar: false });
  });

  test('a market order is booked as a limit by the published grid', async () => {
    host.exchange.setPrice('NSE', 'IDEA', '10');
    host.exchange.setPrice('NSE', 'ITC', '400');
    host.exchange.setPrice('NFO', 'NIFTY26DEC26000CE', '240');
    const market = { pr: '0', pt: 'MKT' };
    const option = { ...market, es: 'nse_fo', pc: 'NRML', ts: 'NIFTY26DEC26000CE', qt: '65' };
    for (const [more, limit] of [
      [{ ...market, ts: 'IDEA-EQ' }, '10.20'],
      [{ ...market, ts: 'ITC-EQ', tt: 'S' }, '396.00'],
      [option, '244.80'],
    ] as const) {
      const { body } = await place(more);
      expect((await rows(`/quick/user/orders/${body.nOrdNo}`))[0]).toMatchObject({ prcTp: 'L', prc: limit, ordSt: 'complete' });
    }
  });

  test.each([
    ['a limit of 0', { pr: '0' }, 1009],
    ['a blank limit', { pr: '' }, 1009],
    ['a stop without a trigger', { pt: 'SL', pr: '822', tp: '0' }, 1009],
    ['a symbol without its series', { ts: 'SBIN' }, 1007],
    ['too large an order', { qt: '10000000' }, 1004],
    ['a number for a text', { qt: 10 }, 400],
    ['a market protection', { mp: '5' }, 400],
    ['an alias for a segment', { es: 'NSE' }, 400],
  ])('%s is Not_Ok', async (_what, more, stCode) => {
    expect((await place(more)).body).toMatchObject({ stat: 'Not_Ok', stCode, emsg: expect.any(String) });
  });

  test.each([
    ['SL-M', { pt: 'SL-M', pr: '0', tp: '820' }, 'Market order with Algo Id not allowed'],
    ['a price beyond the circuit', { pr: '1200' }, 'Price 1200 is outside the day range 730.8 - 893.2'],
    ['a stop on the wrong side', { pt: 'SL', pr: '800', tp: '790' }, expect.stringContaining('790')],
  ])('%s is accepted and rejected in the report', async (_what, more, rejRsn) => {
    const { body } = await place(more);
    expect(body).toMatchObject({ stat: 'Ok' });
    expect((await rows(`/quick/user/orders/${body.nOrdNo}`))[0]).toMatchObject({ ordSt: 'rejected', rejRsn, fldQty: 0 });
  });

  test('an order is changed and cancelled; its tag is overwritten, its history told newest first', async () => {
    const placed = (await place({ ig: 'k3v9c0m2p7q1x8za' })).body;
    const change = { mp: '0', dq: '0', vd: 'DAY', pr: '781', pt: 'L', am: 'NO', tp: '0', qt: '12', no: placed.nOrdNo, os: 'NEOTRADEAPI' };
    expect((await ask('/quick/order/vr/modify', change)).body).toEqual(placed);
    expect((await rows(`/quick/user/orders/${placed.nOrdNo}`))[0]).toMatchObject({
      qty: 12,
      prc: '781.00',
      GuiOrdId: expect.stringMatching(/-ADMINAPI$/),
    });
    expect((await ask('/quick/order/cancel', { on: placed.nOrdNo, am: 'NO' })).body).toEqual(placed);
    for (const path of ['/quick/order/cancel', '/quick/order/vr/modify'])
      expect((await ask(path, { ...change, on: placed.nOrdNo })).body).toEqual(errors().finished?.body);
    const history = rowList.parse((await ask('/quick/order/history', { nOrdNo: placed.nOrdNo })).body.data);
    expect(history[0]).toMatchObject({ ordSt: 'cancelled', exch: 'NSE', ordDur: 'DAY' });
    expect(history.at(-1)).toMatchObject({ ordSt: 'put order req received', qty: 10 });
    const twin = (await place({ ig: 'z3v9c0m2p7q1x8za' })).body;
    await ask('/quick/order/cancel', { on: twin.nOrdNo, am: 'NO' });
    expect((await rows(`/quick/user/orders/${twin.nOrdNo}`))[0]?.GuiOrdId).toMatch(/^z3v9c0m2p7q1x8za-\d{10}$/);
    expect((await ask('/quick/order/cancel', { on: '1', am: 'NO' })).body).toMatchObject({ stCode: 1006 });
  });

  test('checks margins and lists instrument files', async () => {
    const margin = {
      exSeg: 'nse_cm',
      tok: '3045',
      prc: '800',
      prcTp: 'L',
      prod: 'MIS',
      qty: '10',
      trnsTp: 'B',
      brkName: 'KOTAK',
      brnchId: 'ONLINE',
    };
    expect((await ask('/quick/user/check-margin', margin)).body).toMatchObject({ stat: 'Ok', ordMrgn: '1600.000000', rmsVldtd: 'OK' });
    const paths = await call('GET', '/script-details/1.0/masterscrip/file-paths', { Authorization: ACCESS_TOKEN });
    const file =
      z
        .array(z.string())
        .parse(paths.body.data.filesPaths)
        .find((each) => each.endsWith('nse_fo.csv')) ?? '';
    const [header = '', ...lines] = (await (await fetch(file)).text()).trim().split('\n');
    const column = (line: string, name: string) => line.split(',')[header.split(',').indexOf(name)];
    const future = lines.find((line) => column(line, 'pTrdSymbol') === 'NIFTY26DECFUT') ?? '';
    expect([column(future, 'pSymbol'), column(future, 'dTickSize '), column(future, 'lLotSize')]).toEqual(['47001', '10', '65']);
    const expiry = Number(column(future, 'lExpiryDate ')) + 315_513_000;
    expect(new Date(expiry * 1000).toISOString()).toBe('2026-12-29T09:00:00.000Z');
  });

  test('counts ten calls a second over all of them', async () => {
    const strict = await startExchange({ ports: 'free', seed: 1, limits: true, clock: systemClock, log: silentLog(), transitMs: [0, 0] });
    try {
      const calls = Array.from({ length: 11 }, (_, index) =>
        fetch(`${strict.urls.kotak?.api}/${index % 2 ? 'quick/user/orders' : 'portfolio/v1/holdings'}`),
      );
      const statuses = (await Promise.all(calls)).map((answer) => answer.status).sort();
      expect(statuses).toEqual([...Array(10).fill(403), 429]);
    } finally {
      await strict.close();
    }
  });
});

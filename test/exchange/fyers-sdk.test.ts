import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Started, startPractice } from './started.ts';

/** The official SDK judges the FYERS emulator: it runs in a process of its own, nothing changed but its base addresses. */
let here: Started;
let results: Record<string, { value?: unknown; error?: unknown }>;
let extra: Record<string, unknown>;
const run = promisify(execFile);

beforeAll(async () => {
  here = await startPractice();
  for (const [exchange, symbol, price] of [
    ['NSE', 'SBIN', '812'],
    ['NFO', 'SBIN26DECFUT', '815'],
    ['MCX', 'SILVERM26DECFUT', '156200'],
  ] as const) {
    here.exchange.setPrice(exchange, symbol, price);
  }
  const script = new URL('fyers-sdk-child.ts', import.meta.url).pathname;
  const { stdout } = await run(process.execPath, [script, here.urls.fyers?.api ?? ''], { maxBuffer: 10_000_000 });
  extra = z.record(z.string(), z.unknown()).parse(JSON.parse(stdout));
  results = z.record(z.string(), z.object({ value: z.unknown(), error: z.unknown() }).partial().catch({})).parse(extra);
});
afterAll(() => here.close());

const value = (name: string) => {
  expect(results[name]?.error, name).toBeUndefined();
  return z.record(z.string(), z.unknown()).parse(results[name]?.value);
};
const rows = (name: string, key: string) => z.array(z.record(z.string(), z.unknown())).parse(value(name)[key]);
const id = expect.stringMatching(/^\d{16}$/);

describe('session', () => {
  test('the login page sends the browser back with an auth code', () => {
    expect(extra.redirect).toEqual({ status: 302, host: '127.0.0.1:5001', s: 'ok', state: 'sample_state' });
  });
  test('an auth code becomes an access token, once', () => {
    // The SDK resolves this one call with the error's body.
    expect(value('wrongSecret')).toMatchObject({ s: 'error', message: 'invalid app id hash' });
    const { access_token } = value('session');
    expect(value('session')).toEqual({ s: 'ok', code: 200, message: '', access_token, refresh_token: expect.any(String) });
    const claims = JSON.parse(Buffer.from(String(access_token).split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ sub: 'access_token', fy_id: 'FP0001' });
    expect(new Date(claims.exp * 1000).toISOString()).toMatch(/T00:30:00\.000Z$/);
    expect(value('usedCode')).toMatchObject({ s: 'error', code: -437, message: 'invalid auth code' });
  });
  test('a wrong or logged out token is refused', () => {
    expect(results.wrongToken?.error).toEqual({ s: 'error', code: -16, message: 'Could not authenticate the user' });
    expect(results.wrongDataToken?.error).toEqual({ s: 'error', code: -15, message: 'Please provide valid token' });
    expect(value('logout')).toEqual({ s: 'ok', code: 200, message: 'you are successfully logged out' });
    expect(results.afterLogout?.error).toMatchObject({ s: 'error', code: -8 });
  });
});

describe('account', () => {
  test('profile, funds, holdings, no positions, no orders, no trades', () => {
    expect(value('profile')).toMatchObject({ s: 'ok', code: 200, message: '', data: { fy_id: 'FP0001' } });
    const funds = rows('funds', 'fund_limit');
    expect(funds).toHaveLength(10);
    expect(funds[9]).toEqual({ id: 10, title: 'Available Balance', equityAmount: 1_000_000, commodityAmount: 0 });
    expect(rows('holdings', 'holdings')).toMatchObject([
      { symbol: 'NSE:SBIN-EQ', fyToken: '10100000003045', quantity: 50, costPrice: 781.4, ltp: 812, pl: 1530, isin: 'INE062A01020' },
      { symbol: 'NSE:INFY-EQ' },
      { symbol: 'NSE:TATASTEEL-EQ' },
    ]);
    expect(value('holdings').overall).toMatchObject({ count_total: 3 });
    expect(rows('noPositions', 'netPositions')).toEqual([]);
    expect(rows('noOrders', 'orderBook')).toEqual([]);
    expect(rows('noTrades', 'tradeBook')).toEqual([]);
  });
});

describe('market', () => {
  test('quotes, depth and status', () => {
    expect(rows('quotes', 'd').map((row) => row.n)).toEqual(['NSE:SBIN-EQ', 'NSE:M&M-EQ', 'MCX:GOLDM26DECFUT']);
    expect(rows('quotes', 'd')[0]).toMatchObject({
      s: 'ok',
      v: { lp: 812, symbol: 'NSE:SBIN-EQ', short_name: 'SBIN-EQ', fyToken: '10100000003045' },
    });
    expect(value('depth')).toMatchObject({
      s: 'ok',
      d: { 'NSE:SBIN-EQ': { ltp: 812, tick_Size: 0.05, lower_ckt: 730.8, upper_ckt: 893.2, bids: { length: 5 } } },
    });
    expect(rows('status', 'marketStatus').every((row) => row.status === 'OPEN')).toBe(true);
  });
});

describe('orders', () => {
  test.each([
    ['market', 1101],
    ['limit', 1101],
    ['stop', 1101],
    ['stopMarket', 1101],
    ['future', 1101],
    ['lots', 1101],
    ['amo', 1101],
    ['short', 1101],
    ['modify', 1102],
    ['modifyStop', 1102],
    ['cancel', 1103],
    ['cancelAmo', 1103],
  ])('%s is answered with an order id and code %i', (name, code) => {
    expect(value(name)).toEqual({ s: 'ok', code, message: expect.any(String), id });
  });
  test('the message names the order too', () => {
    expect(value('market').message).toBe(`Order submitted successfully. Your Order Ref. No.${extra.marketId}`);
  });

  test('the order book', () => {
    const [market, limit, stop, stopMarket, future, lots, amo, short] = rows('orders', 'orderBook');
    const time = expect.stringMatching(/^\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d$/);
    expect(market).toMatchObject({
      id: extra.marketId,
      status: 2,
      type: 1,
      limitPrice: 836.35,
      tradedPrice: 812.05,
      filledQty: 10,
      remainingQuantity: 0,
      message: 'Completed',
      orderTag: '1:tag1',
      orderDateTime: time,
      exchange: 10,
      segment: 10,
      productType: 'INTRADAY',
      side: 1,
    });
    expect(limit).toMatchObject({ status: 1, type: 1, limitPrice: 791, qty: 12, remainingQuantity: 12, orderTag: '2:Untagged' });
    expect(stop).toMatchObject({ status: 6, type: 4, limitPrice: 824, stopPrice: 821 });
    expect(stopMarket).toMatchObject({ status: 6, type: 3, stopPrice: 825 });
    expect(future).toMatchObject({
      status: 2,
      symbol: 'NSE:SBIN26DECFUT',
      segment: 11,
      side: -1,
      fyToken: '101126122947031',
      productType: 'MARGIN',
    });
    expect(lots).toMatchObject({ status: 2, symbol: 'MCX:SILVERM26DECFUT', exchange: 11, segment: 20, qty: 1, filledQty: 1 });
    expect(amo).toMatchObject({ status: 1, offlineOrder: true });
    expect(short).toMatchObject({
      status: 5,
      remainingQuantity: 0,
      filledQty: 0,
      message: expect.stringMatching(/^RED:Margin Shortfall:INR /),
    });
    expect(rows('one', 'orderBook')).toMatchObject([{ id: limit?.id, qty: 12, status: 6 }]);
  });

  test('trades and positions', () => {
    expect(rows('trades', 'tradeBook')).toMatchObject([
      { orderNumber: extra.marketId, tradedQty: 10, tradePrice: 812.05, tradeValue: 8120.5, symbol: 'NSE:SBIN-EQ', orderTag: '1:tag1' },
      { tradedQty: 750, side: -1, orderTag: '1:Untagged' },
      { tradedQty: 1, symbol: 'MCX:SILVERM26DECFUT' },
    ]);
    expect(rows('positions', 'netPositions')).toMatchObject([
      {
        id: 'NSE:SBIN-EQ-INTRADAY',
        netQty: 10,
        qty: 10,
        side: 1,
        buyAvg: 812.05,
        netAvg: 812.05,
        unrealized_profit: -0.5,
        qtyMulti_com: 1,
      },
      { id: 'NSE:SBIN26DECFUT-MARGIN', netQty: -750, qty: 750, side: -1, sellQty: 750 },
      { id: 'MCX:SILVERM26DECFUT-INTRADAY', netQty: 1, qtyMulti_com: 5 },
    ]);
    expect(rows('positions', 'netPositions')[0]).not.toHaveProperty('avgPrice');
    expect(value('positions').overall).toMatchObject({ count_total: 3, count_open: 3 });
  });
});

test.each([
  ['missingField', -50, /validity/],
  ['wrongType', -50, /qty/],
  ['badTag', -50, /orderTag/],
  ['unknownSymbol', -300, /symbol/],
  ['wrongProduct', -50, /MARGIN/],
  ['offTick', -50, /tick size 0\.05/],
  ['oddLot', -50, /lot size 65/],
  ['unknownOrder', -51, /123/],
  ['modifyWithoutPrice', -50, /limitPrice/],
  ['cancelAgain', -50, /CANCELLED/],
])('%s is refused with code %i', (name, code, message) => {
  expect(results[name]?.error).toEqual({ s: 'error', code, message: expect.stringMatching(message) });
});

test('a refusal of the risk system comes under HTTP 200: the SDK resolves it', () => {
  expect(value('circuit')).toEqual({
    s: 'error',
    code: -99,
    message: expect.stringMatching(/^RED:RULE:\{Check circuit limit.*UpperCircuit:INR 893\.2/),
  });
});

describe('orders by tag and limits, beyond the SDK', () => {
  const headers = { authorization: 'PRACTICE01-100:practiceaccesstoken' };
  test.each(['?order_tag=1:tag1', '??order_tag=1:tag1', '?order_tag=1%3Atag1'])('GET /orders%s', async (query) => {
    const found = await fetch(`${here.urls.fyers?.api}/api/v3/orders${query}`, { headers });
    expect(await found.json()).toMatchObject({ s: 'ok', orderBook: [{ orderTag: '1:tag1', id: extra.marketId }] });
  });
  test('a body counts whatever its content type says, and a cancel may name the order in its path', async () => {
    const api = `${here.urls.fyers?.api}/api/v3/orders`;
    const order = { symbol: 'NSE:SBIN-EQ', qty: 1, type: 1, side: 1, productType: 'INTRADAY', limitPrice: 790, stopPrice: 0 };
    const body = JSON.stringify({ ...order, validity: 'DAY', disclosedQty: 0, offlineOrder: false });
    const asForm = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
    const placed = z.object({ id: z.string() }).parse(await (await fetch(`${api}/sync`, { method: 'POST', headers: asForm, body })).json());
    const cancelled = await fetch(`${api}/${placed.id}/sync`, { method: 'DELETE', headers });
    expect(await cancelled.json()).toEqual({ s: 'ok', code: 1103, message: 'Successfully cancelled order', id: placed.id });
  });
  test('all calls together are held to ten a second', async () => {
    const strict = await startPractice({ limits: true });
    const asked = Array.from({ length: 12 }, (_, index) =>
      fetch(`${strict.urls.fyers?.api}/api/v3/${index % 2 ? 'funds' : 'orders'}`, { headers }),
    );
    const answers = await Promise.all(asked);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10);
    const late = answers.find((answer) => answer.status === 429);
    expect(late?.headers.get('retry-after')).toBe('1');
    expect(await late?.json()).toMatchObject({ s: 'error', code: -429 });
    await strict.close();
  });
});

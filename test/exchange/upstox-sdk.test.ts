import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Started, startPractice } from './started.ts';

/** The official SDK judges the Upstox emulator: it runs in a process of its own, nothing changed but its two base addresses. */
let here: Started;
let results: Record<string, { value?: unknown; error?: unknown; status?: unknown }>;

beforeAll(async () => {
  here = await startPractice();
  here.exchange.setPrice('NSE', 'SBIN', '812');
  const script = new URL('upstox-sdk-child.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [script, here.urls.upstox?.api ?? ''], { maxBuffer: 10_000_000 });
  results = z.record(z.string(), z.looseObject({})).parse(JSON.parse(stdout));
});
afterAll(() => here.close());

const data = (name: string) => {
  expect(results[name]?.error).toBeUndefined();
  return z.looseObject({ status: z.literal('success'), data: z.unknown() }).parse(results[name]?.value).data;
};
const rows = (name: string) => z.array(z.record(z.string(), z.unknown())).parse(data(name));
const id = expect.stringMatching(/^\d{21}$/);

describe('session', () => {
  test('the login page sends the browser back with a code, and a stranger nowhere', () => {
    expect(results.dialog).toEqual({ status: 302, host: '127.0.0.1:5001', state: 'abc' });
    expect(results['dialog client_id']).toMatchObject({ status: 401 });
  });

  test('a code becomes a token, outside the envelope', () => {
    expect(results.session?.value).toMatchObject({ userId: 'PU0001', broker: 'UPSTOX', isActive: true, accessToken: expect.any(String) });
    expect(results.session?.value).not.toHaveProperty('status');
  });

  test('logging out ends the token', () => {
    expect(data('logout')).toBe(true);
  });
});

test('the account', () => {
  expect(data('profile')).toMatchObject({ userId: 'PU0001', exchanges: expect.arrayContaining(['NSE', 'NFO']) });
  expect(data('funds')).toMatchObject({ equity: { availableMargin: 1_000_000, usedMargin: 0 }, commodity: { availableMargin: 0 } });
  expect(data('commodity')).toEqual({ commodity: expect.objectContaining({ availableMargin: 0 }) });
  expect(data('fundsV3')).toMatchObject({
    availableToTrade: { total: 1_000_000, cashAvailableToTrade: { cash: { openingBalance: 1_000_000 }, marginUsed: { total: 0 } } },
  });
  const first = {
    tradingSymbol: 'SBIN',
    tradingsymbol: 'SBIN',
    instrumentToken: 'NSE_EQ|INE062A01020',
    isin: 'INE062A01020',
    quantity: 50,
  };
  expect(rows('holdings')).toMatchObject([
    { ...first, averagePrice: 781.4, lastPrice: 812, pnl: 1530 },
    { tradingSymbol: 'INFY' },
    { tradingSymbol: 'TATASTEEL' },
  ]);
  for (const name of ['noPositions', 'mtf', 'noOrders']) expect(data(name)).toEqual([]);
  expect(data('ltp')).toMatchObject({
    'NSE_EQ:SBIN': { lastPrice: 812, instrumentToken: 'NSE_EQ|INE062A01020' },
    'NSE_FO:NIFTY26DECFUT': { instrumentToken: 'NSE_FO|47001' },
  });
});

describe('orders', () => {
  test('a placement answers with a list of ids, anything else with one', () => {
    for (const name of ['market', 'marketByDefault', 'limit', 'stop', 'stopMarket', 'amo', 'currency', 'tooLarge']) {
      expect(results[name]?.value, name).toMatchObject({ data: { orderIds: [id] }, metadata: { latency: expect.any(Number) } });
    }
    for (const name of ['modify', 'cancel', 'cancelAmo', 'placeV2', 'cancelV2']) expect(data(name), name).toEqual({ orderId: id });
  });

  test('the order book', () => {
    const [market, byDefault, limit, stop, stopMarket, amo, currency] = rows('orders');
    const filled = { status: 'complete', orderType: 'MARKET', price: 0, averagePrice: 812.05, pendingQuantity: 0 };
    expect(market).toMatchObject({ ...filled, tradingSymbol: 'SBIN-EQ', product: 'I', filledQuantity: 10, tag: 'k3v9c0m2p7q1x8za' });
    expect(market).toMatchObject({ instrumentToken: 'NSE_EQ|INE062A01020', exchangeOrderId: expect.any(String), isAmo: false });
    expect(byDefault).toMatchObject({ ...filled, filledQuantity: 5, tag: 'twin' });
    expect(limit).toMatchObject({ status: 'cancelled', price: 791, quantity: 12, filledQuantity: 0, orderRequestId: '2' });
    expect(stop).toMatchObject({ status: 'trigger pending', orderType: 'SL', triggerPrice: 820, price: 822 });
    expect(stopMarket).toMatchObject({ status: 'trigger pending', orderType: 'SL-M', triggerPrice: 825, price: 0 });
    expect(amo).toMatchObject({ status: 'cancelled after market order', isAmo: true });
    expect(currency).toMatchObject({ exchange: 'CDS', instrumentToken: 'NCD_FO|10901', quantity: 2, filledQuantity: 2 });
    expect(market?.orderTimestamp).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });

  test('one order and its history', () => {
    expect(data('status')).toMatchObject({ status: 'complete', filledQuantity: 10 });
    expect(data('status')).not.toHaveProperty('guid');
    expect(rows('history').map((row) => row.status)).toEqual([
      'put order req received',
      'validation pending',
      'open pending',
      'open',
      'modify validation pending',
      'modify pending',
      'modified',
      'open',
      'cancel pending',
      'cancelled',
    ]);
    expect(new Set(rows('historyByTag').map((row) => row.orderId)).size).toBe(2);
    expect(rows('historyByTag').every((row) => row.tag === 'twin')).toBe(true);
  });

  test('trades and positions', () => {
    expect(rows('trades')).toMatchObject([
      { quantity: 10, averagePrice: 812.05, exchangeTimestamp: expect.stringMatching(/^\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d$/) },
      { quantity: 5 },
      { quantity: 2, exchange: 'CDS' },
    ]);
    expect(rows('orderTrades')).toMatchObject([{ tradingSymbol: 'SBIN-EQ', transactionType: 'BUY', orderType: 'MARKET' }]);
    expect(rows('positions')).toMatchObject([
      { tradingSymbol: 'SBIN-EQ', product: 'I', quantity: 15, averagePrice: null, buyPrice: 812.05, multiplier: 1, dayBuyQuantity: 15 },
      { exchange: 'CDS', product: 'D', quantity: 2, averagePrice: 0, buyPrice: expect.closeTo(89, -1), multiplier: 1_000 },
    ]);
  });

  test('too little money turns up in the book', () => {
    expect(rows('largeRow').at(-1)).toMatchObject({
      status: 'rejected',
      statusMessage: expect.stringMatching(/^You need to add Rs\. \d+\.\d\d/),
    });
  });
});

test.each([
  ['wrongSecret', 401, 'UDAPI100069'],
  ['burntCode', 401, 'UDAPI100057'],
  ['wrongUri', 401, 'UDAPI100070'],
  ['noToken', 401, 'UDAPI100050'],
  ['afterLogout', 401, 'UDAPI100050'],
  ['cancelAgain', 400, 'UDAPI100040'],
  ['modifyFinished', 400, 'UDAPI100041'],
  ['unprotected', 400, 'UDAPI1158'],
  ['tooWide', 400, 'UDAPI1159'],
  ['oddProtection', 400, 'UDAPI1160'],
  ['noQuantity', 400, 'UDAPI1052'],
  ['noInstrument', 400, 'UDAPI100011'],
  ['mcx', 400, 'UDAPI1161'],
  ['longTag', 400, 'UDAPI1119'],
  ['badProduct', 400, 'UDAPI1054'],
  ['limitWithoutPrice', 400, 'UDAPI1029'],
  ['stopWithoutTrigger', 400, 'UDAPI1036'],
  ['unknownTag', 404, 'UDAPI100010'],
  ['unknownOrder', 404, 'UDAPI100010'],
  ['badOrderId', 400, 'UDAPI1010'],
  ['neither', 400, 'UDAPI100059'],
])('%s is HTTP %i %s', (name, status, code) => {
  expect(results[name]).toMatchObject({ status, error: { status: 'error', errors: [{ errorCode: code, error_code: code }] } });
});

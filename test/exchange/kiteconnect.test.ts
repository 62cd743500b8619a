import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Started, startPractice } from './started.ts';

/** The official SDK judges the Kite emulator: it runs in a process of its own, nothing changed but its root address. */
let here: Started;
let results: Record<string, { value?: unknown; error?: unknown }>;
let extra: Record<string, unknown>;

beforeAll(async () => {
  here = await startPractice();
  here.exchange.setPrice('NSE', 'SBIN', '812');
  const script = new URL('kiteconnect-child.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [script, here.api], { maxBuffer: 10_000_000 });
  extra = z.record(z.string(), z.unknown()).parse(JSON.parse(stdout));
  results = z.record(z.string(), z.object({ value: z.unknown(), error: z.unknown() }).partial()).parse(extra);
});
afterAll(() => here.close());

const value = (name: string) => {
  expect(results[name]?.error).toBeUndefined();
  return results[name]?.value;
};
const rows = (name: string) => z.array(z.record(z.string(), z.unknown())).parse(value(name));
const orderId = { order_id: expect.stringMatching(/^\d{19}$/) };

describe('session', () => {
  test('the login page sends the browser back with a request token', () => {
    expect(extra.redirect).toEqual({ status: 302, host: '127.0.0.1', state: 'abc', said: 'success' });
  });

  test('a request token becomes an access token, once', () => {
    expect(value('session')).toMatchObject({ user_id: 'PR0001', broker: 'ZERODHA', refresh_token: '', api_key: 'practicekey' });
    expect(results.wrongSecret?.error).toMatchObject({ error_type: 'TokenException', message: 'Invalid `checksum`.' });
    expect(results.usedToken?.error).toMatchObject({ error_type: 'TokenException' });
  });

  test('a wrong or logged out token is a TokenException', () => {
    expect(results.wrongToken?.error).toMatchObject({ error_type: 'TokenException', message: 'Incorrect `api_key` or `access_token`.' });
    expect(value('logout')).toBe(true);
    expect(results.afterLogout?.error).toMatchObject({ error_type: 'TokenException' });
  });
});

describe('account', () => {
  test('profile, margins, holdings, no positions, no orders', () => {
    expect(value('profile')).toMatchObject({ user_id: 'PR0001', exchanges: expect.arrayContaining(['NSE', 'MCX']) });
    expect(value('margins')).toMatchObject({
      equity: { net: 1_000_000, available: { live_balance: 1_000_000 } },
      commodity: { enabled: true },
    });
    expect(value('equity')).toMatchObject({ available: { cash: 1_000_000 } });
    expect(rows('holdings')).toMatchObject([
      {
        tradingsymbol: 'SBIN',
        instrument_token: 779521,
        isin: 'INE062A01020',
        quantity: 50,
        average_price: 781.4,
        last_price: 812,
        pnl: 1530,
      },
      { tradingsymbol: 'INFY', instrument_token: 408065 },
      { tradingsymbol: 'TATASTEEL', instrument_token: 895745 },
    ]);
    expect(value('noPositions')).toEqual({ net: [], day: [] });
    expect(value('noOrders')).toEqual([]);
  });
});

describe('market', () => {
  test('the instrument master is parsed by the SDK', () => {
    const listed = rows('instruments').filter((row) => row.tradingsymbol);
    expect(listed).toHaveLength([...here.exchange.listed].length);
    const find = (symbol: string) => listed.find((row) => row.tradingsymbol === symbol);
    expect(find('SBIN')).toMatchObject({
      instrument_token: '779521',
      exchange_token: '3045',
      tick_size: 0.05,
      lot_size: 1,
      segment: 'NSE',
    });
    expect(find('NIFTY26DEC26000CE')).toMatchObject({ strike: 26000, lot_size: 65, instrument_type: 'CE', segment: 'NFO-OPT' });
    expect(find('NIFTY26DECFUT')?.expiry).toBe('2026-12-29T00:00:00.000Z');
    expect(new Set(listed.map((row) => row.instrument_token)).size).toBe(listed.length);
    expect(rows('bseInstruments').every((row) => !row.tradingsymbol || row.exchange === 'BSE')).toBe(true);
  });

  test('quote, ohlc, ltp', () => {
    expect(value('quote')).toEqual({ 'NSE:INFY': expect.anything(), 'NSE:M&M': expect.objectContaining({ instrument_token: 519937 }) });
    expect(value('ohlc')).toMatchObject({ 'NSE:SBIN': { last_price: 812, ohlc: { open: 812 } } });
    expect(value('ltp')).toEqual({ 'NSE:SBIN': { instrument_token: 779521, last_price: 812 } });
  });
});

describe('orders', () => {
  test('every placing call answers an order id', () => {
    for (const name of ['market', 'limit', 'stop', 'stopMarket', 'amo', 'modify', 'cancel', 'cancelAmo'])
      expect(value(name)).toEqual(orderId);
  });

  test('the order book', () => {
    const [market, second, limit, stop, stopMarket, amo] = rows('orders');
    const protectedMarket = {
      status: 'COMPLETE',
      order_type: 'LIMIT',
      price: 828.25,
      average_price: 812.05,
      market_protection: 0,
      filled_quantity: 10,
    };
    expect(market).toMatchObject({ ...protectedMarket, tradingsymbol: 'SBIN', product: 'MIS', variety: 'regular', pending_quantity: 0 });
    expect(second).toMatchObject(protectedMarket);
    expect(limit).toMatchObject({
      status: 'CANCELLED',
      price: 791,
      quantity: 12,
      cancelled_quantity: 12,
      modified: true,
      tag: 'b1',
      tags: ['b1'],
    });
    expect(stop).toMatchObject({ status: 'TRIGGER PENDING', order_type: 'SL', trigger_price: 820, tag: null });
    expect(stop).not.toHaveProperty('tags');
    expect(stopMarket).toMatchObject({ status: 'TRIGGER PENDING', order_type: 'SL-M' });
    expect(amo).toMatchObject({ status: 'CANCELLED', variety: 'amo' });
  });

  test('a tag beside a protected market order stays in `tag` or only in `tags`, in turn', () => {
    const marked = rows('orders').slice(0, 2);
    expect(marked.map((row) => row.tag).toSorted()).toContain(null);
    expect(marked.map((row) => row.tags)).toEqual([
      expect.arrayContaining(['k3v9c0m2p7q1x8za', 'mktp', 'mktp:2.00']),
      expect.arrayContaining(['z3v9c0m2p7q1x8za', 'mktp', 'mktp:2.00']),
    ]);
  });

  test('the history of an order placed and modified', () => {
    const words = rows('history').map((row) => row.status);
    expect(words).toEqual([
      'PUT ORDER REQ RECEIVED',
      'VALIDATION PENDING',
      'OPEN PENDING',
      'OPEN',
      'MODIFY VALIDATION PENDING',
      'MODIFY PENDING',
      'MODIFIED',
      'OPEN',
    ]);
    expect(rows('history').slice(0, 3)).toMatchObject(
      Array.from({ length: 3 }, () => ({ exchange_order_id: null, exchange_timestamp: null })),
    );
  });

  test('trades, positions and margins', () => {
    expect(rows('trades')).toMatchObject([{ average_price: 812.05, quantity: 10 }, { quantity: 10 }]);
    expect(rows('orderTrades')).toMatchObject([
      { tradingsymbol: 'SBIN', instrument_token: 779521, order_timestamp: expect.stringMatching(/^\d\d:\d\d:\d\d$/) },
    ]);
    expect(value('positions')).toMatchObject({
      net: [{ tradingsymbol: 'SBIN', product: 'MIS', quantity: 20, average_price: 812.05, multiplier: 1, buy_value: 16241, pnl: -1 }],
      day: [{ quantity: 20 }],
    });
    expect(rows('orderMargins')).toMatchObject([{ tradingsymbol: 'SBIN', total: 1600 }]);
  });
});

test.each([
  ['unprotected', 'InputException', /market protection/],
  ['missingField', 'InputException', /`tradingsymbol`/],
  ['longTag', 'InputException', /`tag`/],
  ['wrongProduct', 'InputException', /^Trading in NSE is not allowed using NRML product type\.$/],
  ['tooLarge', 'MarginException', /^Insufficient funds\. Required margin is 80000000\.00 but available margin is \d+\.\d\d\.$/],
  ['unknownOrder', 'OrderException', /123/],
  ['cancelAgain', 'OrderException', /CANCELLED/],
  ['cancelByWrongVariety', 'OrderException', /does not exist/],
])('%s is a %s', (name, type, message) => {
  expect(results[name]?.error).toMatchObject({ status: 'error', error_type: type, message: expect.stringMatching(message), data: null });
});

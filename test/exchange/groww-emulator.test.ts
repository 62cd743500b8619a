import { createHash } from 'node:crypto';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { practiceCredentials } from '../../server/exchange/emulators.ts';
import { type Fixture, fixtures } from '../brokers/stub-server.ts';
import { type Started, startPractice } from './started.ts';

/** The emulator against the documented example bodies, in plain HTTP. */
const { one, errors } = fixtures('groww');
const tag = 'k3v9c0m2p7q1x8za';
const secret = practiceCredentials('groww').TOTP_SECRET ?? '';
let here: Started;
let api: string;
let token = '';

async function call(method: string, path: string, json?: unknown, bearer = token) {
  const response = await fetch(`${api}${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}
const login = (proof: unknown, key = 'practicekey') => call('POST', '/v1/token/api/access', proof, key);
const code = (afterMs = 0) => new TOTP({ secret }).generate({ timestamp: Date.now() + afterMs });
const wipro = { trading_symbol: 'WIPRO', exchange: 'NSE', segment: 'CASH', product: 'MIS', validity: 'DAY', quantity: 10 };
const resting = { ...wipro, order_type: 'LIMIT', transaction_type: 'BUY', price: 230 };
const place = (change: Record<string, unknown> = {}) =>
  call('POST', '/v1/order/create', { ...resting, order_reference_id: tag, ...change });

/** Names and kinds of members, down to the first row of each list. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape);
  if (typeof value !== 'object' || value === null) return typeof value === 'object' ? 'null' : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, shape(member)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
function expectLike(answer: { status: number; body: unknown }, documented: Fixture): void {
  expect(answer.status).toBe(documented.status);
  expect(shape(answer.body)).toEqual(shape(documented.body));
}

beforeAll(async () => {
  here = await startPractice();
  api = here.urls.groww?.api ?? '';
  here.exchange.setPrice('NSE', 'WIPRO', '244');
  token = (await login({ key_type: 'totp', totp: code() })).body.token;
});
afterAll(() => here.close());

describe('the token', () => {
  test('comes without an envelope, as documented', async () => expectLike(await login({ key_type: 'totp', totp: code() }), one('session')));
  test('is given for the codes around now, and without a key type', async () => {
    for (const totp of [code(-30_000), code(30_000)]) expect((await login({ totp })).status).toBe(200);
  });
  test('is given for a checksum, its time as text or number', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const checksum = createHash('sha256').update(`practicesecret${now}`).digest('hex');
    for (const timestamp of [String(now), now]) expect((await login({ key_type: 'approval', checksum, timestamp })).status).toBe(200);
  });
  test('is refused with a text to show', async () => {
    const old = Math.floor(Date.now() / 1_000) - 700;
    const stale = createHash('sha256').update(`practicesecret${old}`).digest('hex');
    const wrong = [{ key_type: 'totp', totp: code(-120_000) }, { key_type: 'approval', checksum: stale, timestamp: String(old) }, {}];
    for (const proof of wrong)
      expect(await login(proof)).toMatchObject({ status: 400, body: { error: { displayMessage: expect.any(String) } } });
    expect((await login({ totp: code() }, 'otherkey')).status).toBe(401);
  });
  test('is needed', async () => {
    expectLike(await call('GET', '/v1/user/detail', undefined, 'nonsense'), errors().expired ?? one('profile'));
    expect((await call('GET', '/v1/changelog', undefined, 'nonsense')).body).toEqual({});
  });
});

describe('answers have the documented members', () => {
  let id: string;
  test.each([
    ['profile', '/v1/user/detail'],
    ['funds', '/v1/margins/detail/user'],
    ['holdings', '/v1/holdings/user'],
  ])('%s', async (name, path) => expectLike(await call('GET', path), one(name)));
  test('a placed order, and its list, detail and status', async () => {
    const placed = await place();
    expectLike(placed, one('placed'));
    id = placed.body.payload.groww_order_id;
    expectLike(await call('GET', '/v1/order/list?segment=CASH&page=0&page_size=100'), one('orders'));
    expectLike(await call('GET', `/v1/order/detail/${id}?segment=CASH`), one('detail'));
    expectLike(await call('GET', `/v1/order/status/${id}?segment=CASH`), one('status'));
    expectLike(await call('GET', `/v1/order/status/reference/${tag}?segment=CASH`), one('status'));
  });
  test('a traded order, and its trades and position', async () => {
    const { body } = await place({ order_type: 'MARKET', price: 0, trigger_price: null, order_reference_id: 'market-0-1' });
    expectLike(await call('GET', `/v1/order/trades/${body.payload.groww_order_id}?segment=CASH&page=0&page_size=50`), one('trades'));
    expectLike(await call('GET', '/v1/positions/user?segment=CASH'), one('positions'));
    expect((await call('GET', '/v1/positions/user?segment=FNO')).body.payload.positions).toEqual([]);
    expectLike(await call('GET', '/v1/positions/trading-symbol?trading_symbol=WIPRO&segment=CASH'), one('positions'));
  });
  test('a change and a cancel', async () => {
    const change = { groww_order_id: id, segment: 'CASH', order_type: 'LIMIT', quantity: 12, price: 231, trigger_price: null };
    const changed = { status: 'SUCCESS', payload: { groww_order_id: id, order_status: expect.any(String) } };
    expect(await call('POST', '/v1/order/modify', change)).toEqual({ status: 200, body: changed });
    expect((await call('GET', `/v1/order/detail/${id}?segment=CASH`)).body.payload).toMatchObject({
      quantity: 12,
      price: 231,
      order_reference_id: tag,
    });
    expect(await call('POST', '/v1/order/cancel', { groww_order_id: id, segment: 'CASH' })).toEqual({ status: 200, body: changed });
    expect((await call('GET', `/v1/order/status/${id}?segment=CASH`)).body.payload.order_status).toBe('CANCELLED');
  });
  test('prices, joined or repeated', async () => {
    const ltp = { status: 'SUCCESS', payload: { NSE_WIPRO: 244, BSE_SBIN: expect.any(Number) } };
    expect((await call('GET', '/v1/live-data/ltp?segment=CASH&exchange_symbols=NSE_WIPRO,BSE_SBIN')).body).toEqual(ltp);
    expect((await call('GET', '/v1/live-data/ltp?segment=CASH&exchange_symbols=NSE_WIPRO&exchange_symbols=BSE_SBIN')).body).toEqual(ltp);
    const quote = await call('GET', '/v1/live-data/quote?exchange=NSE&segment=CASH&trading_symbol=WIPRO');
    expect(quote.body.payload).toMatchObject({ last_price: 244, ohlc: { open: 244 } });
  });
  test('the instrument master has 21 columns', async () => {
    const lines = (await (await fetch(`${api}/instruments/instrument.csv`)).text()).trim().split('\n');
    expect(new Set(lines.map((line) => line.split(',').length))).toEqual(new Set([21]));
    expect(lines.find((line) => line.includes(',NIFTY26DEC26000CE,'))).toContain('NSE-NIFTY-29Dec26-26000-CE');
  });
});

describe('refusals', () => {
  test('a reference that was used is GA007', async () => expectLike(await place(), errors().duplicate ?? one('placed')));
  test.each([
    [{ order_reference_id: 'short' }, 'Invalid order reference id.'],
    [{ order_reference_id: 'a-b-c-d-e' }, 'Invalid order reference id.'],
    [{ order_reference_id: undefined }, 'Invalid order reference id.'],
    [{ validity: 'IOC' }, 'Invalid validity.'],
    [{ order_type: 'STOP_LOSS' }, 'Invalid order type.'],
    [{ trading_symbol: 'NOSUCH' }, 'Invalid trading symbol.'],
    [{ quantity: '10' }, 'Invalid quantity.'],
    [{ price: '230' }, 'Invalid price.'],
    [{ product: 'NRML' }, 'Product NRML is not allowed in this segment.'],
    [{ segment: 'COMMODITY' }, 'Invalid segment.'],
  ])('%j is GA001', async (change, message) => {
    const answer = await place({ order_reference_id: 'fresh-00-1', ...change });
    expect(answer).toMatchObject({ status: 400, body: { status: 'FAILURE', error: { code: 'GA001', message, metadata: null } } });
  });
  test('another segment does not have the order', async () => {
    for (const path of [
      `/v1/order/status/reference/${tag}?segment=FNO`,
      '/v1/order/detail/GMK1?segment=CASH',
      '/v1/order/trades/GMK1?segment=CASH',
    ]) {
      expectLike(await call('GET', path), errors().notFound ?? one('placed'));
    }
    expect((await call('GET', `/v1/order/status/reference/${tag}`)).body.error.code).toBe('GA001');
  });
  test('pages are as long as documented', async () => {
    for (let index = 0; index < 27; index += 1) await place({ order_reference_id: `page-0000-${index}` });
    const rows = async (query: string) => (await call('GET', `/v1/order/list${query}`)).body.payload?.order_list.length;
    expect([await rows(''), await rows('?page=1'), await rows('?page_size=100'), await rows('?page_size=101')]).toEqual([
      25,
      4,
      29,
      undefined,
    ]);
  });
});

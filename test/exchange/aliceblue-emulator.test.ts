import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { aliceblue } from '../../server/exchange/aliceblue/emulator.ts';
import { type Fixture, fixtures } from '../brokers/stub-server.ts';
import { scaledClock } from '../support/scaled-clock.ts';
import { type Started, startPractice } from './started.ts';

/** The emulator against the documented example bodies, in plain HTTP. */
const { one, errors } = fixtures('aliceblue');
const tag = 'k3v9c0m2p7q1x8za';
const session = aliceblue.credentials.USER_SESSION ?? '';
let here: Started;
let api: string;

async function call(method: string, path: string, json?: unknown, bearer = session) {
  const response = await fetch(`${api}/open-api/od/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

/** The place item of the documents, with a price that rests. */
const item = {
  exchange: 'NSE',
  instrumentId: '3787',
  transactionType: 'BUY',
  quantity: 10,
  product: 'INTRADAY',
  orderComplexity: 'REGULAR',
  orderType: 'LIMIT',
  validity: 'DAY',
  price: '230',
  slLegPrice: '',
  targetLegPrice: '',
  slTriggerPrice: '',
  disclosedQuantity: '',
  marketProtectionPercent: '',
  deviceId: '123',
  trailingSlAmount: '',
  apiOrderSource: '',
  algoId: '',
  orderTag: tag,
};
const place = (change: Record<string, unknown> = {}) => call('POST', '/orders/placeorder', [{ ...item, ...change }]);
const placed = async (change: Record<string, unknown> = {}): Promise<string> => (await place(change)).body.result[0].brokerOrderId;
const row = async (id: string) =>
  (await call('GET', '/orders/book')).body.result.find((one: { brokerOrderId: string }) => one.brokerOrderId === id);

/** Names and kinds of members, down to the first row of each list. A null may be of any kind. */
function shape(value: unknown, like: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map((each) => shape(each, Array.isArray(like) ? like[0] : undefined));
  if (typeof value !== 'object' || value === null) return value === null || like === null ? 'any' : typeof value;
  const other: Record<string, unknown> = typeof like === 'object' && like !== null ? { ...like } : {};
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, shape(member, other[name])] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
function expectLike(answer: { status: number; body: unknown }, documented: Fixture | undefined): void {
  expect(answer.status).toBe(documented?.status);
  expect(shape(answer.body, documented?.body)).toEqual(shape(documented?.body, answer.body));
}

beforeAll(async () => {
  here = await startPractice();
  api = here.urls.aliceblue?.api ?? '';
  here.exchange.setPrice('NSE', 'WIPRO', '244');
});
afterAll(() => here.close());

describe('the documented bodies', () => {
  test.each([
    ['/orders/book', 'noOrders'],
    ['/positions', 'noPositions'],
    ['/orders/trades', 'noTrades'],
    ['/holdings/MTF', 'noHoldings'],
  ])('GET %s says with a code that there is nothing', async (path, name) => {
    const answer = await call('GET', path);
    expect(answer.body.status).toBe(errors()[name]?.body.status);
    expectLike(answer, errors()[name]);
  });
  test('profile, funds and holdings', async () => {
    expectLike(await call('GET', '/profile/'), one('profile'));
    expectLike(await call('GET', '/limits/'), one('funds'));
    expectLike(await call('GET', '/holdings/CNC'), one('holdings'));
  });
  test('a placement, its row, its trade and its position', async () => {
    const answer = await place({ orderType: 'MARKET', price: '0' });
    expectLike(answer, one('placed'));
    expect(answer.body.result[0]).toEqual({
      requestTime: expect.stringMatching(/^\d{2}-[A-Z][a-z]{2}-\d{4} \d{2}:\d{2}:\d{2}$/),
      brokerOrderId: expect.stringMatching(/^\d{21}$/),
    });
    await expect.poll(async () => (await row(answer.body.result[0].brokerOrderId)).orderStatus).toBe('COMPLETE');
    expectLike(await call('GET', '/orders/book'), one('orders'));
    expectLike(await call('GET', '/orders/trades'), one('trades'));
    expectLike(await call('GET', '/positions'), one('positions'));
  });
  test('a change and a cancellation', async () => {
    const id = await placed();
    expectLike(await call('POST', '/orders/modify', { brokerOrderId: id, price: '231' }), one('placed'));
    expectLike(await call('POST', '/orders/cancel', { brokerOrderId: id }), one('placed'));
    await expect.poll(() => row(id)).toMatchObject({ orderStatus: 'CANCELED', price: 231, orderTag: tag, cancelledQuantity: 10 });
    const { body } = await call('POST', '/orders/history', { brokerOrderId: id });
    expect(body.result[0].orderStatus).toBe('CANCELED');
    expect(body.result.at(-1).orderStatus).toBe('PENDING');
    expect(shape(body.result, one('orders').body.result)).toEqual(shape(one('orders').body.result, body.result));
  });
});

describe('the token', () => {
  const details = (checkSum: string) => call('POST', '/vendor/getUserDetails', { checkSum }, '');
  const checkSum = (user: string, code: string, secret: string) => createHash('sha256').update(`${user}${code}${secret}`).digest('hex');

  test('is traded for a code with the right checksum, as documented', async () => {
    const page = await fetch(`${here.urls.aliceblue?.login}?appcode=${aliceblue.credentials.APP_CODE}`, { redirect: 'manual' });
    expect(page.status).toBe(302);
    const query = new URL(page.headers.get('location') ?? '').searchParams;
    const [user, code] = [query.get('userId') ?? '', query.get('authCode') ?? ''];
    expectLike(await details(checkSum(user, code, 'wrong')), errors().code);
    const answer = await details(checkSum(user, code, aliceblue.credentials.API_SECRET ?? ''));
    expectLike(answer, one('session'));
    expect((await call('GET', '/profile/', undefined, answer.body.result[0].accessToken)).body.status).toBe('Ok');
    expectLike(await details(checkSum(user, code, aliceblue.credentials.API_SECRET ?? '')), errors().code);
  });
  test('that is unknown is refused, and an unknown app too', async () => {
    expect(await call('GET', '/profile/', undefined, 'guess')).toEqual({
      status: 401,
      body: { status: 'EC087', message: 'Session Expired' },
    });
    expect((await fetch(`${here.urls.aliceblue?.login}?appcode=x`)).status).toBe(400);
  });
});

describe('orders', () => {
  test.each([
    [{ exchange: 'CDS' }, 'EC090'],
    [{ orderComplexity: 'CO' }, 'EC091'],
    [{ product: 'CNC' }, 'EC092'],
    [{ orderType: 'SL-M' }, 'EC838'],
    [{ instrumentId: '1' }, 'EC946'],
    [{ quantity: 0 }, 'EC948'],
    [{ quantity: '1.5' }, 'EC948'],
    [{ quantity: null }, 'EC948'],
    [{ product: 'NORMAL' }, 'EC807'],
    [{ exchange: 'NFO', instrumentId: '47001', quantity: 65, price: '26000', product: 'LONGTERM' }, 'EC969'],
    [{ exchange: 'NFO', instrumentId: '47001', quantity: 65, price: '26000', product: 'MTF' }, 'EC969'],
    [{ quantity: 50_000_001 }, 'EC948'],
    [{ price: '' }, 'EC950'],
    [{ orderType: 'SLM', price: '0' }, 'EC951'],
    [{ exchange: 'NFO', instrumentId: '47001', quantity: 64, price: '26000' }, 'EC954'],
    [{ exchange: 'NFO', instrumentId: '48001', quantity: 65, orderType: 'MARKET' }, 'EC838'],
    [{ orderTag: 'x'.repeat(51) }, 'EC971'],
    [{ algoId: 'x'.repeat(13) }, 'EC972'],
    [{ orderComplexity: 'AMO', disclosedQuantity: '1' }, 'EC982'],
    [{ orderComplexity: 'AMO', validity: 'IOC' }, 'EC996'],
  ])('%j is refused with %s', async (change, code) => {
    expect(await place(change)).toMatchObject({ status: 200, body: { status: code, message: expect.stringMatching(/./) } });
  });
  test('numbers for texts and absent optional members are taken', async () => {
    const { exchange, instrumentId, transactionType, quantity, product, orderComplexity, orderType, validity } = item;
    const bare = { exchange, instrumentId, transactionType, quantity, product, orderComplexity, orderType, validity, price: 230 };
    const { body } = await call('POST', '/orders/placeorder', [bare]);
    expect(await row(body.result[0].brokerOrderId)).toMatchObject({ price: 230, orderTag: '' });
  });
  test('null for what is optional and a quantity as text are taken', async () => {
    const nulls = Object.fromEntries(
      ['slTriggerPrice', 'disclosedQuantity', 'marketProtectionPercent', 'deviceId', 'algoId', 'orderTag', 'trailingSlAmount'].map(
        (name) => [name, null],
      ),
    );
    const id = await placed({ ...nulls, quantity: '10' });
    expect(await row(id)).toMatchObject({ quantity: 10, orderTag: '', algoId: '', slTriggerPrice: 0 });
  });
  test('"" leaves what it names as it was in a change', async () => {
    const id = await placed();
    const blank = {
      quantity: '',
      orderType: '',
      slTriggerPrice: '',
      validity: '',
      trailingSLAmount: '',
      disclosedQuantity: '',
      marketProtection: '',
    };
    expect((await call('POST', '/orders/modify', { ...blank, brokerOrderId: id, price: '231' })).body.status).toBe('Ok');
    await expect.poll(() => row(id)).toMatchObject({ price: 231, quantity: 10, orderType: 'LIMIT', validity: 'DAY' });
    expect((await call('POST', '/orders/modify', { ...blank, brokerOrderId: id, price: null, quantity: '12' })).body.status).toBe('Ok');
    await expect.poll(() => row(id)).toMatchObject({ price: 231, quantity: 12 });
  });
  test.each(['NORMAL', 'NRML'])('a contract is carried under %s, and shown as NORMAL', async (product) => {
    const id = await placed({ exchange: 'NFO', instrumentId: '47001', quantity: 65, price: '26000', product });
    expect(await row(id)).toMatchObject({ product: 'NORMAL', quantity: 65 });
  });
  test('one of two may be refused: its place in the result says so', async () => {
    const { body } = await call('POST', '/orders/placeorder', [{ ...item, product: 'CNC' }, item]);
    expect(body).toMatchObject({ status: 'Ok', result: [{ status: 'EC092' }, { brokerOrderId: expect.stringMatching(/^\d+$/) }] });
  });
  test('a body that is no list is refused', async () => {
    expect((await call('POST', '/orders/placeorder', item)).body.status).toBe('EC080');
  });
  test('a wrong tick is told by the book', async () => {
    const id = await placed({ price: '230.005' });
    await expect
      .poll(() => row(id))
      .toMatchObject({
        orderStatus: 'REJECTED',
        rejectionReason: 'ORA:Price 230.005 is not a multiple of tick size 0.01 ',
      });
  });
  test('a commodity is placed in lots, and changed and shown in units', async () => {
    here.exchange.setPrice('MCX', 'GOLDM26DECFUT', '124500');
    const id = await placed({ exchange: 'MCX', instrumentId: '464111', quantity: 1, price: '120000' });
    await expect.poll(() => row(id)).toMatchObject({ quantity: 10, pendingQuantity: 10, orderStatus: 'OPEN' });
    expect((await call('POST', '/orders/modify', { brokerOrderId: id, quantity: 1 })).body.status).toBe('EC954');
    expect((await call('POST', '/orders/modify', { brokerOrderId: id, quantity: 20, price: '' })).body.status).toBe('Ok');
    await expect.poll(() => row(id)).toMatchObject({ quantity: 20, price: 120_000 });
  });
  test('an unknown or finished order is neither changed nor cancelled', async () => {
    const id = await placed();
    await call('POST', '/orders/cancel', { brokerOrderId: id });
    await expect.poll(async () => (await row(id)).orderStatus).toBe('CANCELED');
    const codes = [
      await call('POST', '/orders/cancel', { brokerOrderId: id }),
      await call('POST', '/orders/cancel', { brokerOrderId: '42' }),
      await call('POST', '/orders/cancel', {}),
      await call('POST', '/orders/modify', { brokerOrderId: '42', price: '1' }),
      await call('POST', '/orders/history', { brokerOrderId: '42' }),
    ].map(({ body }) => body.status);
    expect(codes).toEqual(['EC992', 'EC997', 'EC945', 'EC979', 'EC918']);
  });
});

describe('market data', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const greeting = (token: string, user = '912444_API') => ({
    susertoken: hash(hash(token)),
    t: 'c',
    actid: user,
    uid: user,
    source: 'API',
  });

  /** Sends frames one by one, each after the answer to the one before, and tells the answers. */
  async function talk(...frames: unknown[]): Promise<Record<string, string>[]> {
    const socket = new WebSocket(here.urls.aliceblue?.feed ?? '');
    await new Promise((done) => socket.once('open', done));
    const answers: Record<string, string>[] = [];
    for (const frame of frames) {
      const next = new Promise<string>((done) => socket.once('message', (data) => done(data.toString())));
      socket.send(JSON.stringify(frame));
      answers.push(JSON.parse(await next));
    }
    socket.terminate();
    return answers;
  }
  const open = (name: string) => call('POST', `/profile/${name}`, { source: 'API', userId: '912444' });

  test('needs a session, the token twice hashed and the suffix of API users', async () => {
    expect(await talk(greeting(session))).toEqual([{ t: 'ck', s: 'NOT_OK' }]);
    expectLike(await open('createWsSess'), one('socketSession'));
    expect(await talk(greeting('guess'))).toEqual([{ t: 'ck', s: 'NOT_OK' }]);
    expect(await talk(greeting(session, '912444'))).toEqual([{ t: 'ck', s: 'NOT_OK' }]);
    expect(await talk(greeting(session))).toEqual([{ t: 'ck', s: 'OK' }]);
    await open('invalidateWsSess');
    expect(await talk(greeting(session))).toEqual([{ t: 'ck', s: 'NOT_OK' }]);
  });
  test('answers a subscription with a full frame, all text', async () => {
    await open('createWsSess');
    const [, tick, depth] = await talk(greeting(session), { k: 'NSE|3787', t: 't' }, { k: 'NSE|3787', t: 'd' });
    const common = { pp: '2', ml: '1', e: 'NSE', tk: '3787', ts: 'WIPRO-EQ', ls: '1', ti: '0.01', lp: '244.00' };
    expect(tick).toMatchObject({ t: 'tk', ...common });
    expect(depth).toMatchObject({ t: 'dk', ...common, lc: '219.60', uc: '268.40' });
    expect(Object.values(depth ?? {}).every((value) => typeof value === 'string')).toBe(true);
  });
  test('both paths of the prices and of the order updates are served', async () => {
    await open('createWsSess');
    const [prices, orders] = [here.urls.aliceblue?.feed ?? '', api.replace('http', 'ws')];
    expect(prices).toMatch(/\/NorenWS\/$/);
    const dialled = [prices, prices.replace(/\/$/, ''), `${orders}/open-api/order-notify/websocket`, `${orders}/order-notify/websocket`];
    for (const url of dialled) {
      const socket = new WebSocket(url);
      await new Promise((done, failed) => socket.once('open', done).once('error', failed));
      socket.terminate();
    }
  });
  test('a price socket without heartbeats stays open', async () => {
    const clock = scaledClock(50);
    const slow = await startPractice({ clock });
    const socket = new WebSocket(slow.urls.aliceblue?.feed ?? '');
    await new Promise((done) => socket.once('open', done));
    await clock.sleep(120_000);
    expect(socket.readyState).toBe(WebSocket.OPEN);
    await slow.close();
  });
  test('an account without order updates gets an empty answer, and an older one its token in the older form', async () => {
    const other = await startPractice();
    Object.assign(other.switches.aliceblue ?? {}, { noOrderFeed: true, oldSession: true });
    const { api: at = '', login = '' } = other.urls.aliceblue ?? {};
    const headers = { authorization: `Bearer ${session}` };
    const answer = await fetch(`${at}/open-api/order-notify/ws/createWsToken`, { headers });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    const page = await fetch(`${login}?appcode=${aliceblue.credentials.APP_CODE}`, { redirect: 'manual' });
    const query = new URL(page.headers.get('location') ?? '').searchParams;
    const text = `${query.get('userId')}${query.get('authCode')}${aliceblue.credentials.API_SECRET}`;
    const json = JSON.stringify({ checkSum: createHash('sha256').update(text).digest('hex') });
    const old = await fetch(`${at}/open-api/od/v1/vendor/getUserDetails`, { method: 'POST', body: json });
    expectLike({ status: old.status, body: await old.json() }, one('oldSession'));
    await other.close();
  });
  test('another path is no socket, and an open one does not keep the emulator alive', async () => {
    const other = new WebSocket((here.urls.aliceblue?.feed ?? '').replace('NorenWS', 'other'));
    expect(await new Promise((done) => other.once('error', (error) => done(error.message)))).toContain('404');
    const alone = await startPractice();
    const socket = new WebSocket(alone.urls.aliceblue?.feed ?? '');
    await new Promise((done) => socket.once('open', done));
    const gone = new Promise((done) => socket.once('close', done));
    await alone.close();
    await gone;
  });
});

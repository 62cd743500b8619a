import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fivepaisa } from '../../server/exchange/fivepaisa/emulator.ts';
import { fixtures } from '../brokers/stub-server.ts';
import { type Started, startPractice } from './started.ts';

/** The bodies of 5paisa's documents judge the emulator: the same members, of the same types, in the same envelopes. */
let here: Started;
let token: string;
const { one, errors } = fixtures('fivepaisa');
const { credentials } = fivepaisa;
const members = z.record(z.string(), z.unknown());
const rows = z.array(members);

/** One call as the official SDK makes it, fields of earlier calls in its body too. */
async function call(path: string, body: object = {}, headers: Record<string, string> = {}, key = credentials.USER_KEY) {
  const response = await fetch(`${here.urls.fivepaisa?.api}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `bearer ${token}`, '5Paisa-API-Uid': 'ka7SFqAU6SC', ...headers },
    body: JSON.stringify({ head: { key }, body: { ClientCode: credentials.CLIENT_CODE, TOTP: '123456', PIN: 'x', ...body } }),
  });
  const text = await response.text();
  return { status: response.status, text, answer: text.startsWith('{') ? members.parse(JSON.parse(text)) : {} };
}
const bodyOf = async (path: string, body: object = {}) => members.parse((await call(path, body)).answer.body);
const code = () => new TOTP({ secret: credentials.TOTP_SECRET }).generate();
const login = (path: string, body: object, Key = credentials.USER_KEY) =>
  fetch(`${here.urls.fivepaisa?.api}${path}`, { method: 'POST', body: JSON.stringify({ head: { Key }, body }) })
    .then((response) => response.json())
    .then((answer) => z.object({ head: members, body: members }).parse(answer));
const signIn = (change: object = {}) =>
  login('/TOTPLogin', { Email_ID: credentials.CLIENT_CODE, PIN: credentials.PIN, TOTP: code(), ...change });
const exchange = (RequestToken: unknown, change: object = {}) =>
  login('/GetAccessToken', { RequestToken, EncryKey: credentials.ENCRYPTION_KEY, UserId: credentials.USER_ID, ...change });

const share = { Exchange: 'N', ExchangeType: 'C', ScripCode: 3045, OrderType: 'B', Qty: 10, IsIntraday: true, AHPlaced: 'N' };
const place = (change: object = {}) => bodyOf('/V1/PlaceOrderRequest', { ...share, Price: 820, StopLossPrice: 0, ...change });
const booked = async (RemoteOrderID: string) =>
  rows.parse((await bodyOf('/V3/OrderBook')).OrderBookDetail).filter((row) => row.RemoteOrderID === RemoteOrderID);

const typesOf = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, Array.isArray(member) ? 'list' : typeof member]));
const inner = (name: string) => members.parse(one(name).body.body);

beforeAll(async () => {
  here = await startPractice();
  here.exchange.setPrice('NSE', 'SBIN', '812');
  token = String((await exchange((await signIn()).body.RequestToken)).body.AccessToken);
});
afterAll(() => here.close());

describe('signing in', () => {
  test('the answers have the members of the documents', async () => {
    const first = await signIn();
    expect(first.head).toEqual(one('totp').body.head);
    expect(typesOf(first.body)).toEqual(typesOf(inner('totp')));
    const opened = await exchange(first.body.RequestToken);
    expect(opened.head).toEqual(one('session').body.head);
    expect(typesOf(opened.body)).toEqual(typesOf(inner('session')));
    const claims = JSON.parse(Buffer.from(String(opened.body.AccessToken).split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ unique_name: credentials.CLIENT_CODE, RedirectServer: 'C' });
    expect(new Date(claims.exp * 1000).toISOString()).toMatch(/T18:29:00\.000Z$/);
    expect((await exchange(first.body.RequestToken)).body).toMatchObject({ AccessToken: '', Message: 'Token Expired.' });
  });
  test.each([
    ['a wrong code', { TOTP: '000000x' }],
    ['a wrong PIN', { PIN: '000000' }],
    ['another client', { Email_ID: '50000099' }],
  ])('%s gives no request token', async (_what, change) => {
    expect((await signIn(change)).body).toMatchObject({ Status: 2, RequestToken: '' });
  });
  test.each([{ EncryKey: 'wrong' }, { UserId: 'wrong' }])('%o gives no access token', async (change) => {
    expect((await exchange((await signIn()).body.RequestToken, change)).body).toMatchObject({ Status: 2, AccessToken: '' });
  });
  test('what is missing or wrong later is refused in the broker’s words', async () => {
    expect(await call('/V4/Margin', {}, { authorization: '' })).toMatchObject({ status: 200, text: 'Invalid Token' });
    const expired = await call('/V4/Margin', {}, { authorization: 'Bearer nonsense' });
    expect(expired).toMatchObject({
      status: 200,
      answer: { head: { statusDescription: 'Fail' }, body: { Status: 9, Message: 'Invalid Session' } },
    });
    const { head } = members.parse(errors().head?.body);
    expect((await call('/V4/Margin', {}, {}, 'wrong')).answer).toEqual({
      body: null,
      head: { ...members.parse(head), responseCode: '5PMarginV4' },
    });
    expect(await bodyOf('/V4/Margin', { ClientCode: '1' })).toMatchObject({ Status: 2, Message: 'Invalid ClientCode' });
  });
});

test('an account without orders answers in the words for nothing', async () => {
  expect(await bodyOf('/V3/OrderBook')).toMatchObject({ Status: 1, Message: 'No Order found for this Client.' });
  expect(await bodyOf('/V1/TradeBook')).toEqual({ Status: 1, Message: 'No Trade found for this Client.', OrderBookDetail: [] });
  expect(await bodyOf('/V2/NetPositionNetWise')).toEqual({ Status: 0, Message: '', NetPositionDetail: null });
  expect(await bodyOf('/V3/OrderStatus', { OrdStatusReqList: [{ Exch: 'N', RemoteOrderID: 'none' }] })).toEqual({
    Status: 0,
    Message: 'Success',
    OrdStatusResLst: [],
  });
});

test('placing, and every read after it, has the members of the documents', async () => {
  const taken = await call('/V1/PlaceOrderRequest', { ...share, Price: 820, RemoteOrderID: 'sample' });
  expect(taken.answer.head).toEqual(one('placed').body.head);
  const receipt = members.parse(taken.answer.body);
  expect(typesOf(receipt)).toEqual(typesOf(inner('placed')));
  expect(receipt).toMatchObject({ ExchOrderID: '0', RemoteOrderID: 'sample', Status: 0, ScripCode: 3045 });
  expect(Number.isSafeInteger(receipt.BrokerOrderID)).toBe(true);
  const asked = { OrdStatusReqList: [{ Exch: 'N', RemoteOrderID: 'sample' }] };
  for (const [path, name, key] of [
    ['/V3/OrderBook', 'orders', 'OrderBookDetail'],
    ['/V3/OrderStatus', 'status', 'OrdStatusResLst'],
    ['/V1/TradeBook', 'trades', 'TradeBookDetail'],
    ['/V3/Holding', 'holdings', 'Data'],
    ['/V2/NetPositionNetWise', 'positions', 'NetPositionDetail'],
    ['/V4/Margin', 'funds', 'EquityMargin'],
    ['/MarketSnapshot', 'snapshot', 'Data'],
  ] as const) {
    const { answer } = await call(path, { ...asked, Data: [{ Exchange: 'N', ExchangeType: 'C', ScripCode: '3045', ScripData: '' }] });
    const [row = {}] = rows.parse(members.parse(answer.body)[key]);
    const [sample = {}] = rows.parse(inner(name)[key]);
    expect(typesOf(row), path).toEqual(typesOf(sample));
    expect(answer.head, path).toEqual(one(name).body.head);
  }
});

test('a snapshot has no circuit limits unless the exchange is told to have them', async () => {
  const fuller = await startPractice();
  Object.assign(fuller.switches.fivepaisa ?? {}, { fullSnapshot: true });
  const own = here;
  const ownToken = token;
  try {
    here = fuller;
    token = String((await exchange((await signIn()).body.RequestToken)).body.AccessToken);
    const [row = {}] = rows.parse(
      (await bodyOf('/MarketSnapshot', { Data: [{ Exchange: 'N', ExchangeType: 'C', ScripCode: 3045 }] })).Data,
    );
    const [sample = {}] = rows.parse(inner('fullSnapshot').Data);
    expect(typesOf(row)).toMatchObject(typesOf(sample));
    expect(row).toMatchObject({ UpperCircuitLimit: expect.any(Number), LastTradedPrice: expect.any(Number) });
  } finally {
    here = own;
    token = ownToken;
    await fuller.close();
  }
});

describe('orders', () => {
  test('without IsIntraday is for delivery', async () => {
    expect(await place({ IsIntraday: undefined, RemoteOrderID: 'kept' })).toMatchObject({ Status: 0 });
    expect(await booked('kept')).toMatchObject([{ DelvIntra: 'D' }]);
  });
  test('one at market is taken and rejected in the book', async () => {
    expect(await place({ Price: 0, RemoteOrderID: 'market' })).toMatchObject({ Status: 0 });
    expect(await booked('market')).toMatchObject([
      { AtMarket: 'Y', OrderStatus: 'Rejected By 5P', Reason: 'Market order with Algo Id not allowed', TradedQty: 0 },
    ]);
  });
  test('without a price is one at market', async () => {
    expect(await place({ Price: undefined, RemoteOrderID: 'priceless' })).toMatchObject({ Status: 0 });
    expect(await booked('priceless')).toMatchObject([{ OrderStatus: 'Rejected By 5P' }]);
  });
  test('a repeated id is not refused: the look-up shows both, on their own exchange alone', async () => {
    for (const _ of [1, 2]) expect(await place({ RemoteOrderID: 'twice' })).toMatchObject({ Status: 0 });
    const ask = async (Exch: string) =>
      rows.parse((await bodyOf('/V2/OrderStatus', { OrdStatusReqList: [{ Exch, RemoteOrderID: 'twice' }] })).OrdStatusResLst);
    expect(await ask('N')).toMatchObject([{ Symbol: 'SBIN', Status: 'Fully Executed', TradedQty: 10 }, { OrderQty: 10 }]);
    expect(await ask('B')).toEqual([]);
  });
  test('a scrip may be named by its data, numbers may be texts, a resting average is the order’s own price', async () => {
    const name = { ScripCode: 0, ScripData: 'SBIN_EQ', Qty: '10', Price: '790.5', OrderType: 'Buy', RemoteOrderID: 'resting' };
    expect(await place(name)).toMatchObject({ Status: 0, ScripCode: 3045 });
    expect(await booked('resting')).toMatchObject([{ OrderStatus: 'Pending', AveragePrice: 0, Rate: 790.5 }]);
    const [row] = rows.parse(
      (await bodyOf('/V3/OrderStatus', { OrdStatusReqList: [{ Exch: 'N', RemoteOrderID: 'resting' }] })).OrdStatusResLst,
    );
    expect(row).toMatchObject({ AveragePrice: 790.5, TradedQty: 0 });
  });
  test('is changed and cancelled by its number at the exchange; a change without a price is one to market', async () => {
    await place({ Price: 790, RemoteOrderID: 'changing' });
    const ExchOrderID = String((await booked('changing'))[0]?.ExchOrderID);
    expect(await bodyOf('/V1/ModifyOrderRequest', { ExchOrderID, Qty: 12 })).toMatchObject({ Status: 1, BrokerOrderID: 0, Exch: '?' });
    expect(await bodyOf('/V1/ModifyOrderRequest', { ExchOrderID, Price: 791, Qty: 12 })).toMatchObject({ Status: 0, ExchOrderID });
    expect(await booked('changing')).toMatchObject([{ Rate: 791, Qty: 12, RequestType: 'M' }]);
    expect(await bodyOf('/V1/CancelOrderRequest', { ExchOrderID })).toMatchObject({ Status: 0 });
    expect(await booked('changing')).toMatchObject([{ OrderStatus: 'Cancelled' }]);
    expect(await bodyOf('/V1/CancelOrderRequest', { ExchOrderID: '99' })).toMatchObject({ Status: 1, Message: 'Order does not exist' });
  });
  test.each([
    ['an unknown scrip', { ScripCode: 1 }, 2],
    ['a bad side', { OrderType: 'X' }, 2],
    ['a price off the tick', { Price: 812.02 }, 1],
    ['a price outside the circuits', { Price: 2000 }, 1],
    ['no quantity', { Qty: 0 }, 1],
  ])('with %s is refused under HTTP 200 and a head of success', async (_what, change, Status) => {
    const { status, answer } = await call('/V1/PlaceOrderRequest', { ...share, Price: 820, ...change });
    expect(status).toBe(200);
    expect(answer.head).toMatchObject({ status: '0', statusDescription: 'Success' });
    expect(answer.body).toMatchObject({ Status, Message: expect.stringMatching(/./) });
  });
});

test('the scrip master names what orders name', async () => {
  const file = await (await fetch(`${here.urls.fivepaisa?.api}/ScripMaster/segment/nse_fo`)).text();
  expect(file.split('\n')[0]).toMatch(/^Exch,ExchType,ScripCode,Name,.*,ScripData,Series$/);
  expect(file).toMatch(/^N,D,48002,NIFTY 29 Dec 2026 PE 25500\.00 +,/m);
  expect(file).not.toContain('N,C,');
  const all = await (await fetch(`${here.urls.fivepaisa?.api}/ScripMaster/segment/All`)).text();
  expect(all).toBe(await (await fetch(`${here.urls.fivepaisa?.api}/ScripMaster/segment/all`)).text());
  // Shares have been seen under both words; their series is EQ.
  expect(all).toMatch(/^N,C,3045,SBIN +,1980-01-01 00:00:00,EQ,.*,SBIN_EQ,EQ +$/m);
  expect(all).toMatch(/^B,C,500112,SBIN +,1980-01-01 00:00:00,XX,.*,SBIN_EQ,EQ +$/m);
  expect(all).toMatch(/^N,D,47001,NIFTY 29 Dec 2026 +,2026-12-29 14:30:00,XX,/m);
});

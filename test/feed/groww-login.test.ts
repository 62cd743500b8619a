import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { groww } from '../../server/brokers/groww/adapter.ts';
import { createApi } from '../../server/brokers/groww/api.ts';
import { createInstrumentList, listUrl, tokensOf } from '../../server/brokers/groww/instruments.ts';
import { NameTable } from '../../server/brokers/groww/name-table.ts';
import { envFor, openStub, type StubServer } from '../brokers/stub-server.ts';
import { startPractice as startExchange } from '../exchange/started.ts';

/** What Groww's feed asks over HTTP before its socket: the token of the socket, and the list of instruments. */

let here: StubServer;
beforeEach(async () => {
  here = await openStub();
});
afterEach(() => here.close());

describe('the token of the socket', () => {
  const route = 'POST /v1/api/apex/v1/socket/token/create/';
  const login = { token: 'jwt-1', subscriptionId: 'sub-1' };
  async function ask() {
    const { env, expired } = envFor(groww, here.url, {});
    const api = createApi(env);
    api.signIn('access-1', true);
    try {
      return { answer: await api.socketLogin('UKEY'), expired };
    } finally {
      await api.close();
    }
  }

  test.each([
    ['bare', login],
    ['in the envelope', { status: 'SUCCESS', payload: login }],
  ])('comes %s', async (_form, body) => {
    here.on(route, { body });
    expect((await ask()).answer).toEqual({ success: true, data: login });
    expect(here.calls(route)[0]).toMatchObject({
      body: '{"socketKey":"UKEY"}',
      headers: { authorization: 'Bearer access-1', 'x-api-version': '1.0' },
    });
  });

  test('a redirect on the same host is followed with method, headers and body, one that leads away is not', async () => {
    here.on(route, { status: 307, headers: { location: '/v2/socket' } });
    here.on('POST /v2/socket', { body: login });
    expect((await ask()).answer).toEqual({ success: true, data: login });
    expect(here.calls('POST /v2/socket')[0]).toMatchObject({ body: '{"socketKey":"UKEY"}', headers: { authorization: 'Bearer access-1' } });
    for (const location of ['http://127.0.0.1:1/v2/socket', '//example.com/', '']) {
      here.on(route, { status: 307, headers: { location } });
      expect((await ask()).answer, location).toMatchObject({ success: false });
    }
    expect(here.calls('POST /v2/socket')).toHaveLength(1);
  });

  test('a dead login ends the session; what cannot be read, or would break a line of the feed, is a failure', async () => {
    here.on(route, { status: 401, body: { status: 'FAILURE', error: { code: 'GA005', message: 'no' } } });
    expect(await ask()).toMatchObject({ answer: { success: false, message: 'no' }, expired: ['no'] });
    for (const body of ['<html>', { token: 'x' }, { token: 'x', subscriptionId: 'a 1\r\nSUB > 9' }]) {
      here.on(route, { body });
      expect((await ask()).answer).toMatchObject({ success: false });
    }
  });
});

const HEADER = 'exchange,exchange_token,trading_symbol,groww_symbol,name,instrument_type,segment,series';
async function parsed(text: string, size = 7) {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const table = await tokensOf(chunks());
  const found = ['NSE WIPRO', 'BSE WIPRO', 'NSE SBIN', 'NFO NIFTY26DECFUT', 'BFO SENSEX26DECFUT', 'MCX GOLD26DECFUT', 'NSE NIFTY'].flatMap(
    (name) => (table.get(name) === undefined ? [] : [[name, table.get(name)] as const]),
  );
  expect(table.size).toBe(found.length);
  return Object.fromEntries(found);
}

describe('the list of instruments', () => {
  test('is read by the names of its columns, quoted commas and all', async () => {
    const rows = [
      'NSE,3787,WIPRO,NSE-WIPRO,"Wipro, ""the"" Ltd",EQ,CASH,EQ',
      'BSE,507685,WIPRO,BSE-WIPRO,Wipro,EQ,CASH,A',
      'NSE,47001,NIFTY26DECFUT,x,,FUT,FNO,',
      'BSE,880001,SENSEX26DECFUT,x,,FUT,FNO,',
      'MCX,464101,GOLD26DECFUT,x,,FUT,COMMODITY,',
      'NSE,NIFTY,NIFTY,NSE-NIFTY,Nifty 50,IDX,CASH,',
    ];
    const expected = { 'NSE WIPRO': 3787, 'BSE WIPRO': 507685, 'NFO NIFTY26DECFUT': 47001, 'BFO SENSEX26DECFUT': 880001 };
    for (const end of ['\n', '\r\n'])
      for (const size of [1, 7, 1000]) expect(await parsed([HEADER, ...rows].join(end), size)).toEqual(expected);
    expect(await parsed('segment,series,trading_symbol,exchange_token,exchange\nCASH,EQ,SBIN,3045,NSE\n')).toEqual({ 'NSE SBIN': 3045 });
  });

  test('of several series under one name EQ counts', async () => {
    const row = (token: number, series: string) => `NSE,${token},WIPRO,x,x,EQ,CASH,${series}`;
    expect(await parsed([HEADER, row(1, 'BL'), row(2, 'EQ'), row(3, 'BE')].join('\n'))).toEqual({ 'NSE WIPRO': 2 });
    expect(await parsed([HEADER, row(1, 'BE'), row(3, 'BZ')].join('\n'))).toEqual({ 'NSE WIPRO': 1 });
  });

  test.each([
    ['an error page', '<html>\n<body>no</body>\n</html>'],
    ['a header alone', HEADER],
    ['one endless line', 'x'.repeat(10_000)],
  ])('%s is refused', async (_what, text) => {
    await expect(parsed(text)).rejects.toThrow();
  });

  test('is read once; after a failure not again for a minute; closing ends a reading', async () => {
    let answer: Parameters<StubServer['on']>[1] = { status: 503 };
    here.on('GET /instruments/instrument.csv', () => answer as { status: number });
    const { env, logged } = envFor(groww, here.url, {});
    let now = 0;
    const list = createInstrumentList({ ...env, clock: { ...env.clock, mono: () => now } });
    await Promise.all([list.load(), list.load()]);
    await list.load();
    expect(here.calls('GET /instruments/instrument.csv')).toHaveLength(1);
    expect([list.loaded(), list.token('NSE', 'SBIN'), logged.some((line) => line.includes('HTTP 503'))]).toEqual([false, undefined, true]);
    now = 60_000;
    answer = { body: `${HEADER}\nNSE,3045,SBIN,x,x,EQ,CASH,EQ\n` };
    await list.load();
    await list.load();
    expect(here.calls('GET /instruments/instrument.csv')).toHaveLength(2);
    expect([list.loaded(), list.token('NSE', 'SBIN'), list.token('BSE', 'SBIN')]).toEqual([true, 3045, undefined]);
    answer = 'stall';
    const other = createInstrumentList(env);
    const reading = other.load();
    other.close();
    await reading;
    expect(other.loaded()).toBe(false);
  });

  test('keeps 150,000 names apart, and takes no endless list', () => {
    const table = new NameTable();
    for (let at = 0; at < 150_000; at += 1) table.set(`NFO NIFTY26DEC${at}CE`, at);
    for (let at = 0; at < 150_000; at += 1) expect(table.get(`NFO NIFTY26DEC${at}CE`)).toBe(at);
    expect([table.size, table.get('NFO NIFTY26DEC1PE'), table.get('')]).toEqual([150_000, undefined, undefined]);
    expect(() => {
      for (let at = 0; at < 600_000; at += 1) table.set(`NSE ${at}`, at);
    }).toThrow('too long');
  });

  test('has a host of its own unless the address of the API is overridden', () => {
    expect(listUrl('https://api.groww.in')).toBe('https://growwapi-assets.groww.in/instruments/instrument.csv');
    expect(listUrl('http://127.0.0.1:5106')).toBe('http://127.0.0.1:5106/instruments/instrument.csv');
  });

  test('of the practice exchange names its instruments', async () => {
    const exchange = await startExchange();
    const { env } = envFor(groww, exchange.urls.groww?.api ?? '', {});
    const list = createInstrumentList(env);
    await list.load();
    const named = exchange.exchange.instruments.filter((each) => ['NSE', 'BSE', 'NFO'].includes(each.exchange));
    for (const each of named) expect(list.token(each.exchange, each.symbol), each.symbol).toBe(each.exchangeToken);
    await exchange.close();
  });
});

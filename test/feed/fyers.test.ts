import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeOrders, topicOf } from '../../server/brokers/fyers/feed.ts';
import { heartbeatFrame, hsmTalk } from '../../server/brokers/fyers/feed-hsm.ts';
import { brokers, createBroker } from '../../server/brokers/index.ts';
import { systemClock } from '../../server/clock.ts';
import { practiceCredentials } from '../../server/exchange/emulators.ts';
import { type PracticeExchange, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';
import { envFor } from '../brokers/stub-server.ts';
import { feedTests } from './conformance.ts';
import { openSocket } from './emulator-socket.ts';
import { fuzz, hear } from './fuzz.ts';
import { talkTo } from './sockets.ts';

/** Bytes by hand: hexadecimal, blanks and bars only for the eye; text in quotes. */
function bytes(drawn: string): Buffer {
  const parts = drawn.match(/"[^"]*"|[^\s|"]+/g) ?? [];
  return Buffer.concat(parts.map((part) => (part.startsWith('"') ? Buffer.from(part.slice(1, -1)) : Buffer.from(part, 'hex'))));
}
const hex = (value: number, size: number) => (value < 0 ? value + 2 ** 32 : value).toString(16).padStart(2 * size, '0');
const same = '80000000';
const key = 'k'.repeat(56);

const welcome = bytes('0010 01 02 | 01 0001 4b | 02 0004 00000002');
/** 820.50 at 1,790,000,000 s; the values by position, from the last price to yesterday's close. */
const values = [82_050, 1_000, 1_789_999_990, 1_790_000_000, 1, 2, 82_045, 82_050, 3, 4, 5, 82_000, 0, 81_000, 83_000];
function snapshot(topicId: number, name: string, units: string, numbers = values): string {
  const size = hex(name.length, 1);
  return `53 ${hex(topicId, 2)} ${size} "${name}" ${hex(numbers.length, 1)} ${numbers.map((each) => hex(each, 4)).join(' ')} 0000 ${units} 06 "nse_cm" 04 "3045" 07 "SBIN-EQ"`;
}
const numbered = (number: number, count: number, ...parts: string[]) =>
  bytes(`0000 06 ${hex(number, 4)} ${hex(count, 2)} ${parts.join(' ')}`);
const first = numbered(1, 2, snapshot(7, 'sf|nse_cm|3045', '0001 02'), snapshot(9, 'sf|cde_fo|10901', '0001 04', [892_025, 1, 2, 0]));
const second = numbered(
  2,
  3,
  `55 0007 04 ${hex(82_055, 4)} ${same} ${same} ${hex(1_790_000_001, 4)}`,
  `4c 0009 ${hex(892_050, 4)}`,
  `55 0007 01 ${same}`,
);

/** Code 51001, its words, and the type of the request it answers. */
const overThePlan = bytes('0025 33 03 | 01 0004 0000c739 | 02 0015 "Symbol limit exceeded" | 03 0001 04');

describe('golden frames of the price socket', () => {
  const noticed: string[] = [];
  const talk = () => hsmTalk(key, 5000, (text) => noticed.push(text));

  test('what is sent is what the official client was seen to send', () => {
    const { hello, subscribe, unsubscribe } = talk();
    expect(hello).toEqual([bytes(`004e 01 04 | 01 0038 "${key}" | 02 0001 50 | 03 0001 01 | 04 0006 "JS_API"`)]);
    expect(subscribe(['sf|nse_cm|3045'])).toEqual([
      bytes('0011 0c 02 | 01 0008 0000000000000002 | 02 0001 46'),
      bytes('001a 04 02 | 01 0011 0001 0e "sf|nse_cm|3045" | 02 0001 01'),
      bytes('000d 07 01 | 01 0008 000000007ffffffc'),
      bytes('000d 08 01 | 01 0008 0000000000000002'),
    ]);
    expect(unsubscribe(['sf|nse_cm|3045'])).toEqual([bytes('001a 05 02 | 01 0011 0001 0e "sf|nse_cm|3045" | 02 0001 01')]);
    expect(heartbeatFrame).toEqual(bytes('00 01 0b'));
  });

  test('many topics go out in pieces that fit a frame', () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `sf|nse_fo|${100_000 + index}`);
    const frames = talk()
      .subscribe(keys)
      .filter((frame) => Buffer.from(frame).readUInt8(2) === 4);
    expect(frames).toHaveLength(10);
    for (const frame of frames) expect(Buffer.from(frame).readUInt16BE(0)).toBe(frame.length - 2);
  });

  test('sign-in is answered with K or N', () => {
    expect(hear(talk(), welcome)).toMatchObject({ ready: 1, refused: [] });
    expect(hear(talk(), bytes('0006 01 01 | 01 0001 4e'))).toMatchObject({ ready: 0, refused: [expect.stringMatching(/feed key/)] });
  });

  test('what is not followed is said, and ends nothing', () => {
    const taken = bytes('0006 04 01 | 01 0001 4b');
    const refused = bytes('0006 04 01 | 01 0001 4e');
    const wordless = bytes('0004 33 00 | ');
    const long = bytes(`0000 33 02 | 01 0004 0000c739 | 02 01f4 "${'x'.repeat(500)}"`);
    expect(hear(talk(), welcome, taken, overThePlan, refused, wordless, long)).toMatchObject({ ready: 1, refused: [] });
    expect(noticed).toEqual([
      'code 51001: Symbol limit exceeded',
      'a subscription was refused',
      'code 0: no reason given',
      `code 51001: ${'x'.repeat(200)}`,
    ]);
  });

  test('a snapshot, an update, a lite price; every second frame is acknowledged', () => {
    const heard = hear(talk(), welcome, first, second);
    expect(heard.prices).toEqual([
      { key: 'sf|nse_cm|3045', rupees: 820.5, at: 1_790_000_000_000 },
      { key: 'sf|cde_fo|10901', rupees: 89.2025, at: null },
      { key: 'sf|nse_cm|3045', rupees: 820.55, at: 1_790_000_001_000 },
      { key: 'sf|cde_fo|10901', rupees: 89.205, at: null },
    ]);
    expect(heard.replies).toEqual([bytes('0009 03 01 | 01 0004 00000002')]);
  });

  test('prices are divided by multiplier and precision together', () => {
    expect(hear(talk(), welcome, numbered(1, 1, snapshot(1, 'sf|mcx_fo|5', '000a 01', [15_625]))).prices[0]?.rupees).toBe(156.25);
    expect(hear(talk(), welcome, numbered(1, 1, snapshot(1, 'sf|mcx_fo|5', '0000 02'))).prices).toEqual([]);
  });

  test('without acknowledgements frames come numbered or not', () => {
    const quiet = bytes('0010 01 02 | 01 0001 4b | 02 0004 00000000');
    const bare = bytes(`0000 06 0001 ${snapshot(7, 'sf|nse_cm|3045', '0001 02')}`);
    const expected = [{ key: 'sf|nse_cm|3045', rupees: 820.5 }];
    expect(hear(talk(), quiet, bare)).toMatchObject({ prices: expected, replies: [] });
    expect(hear(talk(), quiet, numbered(1, 1, snapshot(7, 'sf|nse_cm|3045', '0001 02')))).toMatchObject({ prices: expected, replies: [] });
  });

  test('an update of an unknown topic says nothing; what is cut off is left out; no more topics are kept than asked', () => {
    expect(hear(talk(), welcome, second).prices).toEqual([]);
    expect(hear(talk(), welcome, first.subarray(0, first.length - 1)).prices).toHaveLength(1);
    expect(
      hear(
        hsmTalk(key, 1, () => {}),
        welcome,
        first,
        second,
      ).prices.map((each) => each.key),
    ).toEqual(['sf|nse_cm|3045', 'sf|nse_cm|3045']);
  });
});

test.each([
  ['NSE', '10100000003045', 'sf|nse_cm|3045'],
  ['NSE', '3045', 'sf|nse_cm|3045'],
  ['BSE', '121000000000500112', 'sf|bse_cm|00500112'],
  ['NFO', '101126122943854', 'sf|nse_fo|43854'],
  ['MCX', '1120261204440000', 'sf|mcx_fo|440000'],
  ['CDS', '10122612291090', 'sf|cde_fo|1090'],
  ['NSE', '101126122943854', null],
  ['NSE', '', null],
  ['NSE', 'SBIN', null],
  ['constructor', '3045', null],
])('%s %s is %s', (exchange, token, topic) => {
  expect(topicOf({ exchange, symbol: 'NSE:X-EQ', token })).toBe(topic);
});

const order = (facts: object) => JSON.stringify({ s: 'ok', orders: { id: '23080400089344', symbol: 'NSE:IDEA-EQ', qty: 3, ...facts } });
const filled = order({ ord_status: 90, org_ord_status: 2, qty_filled: 3 });
const subscribed = '{"code":1605,"message":"Successfully subscribed","s":"ok"}';

describe('golden frames of the order socket', () => {
  const talk = { decode: decodeOrders };
  test('the answer to the subscription makes it ready', () => {
    expect(hear(talk, subscribed)).toMatchObject({ ready: 1, orders: [] });
    expect(hear(talk, '{"code":-50,"message":"Invalid request","s":"error"}').refused).toEqual(['Invalid request']);
  });

  test.each([
    ['filled', filled],
    ['partly filled', order({ ord_status: 22, org_ord_status: 6, qty_filled: 1 })],
    ['rejected', order({ ord_status: 92, org_ord_status: 5, qty_filled: 0 })],
    ['cancelled, without the public code', order({ ord_status: 91, qty_filled: 0 })],
    ['of a code no table has', order({ ord_status: 99, qty_filled: 0 })],
    ['on its way, its fills not told', order({ org_ord_status: 4 })],
  ])('an order %s is named', (_, frame) => {
    expect(hear(talk, frame)).toMatchObject({ orders: ['23080400089344'], ready: 1 });
  });

  test('an order that travels or rests is no news; pongs and positions say nothing; an order without an id may be any', () => {
    const travelling = order({ ord_status: 20, org_ord_status: 4, qty_filled: 0 });
    const resting = order({ ord_status: 24, qty_filled: 0 });
    expect(hear(talk, travelling, resting, 'pong', '{"s":"ok","positions":{"net_qty":1}}').orders).toEqual([]);
    expect(hear(talk, '{"s":"ok","orders":{"ord_status":90}}').orders).toEqual([null]);
  });
});

describe('random frames', { timeout: 120_000 }, () => {
  test('prices', () => fuzz(() => hsmTalk(key, 5000, () => {}), [welcome, first, second, overThePlan]));
  test('prices without acknowledgements', () => fuzz(() => hsmTalk(key, 5000, () => {}), [first, second]));
  test('orders', () => fuzz(() => ({ decode: decodeOrders }), [filled, order({ ord_status: 24, qty_filled: 0 }), subscribed]));
});

describe('the emulator', () => {
  let venue: PracticeExchange;
  const { APP_ID, ACCESS_TOKEN = '' } = practiceCredentials('fyers');
  const good = claimOf(ACCESS_TOKEN, 'hsm_key');
  const signIn = (feedKey: string) =>
    bytes(`0000 01 04 | 01 ${hex(feedKey.length, 2)} "${feedKey}" | 02 0001 50 | 03 0001 01 | 04 0006 "JS_API"`);
  const subscribe = bytes('0000 04 02 | 01 0011 0001 0e "sf|nse_cm|3045" | 02 0001 01');
  const no = bytes('0006 01 01 | 01 0001 4e');
  beforeAll(async () => {
    venue = await startExchange({ ports: 'free', seed: 1, limits: false, clock: systemClock, log: silentLog() });
  });
  afterAll(() => venue.close());
  const at = (path: string) => `${venue.urls.fyers?.feed}${path}`;

  test('takes the key of a living login, and a subscription only after it', async () => {
    const early = await talkTo(at('/hsm/v1-5/prod'), [subscribe]);
    expect(early).toEqual({ frames: [], ended: null });
    const { frames } = await talkTo(at('/hsm/v1-5/prod'), [signIn(good), subscribe]);
    expect(Buffer.from(frames[0] ?? '').readUInt8(2)).toBe(1);
    expect(frames[1]).toEqual(bytes('0006 04 01 | 01 0001 4b'));
  });

  test('refuses depth and indices, which have no prices here, and says when the plan has no room', async () => {
    const asked = (names: string[]) => {
      const list = names.map((name) => `${hex(name.length, 1)} "${name}"`).join(' ');
      const size = names.reduce((sum, name) => sum + 1 + name.length, 2);
      return bytes(`0000 04 02 | 01 ${hex(size, 2)} ${hex(names.length, 2)} ${list} | 02 0001 01`);
    };
    const many = (from: number) => asked(Array.from({ length: 2600 }, (_, index) => `sf|nse_fo|${from + index}`));
    const { frames } = await talkTo(at('/hsm/v1-5/prod'), [
      signIn(good),
      asked(['dp|nse_cm|3045', 'if|nse_cm|Nifty 50']),
      asked(['dp|nse_cm|3045', 'sf|nse_cm|3045']),
      many(100_000),
      many(200_000),
    ]);
    const refused = bytes('0006 04 01 | 01 0001 4e');
    const taken = bytes('0006 04 01 | 01 0001 4b');
    const words = 'Symbol limit of the plan exceeded';
    const full = bytes(`0031 33 03 | 01 0004 0000c739 | 02 0021 "${words}" | 03 0001 04`);
    expect(frames.slice(1).filter((frame) => frame[2] !== 6)).toEqual([refused, taken, refused, full, refused]);
  });

  test('what it says is logged once, however often the socket is opened', async () => {
    const { env, logged } = envFor(brokers.fyers, venue.urls.fyers?.api ?? '', { ...practiceCredentials('fyers') });
    const broker = createBroker('fyers', env);
    expect(await broker.connect(null)).toMatchObject({ success: true });
    for (const _ of [1, 2]) {
      const { talk } = (await broker.feed?.[0]?.open()) ?? {};
      if (talk) expect(hear(talk, welcome, overThePlan, overThePlan)).toMatchObject({ ready: 1, refused: [] });
    }
    expect(logged.filter((line) => line.includes('51001'))).toHaveLength(1);
    await broker.close();
  });

  test('takes the token alone for the tokens of symbols, and there only', async () => {
    const json = { authorization: ACCESS_TOKEN, 'content-type': 'application/json' };
    const body = JSON.stringify({ symbols: ['NSE:SBIN-EQ'] });
    const ask = (path: string, init: RequestInit) => fetch(`${venue.urls.fyers?.api}${path}`, init).then((answer) => answer.json());
    expect(await ask('/data/symbol-token', { method: 'POST', headers: json, body })).toMatchObject({
      s: 'ok',
      validSymbol: { 'NSE:SBIN-EQ': '10100000003045' },
    });
    expect(await ask('/data/symbol-token', { method: 'POST', headers: { ...json, authorization: 'no token' }, body })).toMatchObject({
      s: 'error',
    });
    expect(await ask('/api/v3/profile', { headers: json })).toMatchObject({ s: 'error' });
  });

  test('says in its practice token when that ends', () => {
    expect(Number(claimOf(ACCESS_TOKEN, 'exp'))).toBeGreaterThan(Date.now() / 1000);
  });

  test('sends a position with the trade that changed it', async () => {
    const { socket, frames, settled, close } = await openSocket(at('/trade/v3'), { authorization: `${APP_ID}:${ACCESS_TOKEN}` });
    socket.send(JSON.stringify({ T: 'SUB_ORD', SLIST: ['positions'], SUB_T: 1 }));
    await settled();
    const order = { exchange: 'NSE', symbol: 'SBIN', side: 'SELL', orderType: 'MARKET', product: 'INTRADAY', quantity: 7 } as const;
    venue.exchange.placeByHand('fyers', { ...order, price: '0', triggerPrice: '0' });
    await expect.poll(() => frames.length, { timeout: 5_000 }).toBe(2);
    expect(JSON.parse(String(frames[1]))).toMatchObject({
      s: 'ok',
      positions: { id: 'NSE:SBIN-EQ-INTRADAY', net_qty: -7, qty: 7, tran_side: -1, sell_qty: 7, buy_qty: 0, product_type: 'INTRADAY' },
    });
    close();
  });

  test('refuses another key, says nothing to a header, and knows its paths', async () => {
    expect((await talkTo(at('/hsm/v1-5/prod'), [signIn(key)])).frames).toEqual([no]);
    const headers = { authorization: `${APP_ID}:${ACCESS_TOKEN}` };
    expect(await talkTo(at('/hsm/v1-5/prod'), [signIn(good)], headers)).toEqual({ frames: [], ended: null });
    expect((await talkTo(at('/trade/v3'), ['ping'], headers)).frames).toEqual(['pong']);
    expect((await talkTo(at('/trade/v3'), [], { authorization: `${APP_ID}:nonsense` })).ended).toBe(403);
    expect((await talkTo(at('/trade/v4'), [], headers)).ended).toBe(404);
  });

  test('a login that is logged out has no sockets either', async () => {
    const headers = { authorization: `${APP_ID}:${ACCESS_TOKEN}`, 'content-type': 'application/json' };
    await fetch(`${venue.urls.fyers?.api}/api/v3/logout`, { method: 'POST', headers, body: '{}' });
    expect((await talkTo(at('/hsm/v1-5/prod'), [signIn(good)])).frames).toEqual([no]);
    expect((await talkTo(at('/trade/v3'), [], headers)).ended).toBe(403);
  });
});

function claimOf(token: string, name: string): string {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return String(new Map(Object.entries(claims ?? {})).get(name) ?? '');
}

describe('over the practice exchange', () => feedTests('fyers'));

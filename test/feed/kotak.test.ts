import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeOrders, ordersUrl, PRICES_URL, pricesUrl } from '../../server/brokers/kotak/feed.ts';
import { sfeedTalk, wireKey } from '../../server/brokers/kotak/feed-sfeed.ts';
import { systemClock } from '../../server/clock.ts';
import { type PracticeExchange, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';
import { feedTests } from './conformance.ts';
import { fuzz, hear } from './fuzz.ts';
import { talkTo } from './sockets.ts';

const sfeed = () => sfeedTalk({ ucc: 'AB123', sid: 'the-sid', now: 1_790_000_000_123 });
const welcome = JSON.stringify({
  message_code: 1119,
  format: 'native_batch',
  exchanges: { nse_cm: { value: 1, divider: 100 }, cde_fo: { value: 3, divider: 10_000 }, other: { value: 1, divider: 7 } },
});

/** A packet of the documented layout: length, code, exchange, level, and numbers of 32 bits at their offsets, all little-endian. */
function packet(size: number, code: number, exchange: number, level: number, numbers: Readonly<Record<number, number>>): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt16LE(size, 0);
  bytes.writeUInt16LE(code, 2);
  bytes.writeInt8(exchange, 4);
  bytes.writeUInt8(level, 5);
  for (const [at, value] of Object.entries(numbers)) bytes.writeUInt32LE(value, Number(at));
  return bytes;
}
/** Token at 9; time (8 bytes) at 13; last price at 21; its quantity at 25; close at 33. */
const mini = packet(54, 7208, 1, 1, { 9: 11_536, 13: 1_234_567_890, 21: 150_050, 25: 10, 33: 149_900 });
/** Token at 9; five numbers of 8 bytes from 13; open, close, high, low, last from 53; one row of depth a side from 144. */
const touch = packet(176, 7208, 1, 4, {
  9: 11_536,
  53: 150_000,
  57: 149_000,
  61: 151_000,
  65: 148_000,
  69: 150_055,
  144: 100,
  152: 150_050,
});
const currency = packet(54, 7208, 3, 1, { 9: 1090, 21: 892_025 });
const index = packet(79, 7207, 1, 4, { 9: 26_000, 29: 2_005_000, 69: 1 });
const statusOpen = packet(9, 6511, 1, 4, {});
const status = packet(16, 105, 1, 1, {});

describe('golden frames of the price socket', () => {
  test('what is sent', () => {
    const { hello, subscribe, unsubscribe } = sfeed();
    expect(hello.map((frame) => JSON.parse(String(frame)))).toEqual([
      {
        user: 'AB123',
        auth: 'the-sid',
        format: 'native_batch',
        source: 'NEOTRADEAPI',
        platform: 'Web',
        version: '1.2.3',
        sdk_version: 2,
        sdk_date: '2026-08-07T09:41:17.667Z',
        conn_req_time: 1_790_000_000_123,
        sessionValidation: false,
      },
    ]);
    expect(subscribe(['nse_cm|11536', 'nse_fo|44498'])).toEqual([
      '{"event":"subscribeScrips","inputtoken":"nse_cm|11536,nse_fo|44498","ack_symbol":true}',
    ]);
    expect(unsubscribe(['nse_cm|11536'])).toEqual(['{"event":"unsubscribeScrips","inputtoken":"nse_cm|11536"}']);
    expect(subscribe(Array.from({ length: 3000 }, (_, token) => `nse_fo|${token}`))).toHaveLength(6);
  });

  test('sign-in is answered with 1117 or 1119 and the format asked for', () => {
    expect(hear(sfeed(), welcome)).toMatchObject({ ready: 1, refused: [] });
    expect(hear(sfeed(), welcome.replace('1119', '1117'))).toMatchObject({ ready: 1, refused: [] });
    expect(hear(sfeed(), welcome.replace('native_batch', 'native_fallback')).refused).toEqual([expect.stringMatching(/native_fallback/)]);
    expect(hear(sfeed(), '{"message_code":1118,"message":"Invalid session"}')).toMatchObject({ ready: 0, refused: ['Invalid session'] });
    expect(hear(sfeed(), 'Unauthorized', '{"event":"x"}')).toMatchObject({ ready: 0, refused: [] });
  });

  test('mini and touch packets, several in one frame, by the divider of their segment', () => {
    const heard = hear(
      sfeed(),
      welcome,
      Buffer.concat([mini, touch, currency]),
      '{"message_code":1109,"trading_symbols":{"nse_cm|11536":"TCS-EQ"}}',
    );
    expect(heard).toMatchObject({ refused: [], ready: 1 });
    expect(heard.prices).toEqual([
      { key: 'nse_cm|11536', rupees: 1500.5, at: null },
      { key: 'nse_cm|11536', rupees: 1500.55, at: null },
      { key: 'cde_fo|1090', rupees: 89.2025, at: null },
    ]);
  });

  test('a currency without a divider has no price; before sign-in nothing has', () => {
    expect(hear(sfeed(), '{"message_code":1117,"format":"native_batch"}', currency, mini).prices).toMatchObject([{ rupees: 1500.5 }]);
    expect(hear(sfeed(), mini).prices).toEqual([]);
  });

  test('indices, market status, unknown levels and exchanges, short and cut packets say nothing', () => {
    const odd = [
      index,
      statusOpen,
      status,
      packet(54, 7208, 1, 3, { 21: 1 }),
      packet(54, 7208, 77, 1, { 21: 1 }),
      packet(60, 7208, 1, 4, {}),
    ];
    expect(hear(sfeed(), welcome, Buffer.concat([...odd, mini])).prices).toHaveLength(1);
    expect(hear(sfeed(), welcome, Buffer.concat([mini, touch.subarray(0, 100)])).prices).toHaveLength(1);
    expect(hear(sfeed(), welcome, Buffer.concat([Buffer.alloc(9), mini])).prices).toEqual([]);
  });
});

test.each([
  ['nse_cm', '3045', 'nse_cm|3045'],
  ['bse_fo', '1117623', 'bse_fo|1117623'],
  ['nse_cm', 'Nifty 50', null],
  ['nse_cm', '', null],
  ['NYSE', '3045', null],
])('%s %s is %s', (segment, token, key) => {
  expect(wireKey(segment, token)).toBe(key);
});

test('the sockets lie where the settings, then the login, then the documents say, on hosts of Kotak alone', () => {
  const env = { apiUrl: 'https://mis.kotaksecurities.com', feedUrl: PRICES_URL };
  const named = { feedUrl: 'https://sfeed2.kotaksecurities.com/wsfeed', rtUrl: 'wss://e43.kotaksecurities.com/realtime2' };
  expect(pricesUrl(env, null)).toBe('wss://sfeed.kotaksecurities.com/apifeed');
  expect(pricesUrl(env, named)).toBe('wss://sfeed2.kotaksecurities.com/wsfeed');
  expect(pricesUrl({ ...env, feedUrl: 'wss://mine.example/feed' }, named)).toBe('wss://mine.example/feed');
  expect(ordersUrl(env, 'https://e21.kotaksecurities.com', null)).toBe('wss://e21.kotaksecurities.com/realtime');
  expect(ordersUrl(env, 'https://e21.kotaksecurities.com', named)).toBe('wss://e43.kotaksecurities.com/realtime2');
  for (const elsewhere of [
    'wss://example.com/',
    'wss://kotaksecurities.com.example.com/',
    'ws://e43.kotaksecurities.com/',
    'nonsense',
    '',
  ]) {
    expect(pricesUrl(env, { feedUrl: elsewhere })).toBe(PRICES_URL);
    expect(ordersUrl(env, 'https://e21.kotaksecurities.com', { rtUrl: elsewhere })).toBe('wss://e21.kotaksecurities.com/realtime');
  }
});

const order = (facts: object) => JSON.stringify({ type: 'order', data: { nOrdNo: '250122000612876', qty: 3, unFldSz: 0, ...facts } });
const complete = order({ ordSt: 'complete', fldQty: 3 });
const connected = '{"ak":"ok","type":"cn","task":"cn","msg":"connected"}';
const position = '{"type":"position","data":{"sym":"IDEA","flBuyQty":"1"}}';

describe('golden frames of the order socket', () => {
  const talk = { decode: decodeOrders };
  test('the answer to the sign-in, or whatever is pushed, makes it ready', () => {
    expect(hear(talk, connected)).toMatchObject({ ready: 1, orders: [], refused: [] });
    expect(hear(talk, position)).toMatchObject({ ready: 1, orders: [] });
    expect(hear(talk, '{"ak":"nk","type":"cn","task":"cn","msg":"invalid session"}')).toMatchObject({
      ready: 0,
      refused: ['invalid session'],
    });
  });

  test.each([
    ['complete', complete],
    ['partly filled', order({ ordSt: 'open', fldQty: 1 })],
    ['rejected', order({ ordSt: 'rejected', fldQty: 0 })],
    ['cancelled', order({ ordSt: 'cancelled', fldQty: 0 })],
    ['of a word no table has', order({ ordSt: 'considered', fldQty: 0 })],
    ['open, its fills not told', order({ ordSt: 'open' })],
  ])('an order %s is named', (_, frame) => {
    expect(hear(talk, frame)).toMatchObject({ orders: ['250122000612876'], ready: 1 });
  });

  test('an order that travels or rests is no news; an order without a number may be any; a heartbeat says nothing', () => {
    const waits = ['put order req received', 'validation pending', 'open pending', 'open', 'trigger pending'];
    expect(hear(talk, ...waits.map((ordSt) => order({ ordSt, fldQty: 0 })), '{type:hb}').orders).toEqual([]);
    expect(hear(talk, '{"type":"order","data":{"ordSt":"rejected"}}').orders).toEqual([null]);
  });
});

describe('random frames', { timeout: 120_000 }, () => {
  /** A talk that is signed in before the first random frame. */
  function signedIn() {
    const talk = sfeed();
    hear(talk, welcome);
    return talk;
  }
  test('prices', () => fuzz(signedIn, [Buffer.concat([mini, touch, currency]), index, status]));
  test('sign-in', () => fuzz(sfeed, [welcome, mini]));
  test('orders', () => fuzz(() => ({ decode: decodeOrders }), [connected, complete, position]));
});

describe('the emulator', () => {
  let venue: PracticeExchange;
  beforeAll(async () => {
    venue = await startExchange({ ports: 'free', seed: 1, limits: false, clock: systemClock, log: silentLog() });
  });
  afterAll(() => venue.close());
  const at = (path: string) => `${venue.urls.kotak?.api.replace('http', 'ws')}${path}`;
  const nobody = { user: 'PRAC1', auth: 'nonsense', format: 'native_batch', sdk_version: 2 };

  test.each(['/apifeed', '/betafeed', '/wsfeed'])('prices on %s want the session id of a living login', async (path) => {
    const { frames, ended } = await talkTo(at(path), [JSON.stringify(nobody)]);
    expect(frames).toEqual(['{"message_code":1118,"message":"Invalid session"}']);
    expect(ended).toBe(1008);
  });

  test('orders want token and session id, as text or as JSON', async () => {
    const refused = '{"ak":"nk","type":"cn","task":"cn","msg":"invalid session"}';
    const json = JSON.stringify({ type: 'cn', Authorization: 'nonsense', Sid: 'nonsense' });
    for (const said of ['{type:cn,Authorization:nonsense,Sid:nonsense,src:WEB}', json])
      expect(await talkTo(at('/realtime'), [said])).toEqual({ frames: [refused], ended: 1008 });
    expect(await talkTo(at('/realtime'), ['{type:hb}'])).toEqual({ frames: [], ended: null });
  });
});

describe('over the practice exchange', () => feedTests('kotak'));

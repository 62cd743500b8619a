import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { upstox } from '../../server/brokers/upstox/adapter.ts';
import { createApi } from '../../server/brokers/upstox/api.ts';
import { decodeOrders, decodePrices, feed } from '../../server/brokers/upstox/feed.ts';
import { envFor } from '../brokers/stub-server.ts';
import { startPractice } from '../exchange/started.ts';
import { feedTests } from './conformance.ts';
import { fuzz, hear } from './fuzz.ts';

const prices = { decode: decodePrices };
const orders = { decode: decodeOrders };
const bytes = (...hex: string[]) => Buffer.from(hex.join('').replaceAll(' ', ''), 'hex');

/** The sheet's example, whose values the official SDK read out of it: field and wire type, length, content, from the outside in. */
const full = bytes(
  '08 01', // type: live_feed
  '12 3a', // feeds, 58 bytes: one entry of the map
  '0a 13 4e53455f45517c494e45303632413031303230', // its key, 19 bytes: NSE_EQ|INE062A01020
  '12 23 12 1f 0a 1d 0a 1b', // its value: Feed 35, fullFeed 31, marketFF 29, ltpc 27
  '09 9a99999999c18140', // ltp: 568.2
  '10 d39ec4dcd432', // ltt: 1740729552723
  '18 4b 21 cdcccccccc808140', // ltq: 75, cp: 560.1
  '20 01', // requestMode: full_d5
  '18 d786c5dcd432', // currentTs: 1740729566039
);
const index = bytes(
  '12 27 0a 12 4e53455f494e4445587c4e69667479203530', // NSE_INDEX|Nifty 50
  '12 11 12 0d 12 0b 0a 09', // Feed 17, fullFeed 13, indexFF 11, ltpc 9
  '09 9a9999990973d940 20 01', // 26060.15
);
const plain = bytes(
  '12 22 0a 0c 4e53455f464f7c3433393139', // NSE_FO|43919; no type: a snapshot
  '12 12 0a 10', // Feed 18, ltpc 16
  '09 6666666666565440 10 d39ec4dcd432', // 81.35
);
const greeks = bytes(
  '12 26 0a 13 4e53455f45517c494e45303632413031303230',
  '12 0f 1a 0b 0a 09', // Feed 15, firstLevelWithGreeks 11, ltpc 9
  '09 6666666666608940 20 02', // 812.05
);
const marketInfo = bytes('08 02 18 d786c5dcd432', '22 0c 0a 0a 0a 06 4e53455f4551 10 02');
const order = JSON.stringify({ update_type: 'order', order_id: '240221025997024', status: 'put order req received', quantity: 1 });

describe('golden frames', () => {
  test('the worked example of the sheet', () => {
    expect(hear(prices, full).prices).toEqual([{ key: 'NSE_EQ|INE062A01020', rupees: 568.2, at: 1740729552723 }]);
  });

  test('every mode carries the last price in its own place; several instruments come in one frame', () => {
    expect(hear(prices, Buffer.concat([index, plain, greeks])).prices).toEqual([
      { key: 'NSE_INDEX|Nifty 50', rupees: 26060.15, at: null },
      { key: 'NSE_FO|43919', rupees: 81.35, at: 1740729552723 },
      { key: 'NSE_EQ|INE062A01020', rupees: 812.05, at: null },
    ]);
  });

  test('what follows a cut is left out, what came before it stands', () => {
    const both = Buffer.concat([plain, full]);
    expect(hear(prices, both.subarray(0, both.length - 10)).prices).toHaveLength(1);
    expect(hear(prices, full.subarray(0, 40), '{"text":true}', Buffer.alloc(0)).prices).toEqual([]);
  });

  test('a market status is no price', () => {
    expect(hear(prices, marketInfo)).toMatchObject({ prices: [], orders: [], refused: [] });
  });

  test('unknown fields are skipped, unknown wire types end the frame', () => {
    const unknown = bytes('f8 01 ff 7f', '95 02 00000000', '9a 02 03 000000', '99 02 0000000000000000');
    expect(hear(prices, Buffer.concat([unknown, plain])).prices).toHaveLength(1);
    expect(hear(prices, Buffer.concat([bytes('0b'), plain])).prices).toEqual([]);
    expect(hear(prices, bytes('12 ff ff ff ff ff ff ff ff 7f')).prices).toEqual([]);
  });

  test('order frames name the order, as text or bytes; other news is not ours', () => {
    expect(hear(orders, order, Buffer.from(order), '{"update_type":"order"}').orders).toEqual(['240221025997024', '240221025997024', null]);
    expect(
      hear(orders, '{"update_type":"position","order_id":"1"}', '{"update_type":"gtt_order","order_id":"1"}', 'nonsense').orders,
    ).toEqual([]);
  });
});

describe('subscriptions', () => {
  const { env } = envFor(upstox, 'http://127.0.0.1:1', {});
  const [channel] = feed(env, createApi(env));
  const instrument = { exchange: 'NSE', symbol: 'SBIN', token: 'NSE_EQ|INE062A01020' };

  test('the token is the key on the wire; what is no key is not carried', () => {
    expect(channel?.key(instrument)).toBe('NSE_EQ|INE062A01020');
    for (const token of ['', '3045', 'NSE_EQ|', 'NSE_EQ|A|B']) expect(channel?.key({ ...instrument, token }), token).toBeNull();
  });

  test('are JSON in bytes, at most 500 keys each', async () => {
    const { talk } = (await channel?.open()) ?? {};
    const keys = Array.from({ length: 1100 }, (_, at) => `NSE_FO|${at}`);
    const sent = (talk?.subscribe(keys) ?? []).map((frame) => JSON.parse(Buffer.from(frame as Buffer).toString()));
    expect(sent.map(({ data }) => data.instrumentKeys.length)).toEqual([500, 500, 100]);
    expect(sent[0]).toEqual({ guid: expect.any(String), method: 'sub', data: { instrumentKeys: keys.slice(0, 500), mode: 'ltpc' } });
    const [drop] = talk?.unsubscribe(['NSE_FO|1']) ?? [];
    expect(JSON.parse(String(drop))).toMatchObject({ method: 'unsub', data: { instrumentKeys: ['NSE_FO|1'] } });
  });
});

test('random frames of prices', { timeout: 60_000 }, () => fuzz(() => prices, [full, index, plain, greeks, marketInfo]));
test('random frames of orders', { timeout: 60_000 }, () => fuzz(() => orders, [order]));

test('the official SDK reads the emulator, nothing changed but its base address', { timeout: 60_000 }, async () => {
  const here = await startPractice();
  try {
    here.exchange.setPrice('NSE', 'SBIN', '812.05');
    here.exchange.setPrice('NFO', 'NIFTY26DECFUT', '26101.4');
    const script = new URL('upstox-sdk-child.ts', import.meta.url).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, [script, here.urls.upstox?.api ?? ''], { timeout: 40_000 });
    const told = z.object({ market: z.array(z.unknown()), orders: z.array(z.unknown()), placed: z.string() }).parse(JSON.parse(stdout));
    const stamp = expect.stringMatching(/^\d{13}$/);
    // The SDK says null of a frame that comes before it has read its schema.
    if (told.market[0] !== null)
      expect(told.market[0]).toMatchObject({ type: 'market_info', marketInfo: { segmentStatus: { NSE_EQ: 'NORMAL_OPEN' } } });
    const last = { ltp: 812.05, ltt: stamp, ltq: '1', cp: expect.any(Number) };
    // Where the SDK was late with its schema, the share's first readable frame also holds the future.
    const share = expect.objectContaining({ 'NSE_EQ|INE062A01020': { ltpc: last } });
    expect(told.market).toContainEqual(expect.objectContaining({ feeds: share, currentTs: stamp }));
    const near = (price: number) => expect.closeTo(price, 4);
    const marketFF = {
      ltpc: { ltp: 26101.4 },
      // A tick apart, away from the last price.
      marketLevel: {
        bidAskQuote: [0, 1, 2, 3, 4].map((level) => ({ bidP: near(26101.3 - level / 10), askP: near(26101.5 + level / 10) })),
      },
      marketOHLC: { ohlc: [{ interval: '1d' }] },
    };
    expect(told.market).toContainEqual(expect.objectContaining({ type: 'live_feed' }));
    // Which instrument comes in the first frame of all and which in a later one is a matter of moments.
    const feeds = told.market.map((each) => z.object({ feeds: z.looseObject({}) }).safeParse(each).data?.feeds);
    expect(Object.assign({}, ...feeds)).toMatchObject({
      'NSE_EQ|INE062A01020': { ltpc: last },
      'NSE_FO|47001': { fullFeed: { marketFF }, requestMode: 'full_d5' },
    });
    expect(told.orders).toContainEqual(
      expect.objectContaining({
        update_type: 'order',
        order_id: told.placed,
        status: 'complete',
        filled_quantity: 3,
        trading_symbol: 'SBIN-EQ',
      }),
    );
  } finally {
    await here.close();
  }
});

describe('over the practice exchange', () => feedTests('upstox'));

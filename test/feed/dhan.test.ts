import { describe, expect, test } from 'vitest';
import { dhan } from '../../server/brokers/dhan/adapter.ts';
import { decodeOrders, decodePrices, orderUrl } from '../../server/brokers/dhan/feed.ts';
import { envFor } from '../brokers/stub-server.ts';
import { feedTests } from './conformance.ts';
import { fuzz, hear } from './fuzz.ts';

const prices = { decode: decodePrices };
const orders = { decode: decodeOrders };

/** Header and last price of the documented layout, little-endian: code at 0, whole length at 1, segment at 3, security id at 4, price at 8. */
function packet(code: number, segment: number, id: number, rupees: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt8(code, 0);
  bytes.writeUInt16LE(size, 1);
  bytes.writeUInt8(segment, 3);
  bytes.writeInt32LE(id, 4);
  if (size >= 12) bytes.writeFloatLE(rupees, 8);
  return bytes;
}

/** Reason at 8. */
function goodbye(reason: number): Buffer {
  const bytes = packet(50, 0, 0, 0, 10);
  bytes.writeUInt16LE(reason, 8);
  return bytes;
}

const ticker = packet(2, 1, 1333, 1004.35, 16);
const full = packet(8, 2, 47001, 26060.15, 162);
const captured = JSON.stringify({
  Data: { orderNo: '1124091136546', status: 'Traded', correlationId: 'k3v9c0m2p7q1x8za' },
  Type: 'order_alert',
});
const documented = JSON.stringify({
  Data: { OrderNo: '1124091136546', Status: 'Cancelled', series: 'EQ', Series: 'EQ' },
  Type: 'order_alert',
});

describe('golden frames', () => {
  test('a ticker packet, byte for byte', () => {
    // code 2, 16 bytes, NSE_EQ, id 1333, 1004.35 as a float, a time
    const bytes = Buffer.from('02' + '1000' + '01' + '35050000' + '66167b44' + '7824c766', 'hex');
    expect(hear(prices, bytes).prices).toEqual([{ key: '1:1333', rupees: 1004.35, at: null }]);
  });

  test('ticker, quote and full carry the price at one place; what follows in the frame is read too', () => {
    const others = [packet(6, 1, 1333, 990, 16), packet(5, 2, 47001, 0, 12), packet(7, 1, 0, 0, 8), packet(3, 1, 1333, 1, 112)];
    const frame = Buffer.concat([...others, ticker, packet(4, 4, 500325, 1518.05, 50), full]);
    expect(hear(prices, frame).prices).toEqual([
      { key: '1:1333', rupees: 1004.35, at: null },
      { key: '4:500325', rupees: 1518.05, at: null },
      { key: '2:47001', rupees: 26060.15, at: null },
    ]);
  });

  test.each([0.05, 10.15, 812.35, 1518.05, 26060.15, 58900.2, 131071.95, 156200, 89.2025, 103.1475])(
    '%f rupees survive the 32 bits',
    (rupees) => {
      expect(hear(prices, packet(2, 1, 7, rupees, 16)).prices).toEqual([{ key: '1:7', rupees, at: null }]);
    },
  );

  test('what says nothing: cut packets, unknown codes, text', () => {
    const frames = [ticker.subarray(0, 15), full.subarray(0, 81), packet(99, 1, 1333, 1, 16), Buffer.alloc(3), 'text'];
    expect(hear(prices, ...frames)).toEqual({ prices: [], quotes: [], orders: [], ready: 0, refused: [], replies: [] });
  });

  test('a goodbye refuses the sign-in, but for the connection that a newer one replaced', () => {
    expect(hear(prices, goodbye(807), goodbye(805), goodbye(810)).refused).toEqual([
      '807: the token is expired',
      '810: the client id is invalid',
    ]);
  });

  test('order frames name the order, in either case of their keys', () => {
    expect(hear(orders, captured, documented, '{"Data":{},"Type":"order_alert"}').orders).toEqual(['1124091136546', '1124091136546', null]);
    expect(hear(orders, '{"data":{"orderno":112111182198},"type":"ORDER_ALERT"}').orders).toEqual(['112111182198']);
  });

  test('an error code is a refused login; other texts say nothing', () => {
    const refusal =
      '{"errorType":"Invalid_Authentication","errorCode":"DH-901","errorMessage":"Client ID or token is invalid or expired."}';
    expect(hear(orders, refusal).refused).toEqual(['DH-901 Client ID or token is invalid or expired.']);
    expect(hear(orders, '{"Type":"other"}', '[]', 'null', 'no json', ticker)).toMatchObject({ orders: [], refused: [] });
  });
});

describe('channels', () => {
  const { env } = envFor(dhan, 'http://127.0.0.1:1', {});
  const [market, updates] = dhan.create(env).feed ?? [];

  test('an instrument is named by segment and security id', () => {
    const name = (exchange: string, token: string) => market?.key({ exchange, symbol: 'X', token });
    expect(name('NSE', '1333')).toBe('1:1333');
    expect(name('BSE_FNO', '7')).toBe('8:7');
    expect([name('ALL', '1333'), name('', '1'), name('NSE', '0'), name('NSE', '4294967296'), name('NSE', 'x')]).toEqual(
      Array(5).fill(null),
    );
  });

  test('at most a hundred instruments are asked for in one message', async () => {
    const { talk, url } = (await market?.open()) ?? {};
    expect(url).toBe('wss://api-feed.dhan.co?version=2&token=&clientId=&authType=2');
    expect(talk?.subscribe(['1:1333'])).toEqual([
      '{"RequestCode":15,"InstrumentCount":1,"InstrumentList":[{"ExchangeSegment":"NSE_EQ","SecurityId":"1333"}]}',
    ]);
    const keys = Array.from({ length: 201 }, (_, index) => `2:${index + 1}`);
    const asked = talk?.unsubscribe(keys).map((frame) => JSON.parse(String(frame)));
    expect(asked?.map(({ RequestCode, InstrumentCount }) => [RequestCode, InstrumentCount])).toEqual([
      [16, 100],
      [16, 100],
      [16, 1],
    ]);
    expect(asked?.flatMap(({ InstrumentList }) => InstrumentList)).toHaveLength(201);
  });

  test('the order socket signs in by its first message, on a host of its own', async () => {
    const opening = await updates?.open();
    expect(opening?.url).toBe('wss://api-order-update.dhan.co/');
    expect(opening?.talk.hello).toEqual(['{"LoginReq":{"MsgCode":42,"ClientId":"","Token":""},"UserType":"SELF"}']);
    expect(orderUrl('ws://127.0.0.1:5103')).toBe('ws://127.0.0.1:5103/');
  });
});

describe('random frames', { timeout: 60_000 }, () => {
  test('of the price socket', () => fuzz(() => prices, [Buffer.concat([ticker, full]), goodbye(807)]));
  test('of the order socket', () => fuzz(() => orders, [captured, documented]));
});

describe('over the practice exchange', () => feedTests('dhan'));

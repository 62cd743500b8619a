import { describe, expect, test } from 'vitest';
import { angelone } from '../../server/brokers/angelone/adapter.ts';
import { decodeOrders, decodePrices, orderUrl } from '../../server/brokers/angelone/feed.ts';
import { envFor } from '../brokers/stub-server.ts';
import { feedTests } from './conformance.ts';
import { fuzz, hear } from './fuzz.ts';

const prices = { decode: decodePrices };
const orders = { decode: decodeOrders };

/** A packet of the documented layout, little-endian: mode at 0, exchange at 1, token at 2 in 25 bytes, time (ms) at 35, last price at 43. */
function packet(mode: number, exchangeType: number, token: string, units: bigint, ms: bigint, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeInt8(mode, 0);
  bytes.writeInt8(exchangeType, 1);
  bytes.write(token, 2, 'latin1');
  bytes.writeBigInt64LE(77n, 27);
  bytes.writeBigInt64LE(ms, 35);
  bytes.writeBigInt64LE(units, 43);
  return bytes;
}

/** Time of a packet as it was captured. */
const CAPTURED_MS = 1_735_201_464_000n;
const ltp = packet(1, 1, '3045', 81_235n, CAPTURED_MS, 51);
const snapQuote = packet(3, 2, '47001', 2_606_015n, CAPTURED_MS, 379);

const envelope = (code: string, orderData: object, status = '200', message = '') =>
  JSON.stringify({ 'user-id': 'A1', 'status-code': status, 'order-status': code, 'error-message': message, orderData });
const connected = envelope('AB00', { orderid: '', status: '', orderstatus: '' });
const filled = envelope('AB05', { orderid: '201020000000080', filledshares: '1', averageprice: 194, orderstatus: 'complete' });

describe('golden frames', () => {
  test('a packet of 51 bytes, byte for byte', () => {
    const token = `33303435${'00'.repeat(21)}`;
    const bytes = Buffer.from(`0101${token}0100000000000000c01e110294010000533d010000000000`, 'hex');
    expect(bytes).toHaveLength(51);
    expect(hear(prices, bytes).prices).toEqual([{ key: '1:3045', rupees: 812.35, at: 1_735_201_464_000 }]);
  });

  test('the three modes, each at its size', () => {
    expect(hear(prices, ltp, packet(2, 3, '500325', 151_805n, 0n, 123), snapQuote).prices).toEqual([
      { key: '1:3045', rupees: 812.35, at: 1_735_201_464_000 },
      { key: '3:500325', rupees: 1518.05, at: null },
      { key: '2:47001', rupees: 26060.15, at: 1_735_201_464_000 },
    ]);
  });

  test('prices beyond four bytes, and currencies in ten millionths of a rupee', () => {
    expect(hear(prices, packet(1, 5, '464111', 6_000_000_005n, 0n, 51), packet(1, 13, '10901', 892_025_000n, 0n, 51)).prices).toEqual([
      { key: '5:464111', rupees: 60_000_000.05, at: null },
      { key: '13:10901', rupees: 89.2025, at: null },
    ]);
  });

  test('what says nothing: short packets, other modes, no token, the answer to a ping, an error', () => {
    const frames = [ltp.subarray(0, 50), snapQuote.subarray(0, 200), packet(4, 1, '3045', 1n, 1n, 443), packet(1, 1, '', 1n, 1n, 51)];
    const limit = '{"correlationID":"gatewayfed","errorCode":"E1002","errorMessage":"Invalid Request. Subscription Limit Exceeded"}';
    const nothing = { prices: [], quotes: [], orders: [], ready: 0, refused: [], replies: [] };
    expect(hear(prices, ...frames, Buffer.alloc(0), 'pong', limit)).toEqual(nothing);
  });

  test('the first order frame answers the sign-in; later ones name the order', () => {
    expect(hear(orders, connected)).toMatchObject({ ready: 1, orders: [], refused: [] });
    expect(hear(orders, filled, envelope('AB00', { orderid: '091389e428f2AO', orderstatus: 'rejected' })).orders).toEqual([
      '201020000000080',
      '091389e428f2AO',
    ]);
    expect(hear(orders, envelope('AB03', {})).orders).toEqual([null]);
  });

  test('the idle byte and what is no envelope say nothing; another status refuses', () => {
    expect(hear(orders, Buffer.alloc(1), 'pong', '{"orderData":{"orderid":"1"}}')).toMatchObject({ ready: 0, orders: [], refused: [] });
    expect(hear(orders, envelope('', {}, '401', 'Invalid Token'))).toMatchObject({ ready: 0, refused: ['401 Invalid Token'] });
  });
});

describe('channels', () => {
  const { env } = envFor(angelone, 'http://127.0.0.1:1', {});
  const [market, updates] = angelone.create(env).feed ?? [];

  test('an instrument is named by exchange and token', () => {
    const name = (exchange: string, token: string) => market?.key({ exchange, symbol: 'X', token });
    expect(name('NSE', '3045')).toBe('1:3045');
    expect(name('BFO', '1')).toBe('4:1');
    expect([name('NASDAQ', '1'), name('NSE', 'SBIN'), name('constructor', '1')]).toEqual([null, null, null]);
    expect(updates?.key({ exchange: 'NSE', symbol: 'SBIN-EQ', token: '3045' })).toBeNull();
  });

  test('the order socket is on a host of its own, and beside the price socket where that is overridden', () => {
    expect(orderUrl(angelone.urls.feed)).toBe('wss://tns.angelone.in/smart-order-update');
    expect(orderUrl('ws://127.0.0.1:5110/smart-stream')).toBe('ws://127.0.0.1:5110/smart-order-update');
  });

  test('both sockets are pinged with a text; the price socket often enough to hear the answer in a silent market', () => {
    expect([market?.heartbeat?.frame, updates?.heartbeat]).toEqual(['ping', { everyMs: 10_000, frame: 'ping' }]);
    expect(market?.heartbeat?.everyMs).toBeLessThan(market?.silenceMs ?? 0);
    expect(updates?.silenceMs).toBeGreaterThan(10_000);
  });

  test('without a feed token nothing is opened', async () => {
    await expect(market?.open()).rejects.toThrow('no feed token');
  });
});

describe('random frames', { timeout: 60_000 }, () => {
  test('of the price socket', () => fuzz(() => prices, [ltp, snapQuote, 'pong']));
  test('of the order socket', () => fuzz(() => orders, [connected, filled]));
});

describe('over the practice exchange', () => feedTests('angelone'));

import { describe, expect, test } from 'vitest';
import { decode } from '../../server/brokers/zerodha/feed.ts';
import { feedTests } from './conformance.ts';
import { fuzz, hear } from './fuzz.ts';

/** The worked packet of the sheet: one quote packet as Kite sent it. */
const quote = Buffer.from(
  '00063a01000266830000000100026569 0011f1b20003e9ff00058037000264f30002673c000261c90002646c'.replace(/ /g, ''),
  'hex',
);
const framed = (...packets: Buffer[]) => {
  const head = (value: number) => Buffer.from([value >> 8, value & 0xff]);
  return Buffer.concat([head(packets.length), ...packets.flatMap((each) => [head(each.length), each])]);
};

/** A packet of the documented layout with token, price and, from 64 bytes on, the exchange's time. */
function packet(token: number, price: number, size: number, seconds = 0): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt32BE(token, 0);
  bytes.writeInt32BE(price, 4);
  if (size >= 64) bytes.writeInt32BE(seconds, 60);
  if (size === 32) bytes.writeInt32BE(seconds, 28);
  return bytes;
}

const order = JSON.stringify({ type: 'order', data: { order_id: '1953341975595868160', status: 'UPDATE', filled_quantity: 3 } });

describe('golden frames', () => {
  test('the worked packet of the sheet', () => {
    expect(hear({ decode }, framed(quote)).prices).toEqual([{ key: 408065, rupees: 1573.15, at: null }]);
  });

  test('full packets carry the time of the exchange; several packets come in one frame', () => {
    const frame = framed(packet(779521, 81_235, 184, 1_790_000_000), packet(408065, 157_315, 8));
    expect(hear({ decode }, frame).prices).toEqual([
      { key: 779521, rupees: 812.35, at: 1_790_000_000_000 },
      { key: 408065, rupees: 1573.15, at: null },
    ]);
  });

  test('currencies count in ten millionths, BSE currencies in ten thousandths, indices carry their time earlier', () => {
    const frame = framed(
      packet(10901 * 256 + 3, 892_025_000, 8),
      packet(777 * 256 + 6, 892_025, 44),
      packet(256 * 256 + 9, 2_606_015, 32, 1_790_000_000),
    );
    expect(hear({ decode }, frame).prices).toEqual([
      { key: 10901 * 256 + 3, rupees: 89.2025, at: null },
      { key: 777 * 256 + 6, rupees: 89.2025, at: null },
      { key: 256 * 256 + 9, rupees: 26060.15, at: 1_790_000_000_000 },
    ]);
  });

  test('every segment has its divisor: commodities on NSE count in ten thousandths, what is not listed in hundredths', () => {
    const segments = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    const { prices } = hear({ decode }, framed(...segments.map((segment) => packet(500 * 256 + segment, 70_000_000, 8))));
    const [paise, tenThousandths, tenMillionths] = [700_000, 7_000, 7];
    const rupees = { 3: tenMillionths, 6: tenThousandths, 12: tenThousandths };
    expect(prices).toEqual(segments.map((segment) => ({ key: 500 * 256 + segment, rupees: rupees[segment as 3] ?? paise, at: null })));
  });

  test('heartbeats say nothing, order frames name the order, errors refuse', () => {
    expect(hear({ decode }, Buffer.alloc(1), order)).toMatchObject({ prices: [], orders: ['1953341975595868160'] });
    expect(hear({ decode }, '{"type":"error","data":"Invalid token"}').refused).toEqual(['Invalid token']);
    expect(hear({ decode }, '{"type":"message","data":"hello"}', 'not json')).toMatchObject({ orders: [], refused: [] });
  });
});

test('random frames', { timeout: 60_000 }, () => {
  fuzz(() => ({ decode }), [framed(quote), framed(packet(779521, 81_235, 184, 1_790_000_000), packet(408065, 157_315, 8)), order]);
});

describe('over the practice exchange', () => feedTests('zerodha'));

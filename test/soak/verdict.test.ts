import { expect, it } from 'vitest';
import type { Asked } from '../chaos/orders.ts';
import { type Sample, slope } from './samples.ts';
import { spells } from './spells.ts';
import { goalFor, judgeDescriptors, judgeMemory, judgeOrders, unexplained } from './verdict.ts';

/** Two hours, a sample every two minutes: `growing` MB an hour from `base` on, and saw teeth. */
function hours(growing: number, base = 150): Sample[] {
  return Array.from({ length: 60 }, (_, index) => {
    const at = index / 30;
    const rss = base + growing * at + (index % 3);
    return { at, rss, heap: rss / 3, external: 5, descriptors: 50, lagMs: 1, databaseMb: 10, streams: 4 };
  });
}

it('finds a leak behind the first half hour, and none in saw teeth', () => {
  expect(slope(hours(3), ({ rss }) => rss)).toBeCloseTo(3, 0);
  expect(judgeMemory(hours(0), goalFor(120)).findings).toEqual([]);
  expect(judgeMemory(hours(3), goalFor(120)).findings).toEqual([expect.stringMatching(/^RSS grows by [23]\.\d+ MB an hour, more than 2$/)]);
  const warming = hours(0).map((one) => (one.at < 0.5 ? { ...one, rss: 100 } : one));
  expect(judgeMemory(warming, goalFor(120)).findings).toEqual([]);
});

it('finds descriptors that stay', () => {
  const before = Array(40).fill('socket:[N]');
  expect(judgeDescriptors(before, before)).toEqual([]);
  expect(judgeDescriptors(before, Array(60).fill('socket:[N]'))).toEqual(['40 descriptors at first, 60 in the end: 60 socket:[N]']);
});

it('explains a log line by what was planted around its time, and by nothing else', () => {
  const spell = spells.find(({ name }) => name === 'requests lost');
  if (!spell) throw new Error('no such spell');
  const cast = { spell, from: 1_000_000, to: 1_010_000, struck: 1 };
  const said = (time: number, msg: string) => JSON.stringify({ level: 40, time, msg });
  const lost = 'The connection to 127.0.0.1:28625 was lost before its answer (UND_ERR_SOCKET)';
  expect(unexplained([said(1_005_000, lost), said(1_005_000, 'Kill switch'), ''], [cast])).toEqual([]);
  const odd = [said(999_000, lost), said(1_900_000, lost), said(1_005_000, 'Unexpected failure'), '    at somewhere (file.ts:1:1)'];
  expect(unexplained(odd, [cast])).toEqual(odd);
});

it('holds the ledger against what was answered and recorded, by tags', () => {
  const text = JSON.stringify({ success: true, order_id: '1', fill_status: 'FILLED', filled_quantity: 2, avg_fill_price: 10 });
  const heard = (['first', 'again'] as const).map((phase) => ({ text, phase, stored: true, at: 0 }));
  const terms = { exchange: 'NSE', symbol: 'SBIN', side: 'BUY', quantity: 2 } as const;
  const one: Asked = { ...terms, key: 'a', kind: 'gateway', body: {}, heard, refused: false, waits: [] };
  const order = { ...terms, orderId: '1', tag: 'T1', filled: 2, average: '10', status: 'COMPLETE', receivedAt: 0, changedAt: null };
  const exit = { ...order, orderId: '2', tag: 'T2', side: 'SELL' };
  const records = [
    { key: 'k:a', state: 'DONE', tag: 'T1' },
    { key: 'exit', state: 'DONE', tag: 'T2' },
  ];
  const rows = [
    { order_id: '1', status: 'FILLED', filled: 2 },
    { order_id: '2', status: 'FILLED', filled: 2 },
  ];
  const books = { asked: [one], ledger: [order, exit], records, orders: rows, open: [] };
  expect(judgeOrders(books)).toEqual([]);
  const wrong = (changed: Partial<typeof books>) => judgeOrders({ ...books, ...changed }).join('\n');
  expect(wrong({ ledger: [order, exit, { ...order, orderId: '3' }, { ...exit, orderId: '4', side: 'BUY' }] })).toMatch(
    /duplicate[\s\S]*twice at the venue/,
  );
  expect(wrong({ ledger: [order, { ...exit, tag: 'T9' }] })).toMatch(/nobody asked for/);
  expect(wrong({ ledger: [exit] })).toMatch(/contradiction[\s\S]*-2 of NSE:SBIN are held[\s\S]*recorded 1 as FILLED/);
  expect(wrong({ ledger: [{ ...order, filled: 1 }, exit] })).toMatch(/contradiction/);
});

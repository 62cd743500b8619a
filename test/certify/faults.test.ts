import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { BrokerId } from '../../contract/words.ts';
import type { FaultSpec } from '../../server/exchange/wire/faults.ts';
import type { Change } from './changed.ts';
import { certifying, failures } from './practice.ts';

const { run, venue } = certifying();

type Row = Record<string, unknown>;
const set =
  (...fields: [string, unknown][]) =>
  (row: Row) => ({ ...row, ...Object.fromEntries(fields) });
const twice = (row: Row) => [row, row];
const more = (field: string, by: number) => (row: Row) => {
  const value = Number(row[field]) + by;
  return { ...row, [field]: typeof row[field] === 'string' ? String(value) : value };
};
/** Only where the field has this value. */
const where = (field: string, value: unknown, to: Change['to']) => (row: Row) => (String(row[field]) === String(value) ? to(row) : row);
const filled = (field: string, to: Change['to']) => (row: Row) => (Number(row[field]) > 0 ? to(row) : row);

interface Case {
  what: string;
  id: BrokerId;
  has: string[];
  to: Change['to'];
  fails: string;
  says?: RegExp;
}

const answers: Case[] = [
  { what: 'an order twice', id: 'zerodha', has: ['order_timestamp', 'tag'], to: twice, fails: 'order ids' },
  {
    what: 'a status word nobody knows',
    id: 'zerodha',
    has: ['order_timestamp', 'status'],
    to: where('status', 'COMPLETE', set(['status', 'HALF BAKED'])),
    fails: 'status words',
  },
  {
    what: 'a state of a number nobody knows',
    id: 'fyers',
    has: ['orderDateTime', 'status'],
    to: where('status', 2, set(['status', 9])),
    fails: 'status words',
  },
  {
    what: 'more filled than ordered',
    id: 'upstox',
    has: ['order_id', 'filled_quantity'],
    to: filled('filled_quantity', more('filled_quantity', 50)),
    fails: 'order quantities',
  },
  {
    what: 'a filled order that is not full',
    id: 'zerodha',
    has: ['order_timestamp', 'filled_quantity'],
    to: filled('filled_quantity', more('filled_quantity', -1)),
    fails: 'order quantities',
  },
  {
    what: 'an order of tomorrow',
    id: 'zerodha',
    has: ['order_timestamp'],
    to: set(['order_timestamp', '2099-01-01 09:15:00']),
    fails: 'order times',
  },
  {
    what: 'a fill for nothing',
    id: 'upstox',
    has: ['order_id', 'average_price', 'filled_quantity'],
    to: set(['average_price', 0]),
    fails: 'prices of filled orders',
  },
  { what: 'a trade twice', id: 'upstox', has: ['trade_id'], to: twice, fails: 'trade ids' },
  {
    what: 'a trade for nothing',
    id: 'zerodha',
    has: ['trade_id', 'fill_timestamp'],
    to: set(['average_price', 0]),
    fails: 'trades are worth something',
  },
  {
    what: 'a trade of another order',
    id: 'dhan',
    has: ['tradedQuantity'],
    to: set(['orderId', '99999']),
    fails: 'trades belong to orders',
  },
  {
    what: 'a trade of the other side',
    id: 'shoonya',
    has: ['flid', 'trantype'],
    to: where('trantype', 'B', set(['trantype', 'S'])),
    fails: 'trades belong to orders',
  },
  {
    what: 'a trade missing',
    id: 'angelone',
    has: ['fillsize', 'fillprice'],
    to: where('transactiontype', 'SELL', () => null),
    fails: 'fills agree with trades',
  },
  { what: 'a trade of another quantity', id: 'kotak', has: ['flId', 'fldQty'], to: more('fldQty', 1), fails: 'fills agree with trades' },
  {
    what: 'an average price of something else',
    id: 'angelone',
    has: ['averageprice', 'filledshares'],
    to: filled('filledshares', more('averageprice', 1)),
    fails: 'average prices agree with trades',
  },
  { what: 'a position twice', id: 'dhan', has: ['carryForwardBuyQty'], to: twice, fails: 'position rows' },
  {
    what: 'a net quantity of its own',
    id: 'aliceblue',
    has: ['overnightQuantity'],
    to: more('netQuantity', 1),
    fails: 'net quantities by their parts',
  },
  { what: 'a net quantity of its own', id: 'shoonya', has: ['cfbuyqty'], to: more('netqty', 1), fails: 'net quantities by their parts' },
  { what: 'a net quantity of its own', id: 'fivepaisa', has: ['BodQty'], to: more('NetQty', 1), fails: 'net quantities by their parts' },
  {
    what: 'a part of a position of its own',
    id: 'fyers',
    has: ['dayBuyQty'],
    to: more('dayBuyQty', 1),
    fails: 'net quantities by their parts',
  },
  {
    what: 'a position that was not traded',
    id: 'kotak',
    has: ['flBuyQty'],
    to: more('flBuyQty', 1),
    fails: 'net quantities by the trades',
  },
  {
    what: 'a position that was not traded',
    id: 'zerodha',
    has: ['day_buy_quantity'],
    to: (row) => more('quantity', 2)(more('day_buy_quantity', 2)(row) as Row),
    fails: 'net quantities by the trades',
  },
  {
    what: 'a position for nothing',
    id: 'zerodha',
    has: ['overnight_quantity', 'average_price'],
    to: set(['average_price', 0]),
    fails: 'prices of positions',
  },
  { what: 'holdings for nothing', id: 'zerodha', has: ['authorised_quantity'], to: set(['average_price', 0]), fails: 'prices of holdings' },
  {
    what: 'more to sell than is held',
    id: 'kotak',
    has: ['sellableQuantity'],
    to: more('sellableQuantity', 5),
    fails: 'sellable holdings',
  },
  { what: 'a token missing', id: 'dhan', has: ['carryForwardBuyQty'], to: set(['securityId', '']), fails: 'instruments can be told apart' },
  {
    what: 'funds without the amount',
    id: 'dhan',
    has: ['availabelBalance'],
    to: set(['availabelBalance', null]),
    fails: 'available funds',
  },
  {
    what: 'an order that cannot be read',
    id: 'fivepaisa',
    has: ['TradedQty', 'RemoteOrderID'],
    to: set(['TradedQty', 'secret-4711']),
    fails: 'order book',
    says: /TradedQty must be a number/,
  },
  {
    what: 'a trade that cannot be read',
    id: 'groww',
    has: ['exchange_trade_id'],
    to: set(['price', null]),
    fails: 'trade book',
    says: /price/,
  },
  {
    what: 'a position that cannot be read',
    id: 'upstox',
    has: ['overnight_quantity'],
    to: set(['quantity', '1,000']),
    fails: 'positions',
    says: /quantity must be a number/,
  },
  {
    what: 'a holding that cannot be read',
    id: 'angelone',
    has: ['authorisedquantity'],
    to: set(['quantity', null]),
    fails: 'holdings',
    says: /quantity/,
  },
];

describe('an answer with', () => {
  test.each(answers)('$what is named: $id', async ({ id, has, to, fails, says = /./ }) => {
    const ran = await run(id, { change: { has, to } });
    expect(failures(ran)).toContain(fails);
    expect(ran).toMatchObject({ passed: false, open: null, report: { verdict: 'failed' } });
    expect(ran.checks.find(({ name }) => name === fails)?.says).toMatch(says);
    expect(ran.lines.join('\n')).toContain(`failed    ${fails}: `);
  });

  test('a status word tells the word', async () => {
    const to = where('status', 'COMPLETE', set(['status', 'HALF BAKED']));
    const { report } = await run('zerodha', { change: { has: ['order_timestamp'], to } });
    expect(report.unknown_words).toEqual([{ kind: 'order status', word: 'HALF BAKED' }]);
  });
  test('a Date of another time', async () => {
    const ran = await run('shoonya', { laterMs: 60_000 });
    expect(failures(ran)).toEqual(['clock']);
    expect(ran.report.clock_offset_ms).toBeLessThan(-58_000);
  });
});

type Planted = z.input<typeof FaultSpec>;
const struck: { what: string; id: BrokerId; fault: Planted; fails: string }[] = [
  {
    what: 'holdings that fail',
    id: 'angelone',
    fault: { kind: 'status5xxBefore', operation: 'holdings', times: 'always' },
    fails: 'holdings',
  },
  { what: 'funds that fail once', id: 'upstox', fault: { kind: 'garbageAfterAccept', operation: 'funds' }, fails: 'funds' },
  {
    what: 'a limit that is reached',
    id: 'kotak',
    fault: { kind: 'rateLimited', operation: 'orders', times: 'always' },
    fails: 'order book',
  },
  {
    what: 'a login that ends',
    id: 'fyers',
    fault: { kind: 'sessionExpired', operation: 'positions', times: 'always' },
    fails: 'positions',
  },
  {
    what: 'a feed that refuses the sign-in',
    id: 'zerodha',
    fault: { kind: 'streamRefused', times: 'always' },
    fails: 'feed prices and orders',
  },
];

describe('a broker with', () => {
  test.each(struck)('$what is named: $id', async ({ id, fault, fails }) => {
    venue().faults.plant({ ...fault, broker: id });
    expect(failures(await run(id))).toContain(fails);
  });
  const silent = { exchange: 'NSE', symbol: 'NOSUCH', token: '99' };
  test('a feed without a price is named, after 20 s', async () => {
    expect(failures(await run('zerodha', { wanted: { watch: silent } }))).toEqual(['feed price']);
  }, 60_000);
  test('a feed without a price is no fault while the exchange is closed', async () => {
    const ran = await run('zerodha', { wanted: { watch: silent }, parts: { isOpen: () => false } });
    expect(failures(ran)).toEqual([]);
    const said = { result: 'not told', says: expect.stringContaining('closed') };
    expect(ran.checks.find(({ name }) => name === 'feed price')).toMatchObject(said);
  });
  test('a wrong key is named, and nothing else is asked', async () => {
    const ran = await run('angelone', { credentials: { PIN: '0000', TOTP_SECRET: 'GEZDGNBVGY3TQOJQ' } });
    expect(ran.checks.map(({ name }) => name)).toEqual(['sign-in']);
    expect(ran.passed).toBe(false);
  });
});

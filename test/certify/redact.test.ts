import { describe, expect, test } from 'vitest';
import { readFindings } from '../../server/certify/read-checks.ts';
import { noLatencies } from '../../server/certify/reads.ts';
import { patternOf, shapeOf } from '../../server/certify/redact.ts';
import { type Draft, redacted } from '../../server/certify/report.ts';
import type { Change } from './changed.ts';
import { certifying, leaked, type Ran } from './practice.ts';

const { run } = certifying();

/** What a broker may answer beside the rows we read, and what must not leave this machine. */
const planted = {
  client_code: 'XQ4471',
  user_name: 'RAJESHWARI PALANIVEL',
  user_shortname: 'Rajeshwari',
  email: 'rajeshwari.p@postbox.example',
  pan: 'KQWPX4471Z',
  mobile: '9840117733',
  phone: 9840117744,
  bank_account: '000401234987',
  dp_id: 'IN30021498765432',
  boid: '1208160012345678',
  access_token: 'eyJhbGciOiJIUzI1NiJ9.planted',
  feed_token: 'ft-0aa1bb2cc3dd',
  api_key: 'k1tt3nsandk3ys',
  address: '14 Kamarajar Salai Madurai',
  net_worth: 7_734_512.25,
  ledger_balance: '4471982.75',
  collateral: 88_123_499,
  nominee: 'Devanayagam',
  remarks: 'call Rajeshwari about margin',
  family: [{ head: 'Meenakshisundaram', '9840117755': 'home', 'XQ4471-nominee': true }],
};

function textsOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsOf);
  return [String(value)];
}
const secrets = [...textsOf(planted).filter((text) => text.length > 4), '9840117755', 'XQ4471-nominee'];

/** The rows of one broker by members that each has, so that what is planted stands in all six answers. */
const plant: Change = {
  has: [],
  to: (row) => ({ ...row, ...planted }),
};

const heldBack = (ran: Ran) => expect(leaked(ran, secrets)).toEqual([]);

/** That it holds no credentials, order ids, tags and amounts either, at any of the ten, is asked in ten.test.ts. */
describe('the report holds nothing of the person', () => {
  test('more than 20 things are planted', () => expect(secrets.length).toBeGreaterThanOrEqual(20));

  test.each(['zerodha', 'upstox', 'dhan', 'shoonya', 'kotak', 'fyers'] as const)('%s: what is planted in every answer', async (id) => {
    const ran = await run(id, { change: { ...plant, has: anchors[id] } });
    expect(ran.text).toContain('user_name');
    heldBack(ran);
  });

  test('a refusal with a name in it stays on the terminal', async () => {
    const to: Change['to'] = (row) => ({
      ...row,
      order_timestamp: 5,
      tradingsymbol: '',
      user_name: planted.user_name,
      quantity: planted.pan,
    });
    const ran = await run('zerodha', { change: { has: ['order_timestamp', 'tag'], to } });
    expect(ran.passed).toBe(false);
    heldBack(ran);
  });
});

/** Members of the rows that get them. */
const anchors = {
  zerodha: ['tradingsymbol'],
  upstox: ['exchange'],
  dhan: ['securityId'],
  shoonya: ['stat'],
  kotak: ['exSeg'],
  fyers: ['symbol'],
};

describe('the shape of an answer', () => {
  test.each([
    [12.5, 'number 99.9'],
    ['PQRSX1234F', 'text AAAAA9999A'],
    ['ராஜா 12', 'text AAAA 99'],
    ['a-very-long-one-indeed', 'text A-AAAA-AAAA-'],
    ['COMPLETE', 'text COMPLETE'],
    ['modify pending', 'text modify pending'],
    ['NSE_EQ', 'text NSE_EQ'],
    ['', 'text'],
    [null, 'null'],
    [true, 'true'],
  ])('%s is %s', (value, pattern) => expect(patternOf(value)).toBe(pattern));

  test('tells every member once, with all its patterns', () => {
    const rows = [
      { qty: 1, status: 'OPEN', legs: [{ id: 'a1' }] },
      { qty: 25, status: 'COMPLETE', note: null },
    ];
    expect(shapeOf(rows)).toEqual({
      '[].qty': ['number 9', 'number 99'],
      '[].status': ['text COMPLETE', 'text OPEN'],
      '[].legs[].id': ['text A9'],
      '[].note': ['null'],
    });
  });
  test('tells a name that is a value by its form', () => {
    const data = { user: 'RAJA', RAJA: 1, '24112300012345': 2, 'NSE:SBIN': 3, 'a@b.c': 4 };
    expect(Object.keys(shapeOf(data)).sort()).toEqual(['999999999999', 'A@A.A', 'AAA:AAAA', 'AAAA', 'user']);
  });
});

test('credentials, login and account stand nowhere, whatever a check says', () => {
  const draft: Draft = {
    broker: 'dhan',
    mode: 'live',
    findings: [{ name: 'sign-in', result: 'failed', says: 'client 1100004207 with Pin1.+ was refused', shown: 'by Rajeshwari' }],
    latencies: noLatencies(),
    clockOffsetMs: null,
    words: [
      { kind: 'order status', word: 'HALF DONE' },
      { kind: 'order status', word: 'see 9840117733' },
    ],
    rounds: [],
    steps: [],
    openTag: null,
    secrets: ['1100004207', 'pin1.+', 'x'],
  };
  expect(redacted(draft, 0)).toMatchObject({
    checks: [{ name: 'sign-in', result: 'failed', says: 'client [hidden] with [hidden] was refused' }],
    unknown_words: [{ word: 'HALF DONE' }, { word: 'not a plain word' }],
  });
  expect(JSON.stringify(redacted(draft, 0))).not.toContain('Rajeshwari');
});

test('the reason of an unreadable row is told without what stands in it', () => {
  const row = { status: 'of RAJESHWARI', qty: '12' };
  const reason = `status 'of RAJESHWARI' and "9840117733" are none of 4471982.75`;
  const holdings = {
    success: true as const,
    data: [row],
    normalized: [],
    unreadable: [{ row, reason, exchange: null, symbol: null, token: null }],
  };
  const unread = { success: false as const, message: '' };
  const round = { profile: unread, funds: unread, holdings, positions: unread, orders: unread, trades: null };
  const said = readFindings([round], noLatencies()).find(({ name }) => name === 'holdings');
  expect(said).toEqual({ name: 'holdings', result: 'failed', says: '1 of 1 rows cannot be read: status "…" and "…" are none of 9' });
});

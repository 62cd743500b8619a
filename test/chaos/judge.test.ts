import { describe, expect, it } from 'vitest';
import { type Evidence, judge } from './judge.ts';
import type { Asked } from './orders.ts';
import { type Tallies, total, violations } from './tally.ts';

const order = {
  orderId: '7',
  tag: 'tag',
  exchange: 'NSE',
  symbol: 'SBIN',
  side: 'BUY',
  quantity: 3,
  filled: 3,
  average: '812.5000',
  status: 'FILLED',
  receivedAt: 0,
  changedAt: null,
};
const filled = { success: true, order_id: '7', fill_status: 'FILLED', filled_quantity: 3, avg_fill_price: 812.5 };
const unknown = { success: false, order_id: '', fill_status: 'UNKNOWN' };
const absent = { success: false, message: 'The order did not reach the broker', fill_status: 'REJECTED' };
const record = { key: 'k:one', state: 'DONE', tag: 'tag' };

function asked(first: object | null, ...again: object[]): Asked {
  const told = (phase: 'first' | 'again') => (answer: object) => ({ text: JSON.stringify(answer), phase, stored: true, at: 0 });
  const heard = [...(first ? [told('first')(first)] : []), ...again.map(told('again'))];
  return {
    key: 'one',
    kind: 'gateway',
    exchange: 'NSE',
    symbol: 'SBIN',
    side: 'BUY',
    quantity: 3,
    body: {},
    heard,
    refused: false,
    waits: [],
  };
}

function verdict(one: Asked, change: Partial<Evidence> = {}) {
  const tallies: Tallies = new Map();
  const findings = judge({ asked: [one], ledger: [order], records: [record], ...change }, tallies);
  const tally = total(tallies);
  return { ...tally, findings: findings.length, violations: violations(tally) };
}

describe('the judge of chaos', () => {
  it('finds nothing wrong with the truth, also where it replaced UNKNOWN', () => {
    expect(verdict(asked(filled, filled))).toMatchObject({ violations: 0, findings: 0, acknowledged: 1, foundAgain: 1, atVenue: 1 });
    expect(verdict(asked(unknown, unknown, filled))).toMatchObject({ violations: 0, findings: 0 });
    expect(verdict(asked(null, absent), { ledger: [], records: [] })).toMatchObject({ violations: 0, findings: 0 });
    expect(verdict(asked(null, unknown), { ledger: [] })).toMatchObject({ violations: 0, unknown: 1 });
  });

  it('sees a duplicate', () => {
    expect(verdict(asked(filled, filled), { ledger: [order, { ...order, orderId: '8' }] })).toMatchObject({ duplicates: 1, findings: 1 });
  });

  it('sees a lost order: at the venue, and the answer does not name it, or there is none', () => {
    expect(verdict(asked(null, unknown))).toMatchObject({ lost: 1 });
    expect(verdict(asked(null))).toMatchObject({ lost: 1 });
    expect(verdict(asked(filled))).toMatchObject({ lost: 1, acknowledged: 1, foundAgain: 0 });
  });

  it('knows an order that was held up to the end behind another one from a lost one', () => {
    const blocked = JSON.stringify({ success: false, status: 'BLOCKED', message: 'SBIN: order 7 (BUY 3) is not resolved yet' });
    const told = (one: Asked, ...waits: string[]) => ({ ...one, waits });
    const away = '{"message":"Order store unavailable"}';
    expect(verdict(told(asked(null), blocked), { ledger: [] })).toMatchObject({ violations: 0 });
    expect(verdict(told(asked(null), blocked))).toMatchObject({ lost: 1 });
    expect(verdict(told(asked(filled), blocked), { ledger: [] })).toMatchObject({ lost: 1 });
    expect(verdict(told(asked(null), away), { ledger: [] })).toMatchObject({ lost: 1 });
    // The next history may kill the database this one is asked on.
    expect(verdict(told(asked(null), blocked, away), { ledger: [] })).toMatchObject({ violations: 0 });
  });

  it.each([
    ['absent though it lives', absent, [order]],
    ['filled though it is not there', filled, []],
    ['another quantity', { ...filled, filled_quantity: 2 }, [order]],
    ['another price', { ...filled, avg_fill_price: 812.55 }, [order]],
    ['rejected though it filled', { ...filled, fill_status: 'REJECTED' }, [order]],
    ["another order's id", { ...filled, order_id: '9' }, [order]],
  ])('sees a contradiction: %s', (_name, answer, ledger) => {
    expect(verdict(asked(null, answer), { ledger }).contradictions).toBe(1);
  });

  it('sees a changed replay, but not of an answer that had not reached the store', () => {
    const other = { ...filled, message: 'other' };
    expect(verdict(asked(filled, other))).toMatchObject({ changed: 1, violations: 1 });
    expect(verdict(asked(filled, unknown))).toMatchObject({ changed: 1 });
    const one = asked(filled, other);
    for (const heard of one.heard.slice(0, 1)) heard.stored = false;
    expect(verdict(one)).toMatchObject({ changed: 0, violations: 0 });
  });

  it('lets an answer that says nothing was sent be forgotten after its short life, and not before', () => {
    const blocked = { success: false, status: 'BLOCKED', message: "the broker's positions could not be read", fill_status: 'REJECTED' };
    const one = asked(blocked, filled);
    expect(verdict(one)).toMatchObject({ changed: 1, contradictions: 1 });
    for (const heard of one.heard.slice(1)) heard.at = 5000;
    expect(verdict(one)).toMatchObject({ violations: 0, findings: 0 });
  });

  it('sees an order that no durable record names, and one that nobody asked for', () => {
    expect(verdict(asked(filled, filled), { records: [] })).toMatchObject({ unrecorded: 1 });
    expect(verdict(asked(filled, filled), { records: [{ ...record, tag: 'other' }] })).toMatchObject({ unrecorded: 1 });
    expect(verdict(asked(filled, filled), { records: [{ ...record, state: 'NOT_SENT' }] })).toMatchObject({ unrecorded: 1 });
    expect(verdict(asked(filled, filled), { ledger: [order, { ...order, symbol: 'INFY' }] })).toMatchObject({ contradictions: 1 });
  });
});

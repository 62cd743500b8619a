import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Listed, Master, MasterFields, MasterFile, Skipped } from '../../../server/brokers/master.ts';

/** A Friday before the contracts of the fixtures end. */
export const TODAY = '2026-09-25';
const file: MasterFile = { path: 'master', pack: 'plain', form: 'csv' };

function text(id: string, name: string): string {
  return readFileSync(new URL(`../fixtures/${id}/${name}`, import.meta.url), 'utf8');
}

/** The rows of a fixture without quotes, names and values trimmed as the reader of files hands them on. */
export function csvRows(id: string, name = 'master.csv'): MasterFields[] {
  const [header = [], ...lines] = text(id, name)
    .trim()
    .split('\n')
    .map((line) => line.split(',').map((cell) => cell.trim()));
  return lines.map((cells) => Object.fromEntries(header.map((column, at) => [column, cells[at] ?? ''])));
}

const jsonFile = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])));

export function jsonRows(id: string): MasterFields[] {
  const rows = jsonFile.parse(JSON.parse(text(id, 'master.json')));
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')])));
}

type Facts = Partial<Listed> & Pick<Listed, 'exchange' | 'kind' | 'root' | 'brokerSymbol' | 'token'>;
const nothing = { series: null, name: null, expiry: null, strike: null, lotSize: 1, tickSize: null, freezeQuantity: null, isin: null };

/** A whole Listed: what is not told is null, or a lot of 1. */
export function listing(facts: Facts): Listed {
  return { ...nothing, ...facts };
}

export function skipped(reason: string): Skipped {
  return { skipped: reason };
}

export function readAll(master: Master, rows: readonly MasterFields[]): (Listed | Skipped)[] {
  return rows.map((row) => master.read(row, file, TODAY));
}

export function isListed(read: Listed | Skipped): read is Listed {
  return !('skipped' in read);
}

/** What a file might hold in the place of anything. */
const odd = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.double().map(String),
  fc.bigInt().map(String),
  fc.constantFrom(
    '-1',
    '0',
    '00',
    '1e999',
    '9e9',
    '1e-9',
    'NaN',
    'Infinity',
    '2026-02-30',
    '2026-13-01 00:00:00',
    '31-FEB-2026',
    '__proto__',
    'null',
  ),
  fc.constantFrom(
    'constructor',
    'CE',
    'PE',
    'FUT',
    'XX',
    'EQ',
    'INDEX',
    '9'.repeat(13),
    '9'.repeat(30),
    '0x10',
    '1,000',
    '१२',
    '2026-12-29',
  ),
);

/**
 * Rows of the fixture with columns taken for other texts or left out: nothing throws, and what is listed has a day of the calendar, a lot of 1 or more,
 * and prices in their shortest form. fast-check prints the seed of a failure.
 */
export function standsAnyText(master: Master, rows: readonly MasterFields[]): void {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const changes = fc.dictionary(fc.constantFrom(...columns), fc.option(odd, { nil: undefined }), { maxKeys: 4 });
  const reasons = new Set<string>();
  let good = 0;
  const property = fc.property(fc.constantFrom(...rows), changes, (row, change) => {
    const changed = Object.entries({ ...row, ...change }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    const read = master.read(Object.fromEntries(changed), file, TODAY);
    if (isListed(read)) {
      good += 1;
      checkListed(read);
    } else reasons.add(read.skipped);
  });
  fc.assert(property, { numRuns: 1_500 });
  expect(good).toBeGreaterThan(50);
  expect([...reasons].filter((reason) => !knownReasons.includes(reason))).toEqual([]);
}

const knownReasons = [
  ...['other exchange', 'other kind', 'no symbol', 'no series', 'dummy', 'bond', 'spread', 'expired'],
  ...['token', 'series', 'expiry', 'strike', 'lot', 'tick'].map((what) => `unreadable ${what}`),
];
const price = /^(0|[1-9]\d*)(\.\d*[1-9])?$/;

function checkListed(read: Listed): void {
  const { kind, expiry, strike, tickSize, lotSize, freezeQuantity } = read;
  const contract = kind !== 'EQ' && kind !== 'INDEX';
  expect(read.root).not.toBe('');
  expect(read.brokerSymbol).not.toBe('');
  expect(read.token).not.toBe('');
  expect(Number.isSafeInteger(lotSize) && lotSize >= 1).toBe(true);
  expect(freezeQuantity === null || (Number.isSafeInteger(freezeQuantity) && freezeQuantity >= 1)).toBe(true);
  expect(expiry !== null).toBe(contract);
  if (expiry !== null) {
    expect(new Date(`${expiry}T00:00:00Z`).toISOString().slice(0, 10)).toBe(expiry);
    expect(expiry >= TODAY).toBe(true);
  }
  expect(strike !== null).toBe(kind === 'CE' || kind === 'PE');
  for (const each of [strike, tickSize].filter((value) => value !== null)) {
    expect(each).toMatch(price);
    expect(Number(each)).toBeGreaterThan(0);
  }
}

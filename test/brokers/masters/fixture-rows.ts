import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  type Listed,
  type Master,
  type MasterFields,
  type MasterFile,
  masterExchanges,
  type Skipped,
} from '../../../server/brokers/master.ts';
import { canonicalSymbol } from '../../../server/instruments/name.ts';

/** The day on which the fixtures were fetched. */
export const TODAY = '2026-09-15';

/** The rows of a CSV fixture, names and values trimmed; by its first line, or by `columns`. */
export function csvRows(id: string, name = 'master.csv', columns?: readonly string[]): MasterFields[] {
  const lines = textOf(id, name).trimEnd().split('\n').map(cells);
  const names = columns ?? lines.shift() ?? [];
  return lines.map((line) => Object.fromEntries(names.map((column, at) => [column, line[at] ?? ''])));
}

/** The rows of a JSON fixture. */
export function jsonRows(id: string): MasterFields[] {
  return JSON.parse(textOf(id, 'master.json'));
}

function textOf(id: string, name: string): string {
  return readFileSync(new URL(`../fixtures/${id}/${name}`, import.meta.url), 'utf8');
}

function cells(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map(([, quoted, plain]) => (quoted ?? plain ?? '').trim());
}

/** The first file of a master, or the one of that path. */
export function fileOf(master: Master, path = master.files?.[0]?.path): MasterFile {
  const file = master.files?.find((each) => each.path === path);
  if (!file) throw new Error(`the master has no file ${path}`);
  return file;
}

/** What is listed, whole and with its canonical name in front, and the reason of each row that is not. */
export function readAll(
  master: Master,
  rows: readonly MasterFields[],
  file = fileOf(master),
): (readonly [string | null, Listed] | string)[] {
  return rows.map((row) => {
    const read = master.read(row, file, TODAY);
    return 'skipped' in read ? read.skipped : [canonicalSymbol(read), read];
  });
}

const nothing = { series: null, name: null, expiry: null, strike: null, tickSize: null, freezeQuantity: null, isin: null };
type Told = Pick<Listed, 'exchange' | 'kind' | 'root' | 'brokerSymbol' | 'token'> & Partial<Listed>;

/** A whole row as it must be listed, with its canonical name; a lot of 1 and nothing else beside what is told. */
export const entry = (symbol: string, told: Told): readonly [string, Listed] => [symbol, { ...nothing, lotSize: 1, ...told }];

/** No text in any column makes `read` throw, or yields what no instrument can be. fast-check prints the seed of a failure. */
export function misreadsNothing(master: Master, rows: readonly MasterFields[], files: readonly MasterFile[] = [fileOf(master)]): void {
  const known = rows.flatMap((row) => Object.values(row));
  const text = fc.oneof(fc.constantFrom(...known), fc.constantFrom(...odd), fc.string({ unit: 'binary' }), fc.string(), number);
  const changed = fc.constantFrom(...rows).chain((row) => {
    const columns = fc.subarray(Object.keys(row), { minLength: 1, maxLength: 3 });
    return columns
      .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, text]))))
      .map((change) => ({ ...row, ...change }));
  });
  const any = fc.oneof({ weight: 9, arbitrary: changed }, { weight: 1, arbitrary: fc.dictionary(fc.string(), text) });
  fc.assert(
    fc.property(any, fc.constantFrom(...files), (row, file) => {
      const read = master.read(row, file, TODAY);
      if ('skipped' in read) expect(read.skipped).toMatch(/^[a-z ]+$/);
      else expectPossible(read);
      return true;
    }),
    { numRuns: 1_500 },
  );
}

const odd = [
  '',
  ' ',
  '-1',
  '0',
  'NaN',
  '1e5',
  '65.5',
  '-65',
  '1,000',
  '9'.repeat(400),
  '2026-02-30',
  '31SEP2026',
  '99999999999',
  '__proto__',
];
const number = fc.oneof(fc.integer().map(String), fc.double().map(String));

function expectPossible(read: Listed | Skipped): void {
  if ('skipped' in read) return;
  const { exchange, kind, expiry, strike, tickSize, lotSize, freezeQuantity, root, brokerSymbol, token } = read;
  expect(masterExchanges).toContain(exchange);
  expect(canonicalSymbol(read)).toMatch(/[\p{L}\p{N}]/u);
  expect([root, brokerSymbol, token].every((text) => text.trim() !== '' && !/\p{Cc}/u.test(text))).toBe(true);
  expect(Number.isSafeInteger(lotSize) && lotSize >= 1).toBe(true);
  expect(freezeQuantity === null || (Number.isSafeInteger(freezeQuantity) && freezeQuantity >= lotSize)).toBe(true);
  for (const price of [strike, tickSize]) if (price !== null) expect(price).toMatch(/^(?!0+$)\d+(\.\d*[1-9])?$/);
  const contract = ['FUT', 'CE', 'PE'].includes(kind);
  expect(expiry !== null).toBe(contract);
  expect(strike !== null).toBe(kind === 'CE' || kind === 'PE');
  if (expiry === null) return;
  expect(new Date(`${expiry}T00:00:00Z`).toISOString().slice(0, 10)).toBe(expiry);
  expect(expiry >= TODAY).toBe(true);
}

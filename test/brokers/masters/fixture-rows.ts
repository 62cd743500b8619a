import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Listed, type Master, type MasterFields, type MasterFile, masterExchanges } from '../../../server/brokers/master.ts';
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
  const text = fc.oneof(fc.constantFrom(...known), fc.constantFrom(...odd), fc.string({ unit: character }), fc.string(), number);
  const column = fc.constantFrom(...new Set(rows.flatMap((row) => Object.keys(row))));
  const changes = fc.array(fc.tuple(column, text), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...rows, {}), changes, fc.constantFrom(...files), (row, changed, file) => {
      const read = master.read({ ...row, ...Object.fromEntries(changed) }, file, TODAY);
      const wrong = 'skipped' in read ? [!/^[a-z ]+$/.test(read.skipped) && 'skipped'] : impossibleIn(read);
      // One assertion a run: they cost more than the reading.
      if (wrong.some(Boolean)) expect.fail(`${wrong.filter(Boolean)} in ${JSON.stringify(read)}`);
    }),
    { numRuns: 500 },
  );
}

/** Control characters among them. */
const character = fc.nat(0x2fff).map((code) => String.fromCodePoint(code));
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

/** The members that no instrument can have as they are. */
function impossibleIn(read: Listed): (string | false)[] {
  const { exchange, kind, expiry, strike, tickSize, lotSize, freezeQuantity, root, brokerSymbol, token } = read;
  const contract = ['FUT', 'CE', 'PE'].includes(kind);
  return [
    !masterExchanges.includes(exchange) && 'exchange',
    !/[\p{L}\p{N}]/u.test(canonicalSymbol(read) ?? '') && 'name',
    [root, brokerSymbol, token].some((text) => text.trim() === '' || /\p{Cc}/u.test(text)) && 'text',
    !(Number.isSafeInteger(lotSize) && lotSize >= 1) && 'lotSize',
    freezeQuantity !== null && !(Number.isSafeInteger(freezeQuantity) && freezeQuantity >= lotSize) && 'freezeQuantity',
    tickSize !== null && !price.test(tickSize) && 'tickSize',
    (kind === 'CE' || kind === 'PE') !== (strike !== null && price.test(strike)) && 'strike',
    contract !== (expiry !== null && isDay(expiry) && expiry >= TODAY) && 'expiry',
    !contract && (strike !== null || expiry !== null) && 'terms',
  ];
}

/** Above 0, without zeros at the end. */
const price = /^(?!0+$)\d+(\.\d*[1-9])?$/;

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text;
}

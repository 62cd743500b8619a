import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect } from 'vitest';
import { z } from 'zod';
import {
  type Listed,
  type Master,
  type MasterFields,
  type MasterFile,
  masterExchanges,
  type SkipReason,
  skipReasons,
} from '../../../server/brokers/master.ts';
import { canonicalSymbol } from '../../../server/instruments/name.ts';

/** A Friday before the contracts of the fixtures end. */
export const TODAY = '2026-09-25';

function textOf(id: string, name: string): string {
  return readFileSync(new URL(`../fixtures/${id}/${name}`, import.meta.url), 'utf8');
}

/** The rows of a CSV fixture, names and values trimmed; by its first line, or by `columns`. */
export function csvRows(id: string, name = 'master.csv', columns?: readonly string[]): MasterFields[] {
  const lines = textOf(id, name).trimEnd().split('\n').map(cells);
  const names = columns ?? lines.shift() ?? [];
  return lines.map((line) => Object.fromEntries(names.map((column, at) => [column, line[at] ?? ''])));
}

function cells(line: string): string[] {
  return [...line.matchAll(/(?<=^|,)(?:"([^"]*)"|([^,]*))/g)].map(([, quoted, plain]) => (quoted ?? plain ?? '').trim());
}

const jsonFile = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])));

/** The rows of a JSON fixture, each member as text. */
export function jsonRows(id: string): MasterFields[] {
  const rows = jsonFile.parse(JSON.parse(textOf(id, 'master.json')));
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')])));
}

const someFile: MasterFile = { path: 'master', pack: 'plain', form: 'csv' };

/** The first file of a master, or the one of that path; any where the broker names its files itself. */
export function fileOf(master: Master, path = master.files?.[0]?.path): MasterFile {
  const file = master.files === null ? someFile : master.files.find((each) => each.path === path);
  if (!file) throw new Error(`the master has no file ${path}`);
  return file;
}

type Entry = readonly [name: string | null, Listed];

/** What is listed, whole and with its canonical name in front, and the reason of each row that is not. */
export function readAll(master: Master, rows: readonly MasterFields[], file = fileOf(master)): (Entry | SkipReason)[] {
  return rows.map((row) => {
    const read = master.read(row, file, TODAY);
    return 'skipped' in read ? read.skipped : [canonicalSymbol(read), read];
  });
}

const nothing = { series: null, name: null, expiry: null, strike: null, tickSize: null, freezeQuantity: null, isin: null };
type Told = Pick<Listed, 'exchange' | 'kind' | 'root' | 'brokerSymbol' | 'token'> & Partial<Listed>;

/** A whole row as it must be listed, with its canonical name; a lot of 1 and nothing else beside what is told. */
export const entry = (name: string, told: Told): Entry => [name, { ...nothing, lotSize: 1, ...told }];

/** What a file might hold in the place of anything; control characters among them. */
const character = fc.nat(0x2fff).map((code) => String.fromCodePoint(code));
const odd = fc.oneof(
  fc.string(),
  fc.string({ unit: character }),
  fc.string({ unit: 'binary' }),
  fc.double().map(String),
  fc.bigInt().map(String),
  fc.constantFrom('', ' ', '-1', '0', '00', '-65', '65.5', '1e5', '1e999', '9e9', '1e-9', 'NaN', 'Infinity', '1,000', '0x10', '१२'),
  fc.constantFrom('9'.repeat(10), '9'.repeat(13), '9'.repeat(30), '9'.repeat(400), '__proto__', 'constructor', 'null'),
  fc.constantFrom('2026-02-30', '2026-13-01 00:00:00', '2026-12-29', '31-FEB-2026', '31SEP2026', '99999999999'),
  fc.constantFrom('CE', 'PE', 'FUT', 'XX', 'EQ', 'INDEX'),
);

/**
 * Rows of the fixture with columns taken for other texts or left out: nothing throws, no row is left out for a reason of its own, and what is listed can
 * be. fast-check prints the seed of a failure.
 */
export function misreadsNothing(master: Master, rows: readonly MasterFields[], files: readonly MasterFile[] = [fileOf(master)]): void {
  const known = fc.constantFrom(...rows.flatMap((row) => Object.values(row)));
  const column = fc.constantFrom(...new Set(rows.flatMap((row) => Object.keys(row))));
  const changes = fc.dictionary(column, fc.option(fc.oneof(known, odd), { nil: undefined }), { maxKeys: 4 });
  let good = 0;
  const property = fc.property(fc.constantFrom(...rows, {}), changes, fc.constantFrom(...files), (row, change, file) => {
    const changed = Object.entries({ ...row, ...change }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    const read = master.read(Object.fromEntries(changed), file, TODAY);
    const wrong = 'skipped' in read ? [!skipReasons.includes(read.skipped) && 'skipped'] : impossibleIn(read);
    if (!('skipped' in read)) good += 1;
    // One assertion a run: they cost more than the reading.
    if (wrong.some(Boolean)) expect.fail(`${wrong.filter(Boolean)} in ${JSON.stringify(read)}`);
  });
  fc.assert(property, { numRuns: 1_500 });
  expect(good).toBeGreaterThan(50);
}

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
    tickSize !== null && !isPrice(tickSize) && 'tickSize',
    (kind === 'CE' || kind === 'PE') !== (strike !== null && isPrice(strike)) && 'strike',
    contract !== (expiry !== null && isDay(expiry) && expiry >= TODAY) && 'expiry',
    !contract && (strike !== null || expiry !== null) && 'terms',
  ];
}

/** In its shortest form, above 0 and less than 1e10 rupees. */
function isPrice(text: string): boolean {
  return /^(0|[1-9]\d{0,9})(\.\d*[1-9])?$/.test(text) && Number(text) > 0;
}

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text;
}

import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { BrokerId } from '../../contract/words.ts';
import { master as aliceblue } from '../../server/brokers/aliceblue/master.ts';
import { master as angelone } from '../../server/brokers/angelone/master.ts';
import { master as dhan } from '../../server/brokers/dhan/master.ts';
import { master as fivepaisa } from '../../server/brokers/fivepaisa/master.ts';
import { master as fyers } from '../../server/brokers/fyers/master.ts';
import { master as groww } from '../../server/brokers/groww/master.ts';
import { master as kotak } from '../../server/brokers/kotak/master.ts';
import { type Listed, type Master, type MasterFields, type MasterFile, skipReasons } from '../../server/brokers/master.ts';
import { master as shoonya } from '../../server/brokers/shoonya/master.ts';
import { master as upstox } from '../../server/brokers/upstox/master.ts';
import { master as zerodha } from '../../server/brokers/zerodha/master.ts';
import { tradingDay } from '../../server/clock.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import { credentials as kotakLogin } from '../../server/exchange/kotak/login.ts';
import type { Listed as Fact, Instrument } from '../../server/exchange/types.ts';
import { canonicalSymbol } from '../../server/instruments/name.ts';
import { startPractice } from '../exchange/started.ts';

/** Adapters read what emulators print, both made from the brokers' documents alone: each row is named from the exchange's own facts, or left out for a reason. */

const seed = 1 + Math.floor(Math.random() * 1e6);
console.log(`ten masters: the exchange's seed is ${seed}`);
const host = await startPractice({ listed: 2_000, seed });
afterAll(() => host.close());

const masters: Readonly<Record<BrokerId, Master>> = {
  aliceblue,
  angelone,
  dhan,
  fivepaisa,
  fyers,
  groww,
  kotak,
  shoonya,
  upstox,
  zerodha,
};

async function fetched(address: string, headers: Record<string, string> = {}): Promise<Buffer> {
  const answer = await fetch(address, { headers });
  expect(answer.status, address).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** Unpacked by what the bytes are: fetch has taken off what a header told. */
function unpacked(bytes: Buffer): string {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes).toString();
  if (bytes.subarray(0, 4).toString('latin1') !== 'PK\u0003\u0004') return bytes.toString();
  return Object.values(unzipSync(bytes))
    .map((inner) => Buffer.from(inner).toString())
    .join('');
}

const jsonFile = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])));

function rowsOf(text: string, { form, columns }: MasterFile): MasterFields[] {
  if (form === 'json') {
    return jsonFile
      .parse(JSON.parse(text))
      .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')])));
  }
  const lines = text.split('\n').filter(Boolean).map(cellsOf);
  const names = columns ?? lines.shift() ?? [];
  return lines.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])));
}

function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?<=^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    (quoted?.replaceAll('""', '"') ?? plain ?? '').trim(),
  );
}

const paths = z.object({ data: z.object({ filesPaths: z.array(z.string()) }) });

/** A broker's files; Kotak names its own. */
async function filesOf(broker: BrokerId, address: string): Promise<readonly MasterFile[]> {
  const { files } = masters[broker];
  if (files !== null) return files;
  const list = await fetched(`${address}/script-details/1.0/masterscrip/file-paths`, { authorization: kotakLogin.ACCESS_TOKEN });
  return paths.parse(JSON.parse(list.toString())).data.filesPaths.map((path) => ({ path, pack: 'plain', form: 'csv' }));
}

/** All rows of a broker as they are read; every reason is one of the fixed ones. */
async function readAll(broker: BrokerId): Promise<{ listed: Listed[]; skipped: Record<string, number> }> {
  const address = host.urls[broker]?.master ?? '';
  const listed: Listed[] = [];
  const skipped: Record<string, number> = {};
  for (const file of await filesOf(broker, address)) {
    const whole = URL.canParse(file.path) ? file.path : `${address}/${file.path}`;
    for (const row of rowsOf(unpacked(await fetched(whole)), file)) {
      const read = masters[broker].read(row, file, tradingDay(Date.now()));
      if ('skipped' in read) {
        expect(skipReasons).toContain(read.skipped);
        skipped[read.skipped] = (skipped[read.skipped] ?? 0) + 1;
      } else listed.push(read);
    }
  }
  return { listed, skipped };
}

const monthWords = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** The one name, from the exchange's facts alone. */
function nameOf({ exchange, kind, symbol, underlying, expiry, strike, series }: Fact): string {
  if (kind === 'INDEX') return `${exchange}_INDEX:${underlying}`;
  if (kind === 'EQ') return `${exchange}:${exchange === 'NSE' && series !== 'EQ' ? `${symbol}-${series}` : symbol}`;
  const [year = '', month, day] = (expiry ?? '').split('-');
  return `${exchange}:${underlying}${day}${monthWords[Number(month) - 1]}${year.slice(2)}${kind === 'FUT' ? 'FUT' : `${Number(strike)}${kind}`}`;
}

const isContract = ({ kind }: Fact) => kind !== 'EQ' && kind !== 'INDEX';

/** What stands in the file where it is not what orders name the instrument by. */
const printed: Partial<Record<BrokerId, (one: Fact) => Partial<{ symbol: string; token: string }>>> = {
  // The file has the exchange's name of an index.
  aliceblue: ({ kind, name }) => (kind === 'INDEX' ? { symbol: name } : {}),
  // Quotes and the file know an index by its name, orders by none.
  kotak: ({ kind, name }) => (kind === 'INDEX' ? { token: name } : {}),
  // The file spells contracts in another way than positions do; the key alone counts.
  upstox(one) {
    if (!isContract(one)) return {};
    const [year = '', month, day] = (one.expiry ?? '').split('-');
    const terms = one.kind === 'FUT' ? 'FUT' : `${Number(one.strike)} ${one.kind}`;
    return { symbol: `${one.underlying} ${terms} ${day} ${monthWords[Number(month) - 1]} ${year.slice(2)}` };
  },
};

const facts = [...host.exchange.listed];

/** A broker's second rows. 5paisa lists the first contract of BFO under a lower code too. */
function twinsOf(broker: BrokerId): Fact[] {
  const first = facts.find(({ exchange }) => exchange === 'BFO');
  return broker === 'fivepaisa' && first ? [{ ...first, exchangeToken: first.exchangeToken - 100_000 }] : [];
}

/** Rows that a broker's file has beside those of the exchange, by why they are left out. */
const ownRows: Partial<Record<BrokerId, Record<string, number>>> = {
  dhan: { 'told elsewhere': 1 },
  groww: { 'no symbol': 1 },
  aliceblue: { 'told elsewhere': 1 },
  shoonya: { dummy: 3 },
};

/** What a broker does not list. */
const without: Partial<Record<BrokerId, (one: Instrument) => boolean>> = {
  groww: ({ exchange }) => exchange === 'CDS',
  shoonya: ({ exchange, kind }) => exchange === 'BSE' && kind === 'INDEX',
};

type Terms = Pick<Listed, 'exchange' | 'kind' | 'lotSize' | 'tickSize'>;

/** All that must agree, as one text: lots where they are units at every broker. */
function told(name: string, { symbol, token }: { symbol: string; token: string }, { exchange, kind, lotSize, tickSize }: Terms): string {
  const lot = exchange === 'MCX' || exchange === 'CDS' ? '' : `, lot ${lotSize}`;
  return `${name} is ${symbol} ${token}${kind === 'INDEX' ? '' : `${lot}, tick ${tickSize}`}`;
}

/** How many oddities of each kind there are. */
function countedBy(rows: readonly Fact[]): Record<string, number> {
  const kinds = rows.flatMap(({ oddity }) => oddity ?? []);
  return Object.fromEntries(kinds.map((kind) => [kind, kinds.filter((each) => each === kind).length]));
}

test.each(emulators)('$id: every row is named from the facts of the exchange, or left out for a reason', async ({ id, named }) => {
  const { listed, skipped } = await readAll(id);
  const offered = facts.filter((one) => without[id]?.(one) !== true);
  const wanted = [...offered, ...twinsOf(id)]
    .filter(({ oddity }) => oddity === null)
    .map((one) => told(nameOf(one), { ...named(one), ...printed[id]?.(one) }, { ...one, tickSize: one.tick }));
  const read = listed.map((one) => told(`${one.exchange}:${canonicalSymbol(one)}`, { symbol: one.brokerSymbol, token: one.token }, one));
  expect(new Set(wanted).size).toBe(wanted.length);
  const [inFile, inExchange] = [new Set(read), new Set(wanted)];
  const missing = wanted.filter((one) => !inFile.has(one));
  const strange = read.filter((one) => !inExchange.has(one));
  // A few say enough.
  expect({ missing: missing.slice(0, 5), strange: strange.slice(0, 5) }).toEqual({ missing: [], strange: [] });
  expect(skipped).toEqual({ ...countedBy(offered), ...ownRows[id] });
  expect(read).toHaveLength(wanted.length);
});

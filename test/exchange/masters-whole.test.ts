import { gunzipSync } from 'node:zlib';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { BrokerId } from '../../contract/words.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import { indices } from '../../server/exchange/instruments.ts';
import { credentials as kotakLogin } from '../../server/exchange/kotak/login.ts';
import type { Instrument } from '../../server/exchange/types.ts';
import { linesOf } from './listing.ts';
import { startPractice } from './started.ts';

/** Every instrument and index stands in its broker's master under the name and token that orders name it by, and every row of the exchange is there. */

const host = await startPractice();
afterAll(() => host.close());

async function bytesOf(address: string, headers: Record<string, string> = {}): Promise<Buffer> {
  return Buffer.from(await (await fetch(address, { headers })).arrayBuffer());
}

/** The rows of CSV files by their columns, plain as they are: without quoted commas in what is asked for here. */
function cellsOf(text: string, names: readonly string[]): string[][] {
  const [header = '', ...lines] = linesOf(text);
  const columns = header.split(',');
  return lines.map((line) => names.map((name) => line.split(',')[columns.indexOf(name)]?.trim() ?? ''));
}

const paths = z.object({ data: z.object({ filesPaths: z.array(z.string()) }) });

/** Of each broker: its rows as exchange or segment, symbol and token, and what an instrument should stand as. */
const masters: Partial<
  Record<BrokerId, { rows(master: string): Promise<string[][]>; row(one: Instrument, symbol: string, token: string): string[] }>
> = {
  zerodha: {
    rows: async (master) => cellsOf(String(await bytesOf(`${master}/instruments`)), ['exchange', 'tradingsymbol', 'instrument_token']),
    row: ({ exchange }, symbol, token) => [exchange, symbol, token],
  },
  fivepaisa: {
    rows: async (master) => cellsOf(String(await bytesOf(`${master}/all`)), ['Exch', 'ExchType', 'Name', 'ScripCode']),
    row({ exchange }, symbol, token) {
      const letters = { NSE: 'NC', BSE: 'BC', NFO: 'ND', BFO: 'BD', MCX: 'MD', CDS: 'NU' }[exchange];
      return [...letters, symbol, token];
    },
  },
  shoonya: {
    async rows(master) {
      const files = await Promise.all(
        ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'MCX'].map((exchange) => bytesOf(`${master}/${exchange}_symbols.txt.zip`)),
      );
      const texts = files.flatMap((file) => Object.values(unzipSync(file)).map((bytes) => strFromU8(bytes)));
      return texts.flatMap((text) => cellsOf(text, ['Exchange', 'TradingSymbol', 'Token']));
    },
    row: ({ exchange }, symbol, token) => [exchange, symbol, token],
  },
  upstox: {
    async rows(master) {
      const text = gunzipSync(await bytesOf(`${master}/complete.json.gz`)).toString();
      const rows = z.array(z.object({ instrument_key: z.string() })).parse(JSON.parse(text));
      return rows.map((row) => [row.instrument_key]);
    },
    row: (_one, _symbol, token) => [token],
  },
  kotak: {
    async rows(master) {
      const list = await bytesOf(`${master}/script-details/1.0/masterscrip/file-paths`, { authorization: kotakLogin.ACCESS_TOKEN });
      const files = paths.parse(JSON.parse(list.toString())).data.filesPaths;
      const texts = await Promise.all(files.map(async (file) => String(await bytesOf(file))));
      return texts.flatMap((text) => cellsOf(text, ['pExchSeg', 'pTrdSymbol', 'pSymbol']));
    },
    row({ exchange }, symbol, token) {
      const segments = { NSE: 'nse_cm', BSE: 'bse_cm', NFO: 'nse_fo', BFO: 'bse_fo', MCX: 'mcx_fo', CDS: 'cde_fo' };
      return [segments[exchange], symbol, token];
    },
  },
};
/** Rows of a broker's own beside those of the exchange, or fewer: 5paisa repeats one, Shoonya fills one in and leaves BSE's two indices out. */
const more: Partial<Record<BrokerId, number>> = { fivepaisa: 1, shoonya: 1 - 2 };

const chosen = emulators.flatMap((emulator) => {
  const master = masters[emulator.id];
  return master ? [{ id: emulator.id, emulator, master }] : [];
});

test.each(chosen)('$id lists all of the exchange as its orders name it', async ({ id, emulator, master }) => {
  const rows = await master.rows(host.urls[id]?.master ?? '');
  expect(rows).toHaveLength([...host.exchange.listed].length + (more[id] ?? 0));
  const listed = new Set(rows.map((row) => row.join(' ')));
  const left = id === 'shoonya' ? indices.filter(({ exchange }) => exchange === 'NSE') : indices;
  const wanted = [...host.exchange.instruments, ...left].map((one) => {
    const { symbol, token } = emulator.named(one);
    return master.row(one, symbol, token).join(' ');
  });
  expect(wanted.filter((row) => !listed.has(row))).toEqual([]);
  expect(new Set(wanted).size).toBe(wanted.length);
});

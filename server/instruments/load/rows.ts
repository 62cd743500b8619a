import { JSONParser } from '@streamparser/json';
import Papa from 'papaparse';
import type { MasterFields, MasterFile } from '../../brokers/master.ts';
import { NoFile } from './download.ts';

type Text = AsyncIterable<string>;

/** Longer is no row: somewhere a quote was opened and never closed. */
const ROW_CHARACTERS = 1_000_000;

/**
 * The rows of a file, as many at a time as came with a piece of its text; whoever reads slowly slows the transfer. Rejects on what is no such file: a web
 * page, JSON that breaks off.
 */
export async function* rowsOf(text: Text, { form, columns }: MasterFile): AsyncGenerator<MasterFields[]> {
  let seen = false;
  async function* checked() {
    for await (const piece of text) {
      if (!seen && /^\s*</.test(piece)) throw new Error('it is a web page');
      seen ||= piece.trim() !== '';
      yield piece;
    }
  }
  yield* form === 'json' ? jsonRows(checked()) : csvRows(checked(), columns ?? null);
  if (!seen) throw new NoFile('it is empty');
}

/** By its header, or the names that are given; a line of more or fewer columns has what it has. */
async function* csvRows(text: Text, given: readonly string[] | null): AsyncGenerator<MasterFields[]> {
  let header = given;
  let [rest, newline] = ['', ''];
  function parsed(ignoreLastRow: boolean): MasterFields[] {
    const parser = new Papa.Parser({ delimiter: ',', newline: newline === '\r\n' ? newline : '\n' });
    const { data, meta }: Papa.ParseResult<string[]> = parser.parse(rest, 0, ignoreLastRow);
    rest = rest.slice(meta.cursor);
    if (rest.length > ROW_CHARACTERS) throw new Error('a row of it does not end');
    const lines = data.filter((cells) => cells.length > 1 || (cells[0] ?? '').trim() !== '');
    header ??= lines.shift()?.map((name) => name.trim()) ?? null;
    const names = header;
    return names === null ? [] : lines.map((cells) => lineFields(names, cells));
  }
  for await (const piece of text) {
    rest += piece;
    newline ||= /\r?\n/.exec(rest)?.[0] ?? '';
    if (newline !== '') yield parsed(true);
  }
  yield parsed(false);
}

function lineFields(names: readonly string[], cells: readonly string[]): MasterFields {
  const fields: Record<string, string> = {};
  for (const [at, name] of names.entries()) fields[name] = (cells[at] ?? '').trim();
  return fields;
}

/** Of one array of objects. */
async function* jsonRows(text: Text): AsyncGenerator<MasterFields[]> {
  const parser = new JSONParser({ paths: ['$.*'], keepStack: false });
  let ready: MasterFields[] = [];
  let ended = false;
  parser.onValue = ({ value }) => {
    ready.push(typeof value === 'object' && value !== null ? fieldsOf(value) : {});
  };
  parser.onEnd = () => {
    ended = true;
  };
  for await (const piece of text) {
    parser.write(piece);
    const rows = ready;
    ready = [];
    yield rows;
  }
  if (!ended) throw new Error('the JSON breaks off');
}

function fieldsOf(value: object): MasterFields {
  return Object.fromEntries(Object.entries(value).map(([name, cell]) => [name.trim(), cellText(cell)]));
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell).trim();
}

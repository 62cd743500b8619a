import { readJson } from './parse.ts';

/** Lists that are asked for again and again are fewer. */
const MOST_PATHS = 16;
/** Begins no JSON token, so that a text in which it ends up inside a string is no JSON any more. */
const MARK = '@rows ';

/** A list's text between its first brace and its last, what stands between two rows in it, and what the rows were read as. */
interface Rows {
  text: string;
  comma: string;
  values: readonly object[];
}

/**
 * Reads the JSON texts of one address. An order book is read for every order, and few of its rows change between: a row whose text stood in the
 * text before is the same object, frozen, and costs a comparison. The value is always that of JSON.parse: what is cut out for rows must itself be
 * objects, and what is left, with a mark for each list of them, must be JSON; any other text is read whole.
 */
export class RowCache {
  #before: readonly Rows[] = [];
  /** The rows of such texts cannot be cut out. */
  #whole = false;

  /** The value of a text; undefined when it is no JSON. */
  read(text: string): unknown {
    if (this.#whole) return readJson(text);
    const { groups, rest } = cut(text);
    if (groups.length === 0) return readJson(text);
    const lists = groups.map((group, index) => this.#reread(group, this.#before[index]));
    const value = lists.includes(null) ? null : filledIn(readJson(rest), lists as Rows[]);
    if (value) {
      this.#before = lists as Rows[];
      return value.value;
    }
    this.#before = [];
    const read = readJson(text);
    this.#whole = read !== undefined;
    return read;
  }

  /** Null when a row of these is no object. */
  #reread(text: string, before: Rows | undefined): Rows | null {
    const comma = text.includes('},{') ? '},{' : '}, {';
    const more = before ? appended(text, comma, before) : null;
    const values = before && more ? readAfter(before.values, more) : reread(text.split(comma), before);
    return values && { text, comma, values };
  }
}

/** The rows that came behind those of before; null when these did not stay as they were. Most books grow at their end, and the old rows are not even touched. */
function appended(text: string, comma: string, before: Rows): string[] | null {
  const { length } = before.text;
  if (text.slice(0, length) !== before.text) return null;
  if (text.length === length) return [];
  // The last row of before may be the beginning of a longer one now, and what parts the rows is what parted them.
  const parted = comma === before.comma && text.startsWith(comma, length);
  return parted ? text.slice(length + comma.length).split(comma) : null;
}

function readAfter(before: readonly object[], more: readonly string[]): object[] | null {
  const values = [...before];
  for (const text of more) {
    const value = readRow(text);
    if (!value) return null;
    values.push(value);
  }
  return values;
}

/** A row is looked for at its place, counted from the first and from the last. */
function reread(texts: readonly string[], before: Rows | undefined): object[] | null {
  const known = before ? before.text.split(before.comma) : [];
  const shift = known.length - texts.length;
  const values: object[] = [];
  for (const text of texts) {
    const index = values.length;
    const place = known[index] === text ? index : known[index + shift] === text ? index + shift : -1;
    const value = before?.values[place] ?? readRow(text);
    if (!value) return null;
    values.push(value);
  }
  return values;
}

/** Null when it is no object. */
function readRow(text: string): object | null {
  const value = readJson(`{${text}}`);
  return value === undefined ? null : deepFrozen(value as object);
}

/** The memory of each path; the one not asked for longest goes when there are too many. */
export function rowCaches(): (path: string) => RowCache {
  const known = new Map<string, RowCache>();
  return (path) => {
    const rowCache = known.get(path) ?? new RowCache();
    known.delete(path);
    known.set(path, rowCache);
    for (const oldest of known.keys()) if (known.size > MOST_PATHS) known.delete(oldest);
    return rowCache;
  };
}

/** What looks like the rows of lists of objects, and the text with a mark in place of each list's rows. */
function cut(text: string): { groups: string[]; rest: string } {
  const groups: string[] = [];
  let rest = '';
  let from = 0;
  for (;;) {
    const open = text.indexOf('[{', from);
    const close = open < 0 ? -1 : text.indexOf('}]', open);
    if (close < 0) return { groups, rest: rest + text.slice(from) };
    rest += `${text.slice(from, open)}["${MARK}${groups.length}"`;
    groups.push(text.slice(open + 2, close));
    from = close + 1;
  }
}

/** The value with the rows in place of their marks; null unless each mark stands there once. */
function filledIn(rest: unknown, lists: readonly Rows[]): { value: unknown } | null {
  let found = 0;
  function visit(value: unknown): unknown {
    if (Array.isArray(value)) {
      const rows =
        value.length === 1 && typeof value[0] === 'string' && value[0].startsWith(MARK) && lists[Number(value[0].slice(MARK.length))];
      if (!rows) return value.map(visit);
      found += 1;
      return [...rows.values];
    }
    if (typeof value !== 'object' || value === null) return value;
    for (const [name, member] of Object.entries(value)) (value as Record<string, unknown>)[name] = visit(member);
    return value;
  }
  const value = visit(rest);
  return rest !== undefined && found === lists.length ? { value } : null;
}

function deepFrozen<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) deepFrozen(member);
  return Object.freeze(value);
}

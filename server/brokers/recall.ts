import { readJson } from './parse.ts';

/** Lists that are asked for again and again are fewer. */
const MOST_PATHS = 16;
/** Begins no JSON token, so that a text in which it ends up inside a string is no JSON any more. */
const MARK = '@rows ';

/** Row texts without their braces, and what they were read as. */
interface Rows {
  texts: readonly string[];
  values: readonly object[];
}

/**
 * Reads the JSON texts of one address. An order book is read for every order, and few of its rows change between: a row whose text stood in the
 * text before is the same object, frozen, and costs a comparison. The value is always that of JSON.parse: what is cut out for rows must itself be
 * objects, and what is left, with a mark for each list of them, must be JSON; any other text is read whole.
 */
export class Recall {
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

  /** Null when one of these is no object. A row is looked for at its place, counted from the first and from the last. */
  #reread(texts: readonly string[], before: Rows = { texts: [], values: [] }): Rows | null {
    const shift = before.texts.length - texts.length;
    const values: object[] = [];
    for (const text of texts) {
      const index = values.length;
      const known = before.texts[index] === text ? index : before.texts[index + shift] === text ? index + shift : -1;
      const value = before.values[known] ?? readJson(`{${text}}`);
      if (value === undefined) return null;
      values.push(known < 0 ? deepFrozen(value as object) : (value as object));
    }
    return { texts, values };
  }
}

/** The memory of each path; the one not asked for longest goes when there are too many. */
export function recalls(): (path: string) => Recall {
  const known = new Map<string, Recall>();
  return (path) => {
    const recall = known.get(path) ?? new Recall();
    known.delete(path);
    known.set(path, recall);
    for (const oldest of known.keys()) if (known.size > MOST_PATHS) known.delete(oldest);
    return recall;
  };
}

/** What looks like lists of objects, cut into rows, and the text with a mark in place of each list's rows. */
function cut(text: string): { groups: string[][]; rest: string } {
  const groups: string[][] = [];
  let rest = '';
  let from = 0;
  for (;;) {
    const open = text.indexOf('[{', from);
    const close = open < 0 ? -1 : text.indexOf('}]', open);
    if (close < 0) return { groups, rest: rest + text.slice(from) };
    const rows = text.slice(open + 2, close);
    rest += `${text.slice(from, open)}["${MARK}${groups.length}"`;
    groups.push(rows.split(rows.includes('},{') ? '},{' : '}, {'));
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

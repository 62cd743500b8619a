import { isTradeWord } from './words.ts';

/** Longer values are cut: their length could tell whose they are. */
const LONGEST = 12;
/** So many patterns of one member are told. */
const MOST_PATTERNS = 8;

/** Member names, joined by dots through what stands inside, `[]` for a list's elements, with the patterns of their values. */
export type Shape = Record<string, string[]>;

/** The form of a value: its type, digits as 9, letters as A, other signs as they are; words of trading stay. */
export function patternOf(value: unknown): string {
  if (value === null || typeof value === 'boolean' || value === undefined) return String(value);
  if (typeof value === 'number') return `number ${masked(String(value))}`;
  const text = String(value);
  if (text.trim() === '') return 'text';
  return `text ${isTradeWord(text) ? text : masked(text)}`;
}

function masked(text: string): string {
  return text
    .replaceAll(/\p{N}/gu, '9')
    .replaceAll(/\p{L}|\p{M}/gu, 'A')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, LONGEST);
}

/** What a broker answered, without any value: the shape of one object, or of all rows of a list together. */
export function shapeOf(data: unknown): Shape {
  const patterns = new Map<string, Set<string>>();
  const values = textsOf(data);
  walk(data, '', (path, value) => {
    const known = patterns.get(path) ?? new Set<string>();
    if (known.size < MOST_PATTERNS) known.add(patternOf(value));
    patterns.set(path, known);
  });
  function walk(value: unknown, path: string, tell: (path: string, value: unknown) => void): void {
    if (Array.isArray(value)) {
      for (const each of value) walk(each, `${path}[]`, tell);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) walk(each, `${path && `${path}.`}${memberName(name, values)}`, tell);
    } else tell(path, value);
  }
  return Object.fromEntries([...patterns].map(([path, found]) => [path, [...found].sort()]));
}

/** A name that may be a value itself (an order id, a symbol, a person as the key of a map) is told by its form alone. */
function memberName(name: string, values: ReadonlySet<string>): string {
  const plain = /^[A-Za-z_][A-Za-z_ ]*\d?[A-Za-z_]*$/.test(name) && name.length <= 40;
  return plain && !values.has(name.toLowerCase()) ? name : masked(name);
}

function textsOf(data: unknown, found = new Set<string>()): Set<string> {
  if (typeof data === 'string') found.add(data.toLowerCase());
  else if (typeof data === 'object' && data !== null) for (const each of Object.values(data)) textsOf(each, found);
  return found;
}

const SHORTEST_SECRET = 4;

/** Takes texts out of another, whatever their letter case. */
export function hider(secrets: Iterable<string>): (text: string) => string {
  const longestFirst = [...new Set([...secrets].filter((each) => each.length >= SHORTEST_SECRET))].sort((a, b) => b.length - a.length);
  const escaped = longestFirst.map((each) => each.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = escaped.length > 0 ? new RegExp(escaped.join('|'), 'gi') : null;
  return (text) => (pattern ? text.replaceAll(pattern, '[hidden]') : text);
}

import { Refusal } from './refusal.ts';

export interface Endpoint {
  method: 'GET' | 'POST';
  /** Exact, or ending in `{parameter}` segments. */
  path: string;
}

export interface Match<Entry> {
  entry: Entry;
  /** The path parameters as they stand in the address, still percent-encoded. */
  parameters: readonly Parameter[];
}

export interface Parameter {
  name: string;
  encoded: string;
}

type Find<Entry> = (method: string, url: string) => Match<Entry>;

/**
 * The exact route table: case and trailing slashes count, a path that stands there literally is no parameter, HEAD is served as GET.
 * The returned function throws a Refusal: 404 for an unknown path, 405 with Allow for a path that has other methods.
 */
export function routeTable<Entry extends Endpoint>(entries: readonly Entry[]): Find<Entry> {
  const literal = Map.groupBy(
    entries.filter((entry) => !entry.path.includes('{')),
    (entry) => entry.path,
  );
  const open = entries.filter((entry) => entry.path.includes('{')).map(pattern);

  return (method, url) => {
    const path = pathOf(url);
    const named = literal.get(path)?.map((entry) => ({ entry, parameters: [] }));
    const matches: Match<Entry>[] =
      named ??
      open.flatMap(({ entry, read }) => {
        const parameters = read(path);
        return parameters ? { entry, parameters } : [];
      });
    const wanted = method === 'HEAD' ? 'GET' : method;
    const match = matches.find(({ entry }) => entry.method === wanted);
    if (match) return match;
    if (matches.length === 0) throw new Refusal(404, 'Not found');
    throw new Refusal(405, 'Method not allowed', { headers: { Allow: allowed(matches.map(({ entry }) => entry.method)) } });
  };
}

/** The path of a request target, without its query; an absolute target (as proxies send) loses its origin. */
export function pathOf(url: string): string {
  const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  return /^[^?#]*/.exec(target)?.[0] ?? '';
}

/** The query of a request target. */
export function queryText(url: string): URLSearchParams {
  return new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? '');
}

/** Dot segments, plain or encoded: every URL library removes them, so they name nothing. */
const dotSegment = /^(\.|%2e){1,2}$/i;

function pattern<Entry extends Endpoint>(entry: Entry) {
  const prefix = entry.path.slice(0, entry.path.indexOf('{'));
  const names = entry.path
    .slice(prefix.length)
    .split('/')
    .map((segment) => segment.slice(1, -1));
  function read(path: string): Parameter[] | null {
    const values = path.startsWith(prefix) ? path.slice(prefix.length).split('/') : [];
    if (values.length !== names.length || values.some((value) => value === '' || dotSegment.test(value))) return null;
    return names.map((name, index) => ({ name, encoded: values[index] ?? '' }));
  }
  return { entry, read };
}

function allowed(methods: readonly string[]): string {
  const all = new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])));
  return [...all].sort().join(', ');
}

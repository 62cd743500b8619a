import { importsOf, isRebuilt, type Rule, type Source } from './source.ts';

type Graph = ReadonlyMap<string, readonly string[]>;

function graphOf(files: readonly Source[]): Graph {
  const known = new Set(files.map(({ path }) => path));
  return new Map(files.map((file) => [file.path, importsOf(file).flatMap(({ target }) => (known.has(target) ? target : []))]));
}

/** The shortest way along imports from a file back to itself; null when there is none. */
function circleOf(start: string, graph: Graph): string[] | null {
  const cameFrom = new Map<string, string>();
  for (const queue = [start]; queue.length > 0; ) {
    const at = queue.shift() ?? start;
    for (const next of graph.get(at) ?? []) {
      if (next === start) return wayBack(at, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      queue.push(next);
    }
  }
  return null;
}

function wayBack(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const before = cameFrom.get(end);
  return before === undefined ? [end] : [...wayBack(before, cameFrom), end];
}

/** Each circle once, told from its first file in order of names. */
function circles(files: readonly Source[]): string[] {
  const graph = graphOf(files);
  const found = [...graph.keys()].map((path) => circleOf(path, graph));
  return found.flatMap((circle) => {
    if (!circle || circle.every(isRebuilt) || circle.some((path) => path < (circle[0] ?? ''))) return [];
    return [[...circle, circle[0]].join(' -> ')];
  });
}

export const circleRule: Rule = {
  name: 'no file imports one that leads back to it, types included',
  breaches: circles,
  bad: [
    [
      { path: 'test/a.ts', text: "import type { B } from './b.ts';" },
      { path: 'test/b.ts', text: "import type { A } from './a.ts';" },
    ],
    [
      { path: 'server/orders/a.ts', text: "export * from './b.ts';" },
      { path: 'server/orders/b.ts', text: "import { c } from './c.ts';" },
      { path: 'server/orders/c.ts', text: "const a = await import('./a.ts');" },
    ],
    [{ path: 'sdk/a.ts', text: "import type { A } from './a.ts';" }],
  ],
};

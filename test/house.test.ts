import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Source {
  /** From the root of the repository. */
  path: string;
  text: string;
}

interface Import {
  /** A package's name, or the path of our own file from the root of the repository. */
  target: string;
  statement: string;
}

interface Rule {
  name: string;
  /** What this file does against the rule, one text each. */
  breaches(file: Source): string[];
  /** Files that break it: the proof that the rule bites. */
  bad: Source[];
}

const root = new URL('..', import.meta.url);
const LINE_LIMIT = 400;

function sources(): Source[] {
  return ['contract', 'server', 'sdk', 'drizzle', 'test', 'bench']
    .flatMap((folder) => readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
    .filter((path) => /\.(ts|js|css)$/.test(path) && !/(^|\/)(node_modules|generated|dist|\.tmp)\//.test(path))
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));
}

function importsOf({ path, text }: Source): Import[] {
  const statements = /\b(?:import|export)\b[^'"`;()]*\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(statements)].map(([statement, named, bare]) => {
    const specifier = named ?? bare ?? '';
    return { target: specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier, statement };
  });
}

/** A rule on imports: in files under `where`, an import for which `allowed` is false is a breach. */
function importRule(name: string, where: RegExp, allowed: (found: Import, path: string) => boolean, bad: Source[]): Rule {
  return {
    name,
    bad,
    breaches: (file) =>
      where.test(file.path)
        ? importsOf(file)
            .filter((found) => !allowed(found, file.path))
            .map((found) => found.target)
        : [],
  };
}

/** A rule on words: in files under `where`, code that matches is a breach; comments and texts may say anything. */
function wordRule(name: string, where: (path: string) => boolean, words: RegExp, bad: Source[]): Rule {
  return { name, bad, breaches: (file) => (where(file.path) ? [...code(file.text).matchAll(words)].map(([word]) => word) : []) };
}

function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, (match) =>
    match.startsWith('/') ? ' ' : "''",
  );
}

const brokerFolder = (path: string) => /^server\/brokers\/([^/]+)\//.exec(path)?.[1];
const inServer = (path: string) => path.startsWith('server/') && !path.startsWith('server/http/docs/');
/** main.ts is outside the replayable gateway: it ends a process whose own shutdown hangs. */
const clockOnly = (path: string) => inServer(path) && path !== 'server/clock.ts' && path !== 'server/start.ts';

const rules: Rule[] = [
  importRule(
    'the contract imports zod alone, plus one type of trpc-to-openapi',
    /^contract\//,
    ({ target, statement }) =>
      target.startsWith('contract/') ||
      target === 'zod' ||
      (target === 'trpc-to-openapi' && /^import type \{ OpenApiMeta \}/.test(statement)),
    [
      { path: 'contract/a.ts', text: "import { systemClock } from '../server/clock.ts';" },
      { path: 'contract/a.ts', text: "import { type OpenApiMeta, generateOpenApiDocument } from 'trpc-to-openapi';" },
      { path: 'contract/a.ts', text: "export * from 'node:fs';" },
    ],
  ),
  importRule('brokers never import the exchange', /^server\/brokers\//, ({ target }) => !target.startsWith('server/exchange/'), [
    { path: 'server/brokers/dhan/wire.ts', text: "import {\n  statuses,\n} from '../../exchange/dhan.ts';" },
  ]),
  importRule('the exchange never imports brokers', /^server\/exchange\//, ({ target }) => !target.startsWith('server/brokers/'), [
    { path: 'server/exchange/dhan/emulator.ts', text: "import type { Wire } from '../../brokers/dhan/wire.ts';" },
  ]),
  importRule(
    'orders, books and feed know the Broker interface, never a broker',
    /^server\/(orders|books|feed)\//,
    ({ target }) =>
      !target.startsWith('server/brokers/') ||
      /^server\/brokers\/(account|broker|door|feed|instrument|(order|read)-budget|shared-read|wake)\.ts$/.test(target),
    [
      { path: 'server/orders/place.ts', text: "import { dhan } from '../brokers/dhan/adapter.ts';" },
      { path: 'server/books/book.ts', text: "const names = await import('../brokers/index.ts');" },
    ],
  ),
  importRule(
    'orders stand above the journal, the journal above books and database, those above brokers',
    /^server\/(journal|books|feed|db|brokers)\//,
    ({ target }, path) => {
      const above = path.startsWith('server/journal/') ? /^server\/(orders|session|http)\// : /^server\/(orders|journal|session|http)\//;
      return !above.test(target) && !(path.startsWith('server/brokers/') && /^server\/(books|feed|db)\//.test(target));
    },
    [
      { path: 'server/journal/move.ts', text: "import { Entry } from '../orders/entry.ts';" },
      { path: 'server/books/watch.ts', text: "import type { Journal } from '../journal/journal.ts';" },
      { path: 'server/brokers/account.ts', text: "import type { Watched } from '../books/watched.ts';" },
    ],
  ),
  importRule(
    "a broker's folder is its own; only brokers/index.ts names all ten",
    /^server\//,
    ({ target }, path) => {
      const folder = brokerFolder(target);
      return folder === undefined || folder === brokerFolder(path) || path === 'server/brokers/index.ts';
    },
    [
      { path: 'server/main.js', text: "import { login } from './brokers/dhan/login.ts';" },
      { path: 'server/brokers/dhan/wire.ts', text: "export { words } from '../fyers/wire.ts';" },
    ],
  ),
  importRule('the sdk comes from openapi.json alone', /^sdk\//, ({ target }) => !/^(contract|server|drizzle|test|bench)\//.test(target), [
    { path: 'sdk/index.ts', text: "import type { PlaceOrderRequest } from '../contract/orders.ts';" },
  ]),
  wordRule(
    'the environment is read in config.ts alone',
    (path) => /^(contract|server|sdk)\//.test(path) && path !== 'server/config.ts',
    /\bprocess\s*\.\s*(env|loadEnvFile)\b|\benv\b[^;\n]*\bfrom\b/g,
    [
      { path: 'server/main.js', text: 'const port = process.env.PORT;' },
      { path: 'sdk/index.ts', text: "import { env } from 'node:process';" },
    ],
  ),
  wordRule(
    'time comes from clock.ts',
    clockOnly,
    /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bhrtime\b|(?<![.\w])set(Timeout|Interval)\b/g,
    [
      { path: 'server/a.ts', text: 'const at = Date.now();' },
      { path: 'server/a.ts', text: 'const at = new Date( );' },
      { path: 'server/a.ts', text: 'const from = performance.now();' },
      { path: 'server/a.ts', text: "import { setTimeout as delay } from 'node:timers/promises';" },
    ],
  ),
  // randomUUID stays allowed: it names temporary things and decides nothing.
  wordRule('chance comes from clock.ts', clockOnly, /\bMath\.random\b|\brandomBytes\b|\brandomInt\b|\bgetRandomValues\b/g, [
    { path: 'server/a.ts', text: 'if (Math.random() < 0.5) retry();' },
    { path: 'server/a.ts', text: "import { randomBytes } from 'node:crypto';" },
  ]),
  wordRule('no any', () => true, /(?<=[:<,|&(]\s*|\bas\s+)\bany\b(?!['\w])/g, [
    { path: 'server/a.ts', text: 'const value: any = 1;' },
    { path: 'test/a.ts', text: 'const value = [] as any[];' },
    { path: 'bench/a.ts', text: 'const values = new Map<string, any>();' },
  ]),
  {
    // A type test may expect an error: it fails when there is none.
    name: 'no silenced type error and nothing left to do',
    breaches: ({ text }) => text.match(new RegExp(`^\\s*/[/*]\\s*@ts-(ignore|nocheck)|\\b(TO${'DO'}|FIX${'ME'})\\b`, 'gm')) ?? [],
    bad: [
      { path: 'server/a.ts', text: 'call();\n  // @ts-ignore' },
      { path: 'server/a.ts', text: `// TO${'DO'}: finish` },
    ],
  },
  {
    name: `no file over ${LINE_LIMIT} lines`,
    breaches: ({ text }) => (text.split('\n').length - 1 > LINE_LIMIT ? [`${text.split('\n').length - 1} lines`] : []),
    bad: [{ path: 'server/a.ts', text: 'line\n'.repeat(LINE_LIMIT + 1) }],
  },
];

describe('the house', () => {
  const files = sources();

  it('is read whole', () => {
    expect(files.map((file) => file.path)).toEqual(
      expect.arrayContaining(['contract/index.ts', 'server/http/app.ts', 'test/house.test.ts']),
    );
  });

  for (const rule of rules) {
    it(rule.name, () => {
      const breaches = files.flatMap((file) => rule.breaches(file).map((breach) => `${file.path}: ${breach}`));
      expect(breaches).toEqual([]);
    });

    it(`bites: ${rule.name}`, () => {
      for (const sample of rule.bad) expect(rule.breaches(sample), sample.text.slice(0, 80)).not.toEqual([]);
    });
  }
});

import { fileRule, type Rule, type Source } from './source.ts';

/** A rule on words: in files under `where`, code that matches is a breach; comments and texts may say anything. */
function wordRule(name: string, where: (path: string) => boolean, words: RegExp, bad: Source[]): Rule {
  return fileRule(name, ({ path, text }) => (where(path) ? [...code(text).matchAll(words)].map(([word]) => word) : []), bad);
}

function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, (match) =>
    match.startsWith('/') ? ' ' : "''",
  );
}

/** What runs in a browser has its clock and its chance. */
const inServer = (path: string) => path.startsWith('server/') && !/^server\/http\/(docs|console\/page)\//.test(path);
/** start.ts is outside the replayable gateway: it ends a process whose own shutdown hangs. */
const clockOnly = (path: string) => inServer(path) && path !== 'server/clock.ts' && path !== 'server/start.ts';

export const wordRules: readonly Rule[] = [
  wordRule(
    'the environment is read in one file alone',
    // The samples are programs of others, which read their own; few-arenas.js hands all of it on to the same program.
    (path) =>
      /^(contract|server|sdk)\//.test(path) && !/^server\/(config\/environment\.ts|api\/openapi-samples\.ts|few-arenas\.js)$/.test(path),
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
  // A type test may expect an error: it fails when there is none.
  fileRule(
    'no silenced type error and nothing left to do',
    ({ text }) => text.match(new RegExp(`^\\s*/[/*]\\s*@ts-(ignore|nocheck)|\\b(TO${'DO'}|FIX${'ME'})\\b`, 'gm')) ?? [],
    [
      { path: 'server/a.ts', text: 'call();\n  // @ts-ignore' },
      { path: 'server/a.ts', text: `// TO${'DO'}: finish` },
    ],
  ),
];

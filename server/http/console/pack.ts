import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import { libraries, STYLE, withAddresses } from './libraries.ts';

/** Prints everything the console serves, by its path, plain and packed. Run by console.ts, with the names of the page's files. */
const files = process.argv.slice(2);

function fileOf(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/** A module as a browser takes it: types become blanks, so that lines and columns stay those of the file. */
function moduleOf(name: string): string {
  const text = fileOf(`page/${name}`);
  return name.endsWith('.ts') ? withAddresses(stripTypeScriptTypes(text)) : text;
}

const modules = files
  .filter((name) => !name.startsWith('style/'))
  .map((name): [path: string, text: string] => [`/console/page/${name}`, moduleOf(name)]);
const packages = Object.values(libraries).map(({ path, file }): [string, string] => {
  const text = readFileSync(new URL(import.meta.resolve(file)), 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
  return [path, withAddresses(text)];
});

/** The stylesheets, in the order in which they rely on each other: one answer, because nothing is drawn before the last of them is there. */
const sheets = ['tokens', 'parts', 'forms', 'table', 'dialogs', 'shell', 'states', 'views', 'panels'];
const style: [string, string] = [STYLE, sheets.map((name) => fileOf(`page/style/${name}.css`)).join('\n')];

const texts = new Map([...modules, ...packages, style]);

/** The module at a path and all that it imports before it runs; views come when they are opened. */
function needed(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, target = ''] of (texts.get(path) ?? '').matchAll(/\bfrom\s*['"]([./][^'"]+)['"]/g))
    needed(posix.resolve(posix.dirname(path), target), found);
  return found;
}

/** Asked for at once, not one import after the other. */
const preloads = [...needed('/console/page/main.ts')].map((path) => `<link rel="modulepreload" href="${path}">`).join('\n    ');
const index = fileOf('index.html').replace('<!-- modules -->', preloads);

const all: [string, string][] = [['/console', index], ['/console/callback', index], ...texts];
const packed = all.map(([path, body]) => [path, { body, gzip: gzipSync(body, { level: 9 }).toString('base64') }]);
process.stdout.write(JSON.stringify(Object.fromEntries(packed)));

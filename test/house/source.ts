import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

export interface Source {
  /** From the root of the repository. */
  path: string;
  text: string;
}

export interface Import {
  /** A package's name, or the path of our own file from the root of the repository. */
  target: string;
  statement: string;
}

export interface Rule {
  name: string;
  /** What the files do against the rule, one text each that begins with the file. */
  breaches(files: readonly Source[]): string[];
  /** Houses that break it, of one file or several: the proof that the rule bites. */
  bad: readonly (readonly Source[])[];
}

/** Folders that are being rebuilt: the rules on size and circles leave them alone. Empty but for such a time. */
const until: readonly string[] = [];

const root = new URL('../..', import.meta.url);

export function sources(): Source[] {
  return ['contract', 'server', 'sdk', 'drizzle', 'test', 'bench']
    .flatMap((folder) => readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
    .filter((path) => /\.(ts|js|css)$/.test(path) && !/(^|\/)(node_modules|generated|dist|\.tmp)\//.test(path))
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));
}

export function isProduct(path: string): boolean {
  return /^(contract|server|sdk|bench)\//.test(path);
}

export function isRebuilt(path: string): boolean {
  return until.some((folder) => path.startsWith(folder));
}

export function importsOf({ path, text }: Source): Import[] {
  const statements = /\b(?:import|export)\b[^'"`;()]*\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(statements)].map(([statement, named, bare]) => {
    const specifier = named ?? bare ?? '';
    return { target: specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier, statement };
  });
}

/** A rule on each file by itself. */
export function fileRule(name: string, breaches: (file: Source) => string[], bad: readonly Source[]): Rule {
  return {
    name,
    breaches: (files) => files.flatMap((file) => breaches(file).map((breach) => `${file.path}: ${breach}`)),
    bad: bad.map((file) => [file]),
  };
}

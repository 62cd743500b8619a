// This file and the two it imports are JavaScript, because Node takes types out of a file with a compiler of its own, in WebAssembly, which then stays in
// memory (20 MB) for the life of the process. What it makes is kept in the compile cache: where that is filled before the first TypeScript file, the
// compiler is not loaded.
import './few-arenas.js';
import './fast-imports.js';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Loads everything, which fills the cache, and starts nothing. */
const LOAD_ONLY = '--load-only';

/** Nothing was kept for this version of Node and its flags yet: the first start. Another process loads everything then, and takes the compiler with it. */
function fillCache() {
  const directory = getCompileCacheDir();
  if (!directory || readdirSync(directory).length > 0) return;
  const flags = process.execArgv.filter((flag) => !/^--(watch|inspect)/.test(flag));
  spawnSync(process.execPath, [...flags, fileURLToPath(import.meta.url), LOAD_ONLY], { stdio: 'ignore', timeout: 10_000 });
}

// Not static imports: they would be loaded before the line above runs.
if (process.argv.includes(LOAD_ONLY)) {
  await Promise.all([import('./start.ts'), import('./exchange/practice.ts'), import('./instruments/load/load.ts')]);
} else {
  fillCache();
  const { start } = await import('./start.ts');
  await start();
}

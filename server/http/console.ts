import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { libraries, STYLE } from './console/libraries.ts';
import type { Page, Served } from './page.ts';

const folder = new URL('./console/', import.meta.url);
const types: Readonly<Record<string, string>> = { '.ts': 'js', '.css': 'css', '.svg': 'svg' };
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The console: our page's files as they stand in console/page, without their types, and the few libraries they import. Made ready at the first request,
 * by a process of its own, so that neither the compiler that takes types out nor the packing costs this process memory or an order time.
 */
export function consolePages(): Page[] {
  const files = pageFiles();
  let ready: Promise<ReadonlyMap<string, Served>> | null = null;
  async function content(path: string): Promise<Served> {
    ready ??= pack(files);
    const pages = await ready.catch((error: unknown) => {
      ready = null;
      throw error;
    });
    const page = pages.get(path);
    if (!page) throw new Error(`The console was made ready without ${path}`);
    return page;
  }
  const paths = [
    STYLE,
    ...files.filter((name) => !name.startsWith('style/')).map((name) => `/console/page/${name}`),
    ...Object.values(libraries).map(({ path }) => path),
  ];
  return [
    ...['/console', '/console/callback'].map((path) => ({ path, type: 'html' })),
    ...paths.map((path) => ({ path, type: types[extname(path)] ?? 'js' })),
  ].map(({ path, type }) => ({ method: 'GET', path, type, content: () => content(path) }));
}

function pageFiles(): string[] {
  const names = readdirSync(new URL('page/', folder), { recursive: true, encoding: 'utf8' });
  return names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => extname(name) in types)
    .sort();
}

async function pack(files: readonly string[]): Promise<ReadonlyMap<string, Served>> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('pack.ts', folder)), ...files],
    { maxBuffer: MOST_BYTES, timeout: 30_000 },
  );
  const packed = JSON.parse(stdout) as Record<string, { body: string; gzip: string }>;
  return new Map(Object.entries(packed).map(([path, { body, gzip }]) => [path, { body, gzip: Buffer.from(gzip, 'base64') }]));
}

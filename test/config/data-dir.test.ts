import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { prepareDataDir } from '../../server/config/data-dir.ts';

it('DATA_DIR and the folders above it that were missing are closed to others; root lets PostgreSQL pass', () => {
  const home = mkdtempSync(join(tmpdir(), 'gateway-data-dir-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  prepareDataDir(join(home, 'a/b'));
  const mode = (path: string) => (statSync(join(home, path)).mode & 0o777).toString(8);
  const wanted = process.getuid?.() === 0 ? '711' : '700';
  expect([mode('a'), mode('a/b')]).toEqual([wanted, wanted]);
});

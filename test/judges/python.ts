import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_MS = 240_000;

/** Where there is no Python, or no PyPI to install from. */
export class Missing extends Error {}

/** A Python with the packages of a folder's requirements.txt, installed when the file changed; rejects with Missing. `name`: whose they are. */
export async function pythonWith(name: 'judges' | 'clients' | 'fuzz' | 'operations'): Promise<string> {
  const requirements = fileURLToPath(new URL(`../${name}/requirements.txt`, import.meta.url));
  const cache = fileURLToPath(new URL(`../../node_modules/.cache/${name}-python/`, import.meta.url));
  const home = join(cache, 'venv');
  const python = join(home, 'bin/python');
  const stamp = join(cache, 'installed.txt');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(python)) return python;
  const found = await newEnoughPython();
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  try {
    await run(found, ['-m', 'venv', home], { timeout: INSTALL_MS });
    // The list is whole: packages pin versions against each other, so nobody is to resolve them.
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements];
    await run(python, install, { timeout: INSTALL_MS });
  } catch (error) {
    throw new Missing(`the packages cannot be installed: ${lastLine(error)}`);
  }
  writeFileSync(stamp, wanted);
  return python;
}

/** The pinned versions have packages for these Pythons. */
async function newEnoughPython(): Promise<string> {
  for (const name of ['python3.11', 'python3.12', 'python3.13', 'python3']) {
    const enough = 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))';
    const works = await run(name, ['-c', enough]).then(
      () => true,
      () => false,
    );
    if (works) return name;
  }
  throw new Missing('there is no Python 3.11 to 3.13 with venv');
}

function lastLine(error: unknown): string {
  const { stderr = '', message = '' } = error as { stderr?: string; message?: string };
  return (stderr || message).trim().split('\n').at(-1) ?? '';
}

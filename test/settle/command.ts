import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { fromCache } from '../support/process.ts';

const cli = fileURLToPath(new URL('../../server/settle/cli.ts', import.meta.url));

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs `npm run orders -- <args>` without npm, with these settings alone. */
export function orders(settings: Record<string, string>, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, ...settings };
    const child = execFile(process.execPath, [...fromCache, cli, ...args], { cwd: tmpdir(), env }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out: out.trim(), err: err.trim() }),
    );
  });
}

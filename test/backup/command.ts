import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fromCache } from '../support/process.ts';

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

const program = (name: 'backup' | 'restore') => fileURLToPath(new URL(`../../server/backup/${name}-cli.ts`, import.meta.url));

/** `npm run backup` or `npm run restore`, without npm. `before`: a command line that starts it; `killAfterMs`: kill -9. */
export async function run(
  name: 'backup' | 'restore',
  args: readonly string[],
  env: Record<string, string>,
  { before = [], killAfterMs }: { before?: readonly string[]; killAfterMs?: number } = {},
): Promise<Ended> {
  const [file = '', ...rest] = [...before, process.execPath, ...fromCache, program(name), ...args];
  const clean = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(DATABASE_URL|GATEWAY_|DATA_DIR)/.test(key)));
  const child = spawn(file, rest, { env: { ...clean, GATEWAY_MODE: 'practice', ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  return await new Promise((resolve) =>
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, out, err });
    }),
  );
}

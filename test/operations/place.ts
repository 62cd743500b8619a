import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** A clean checkout in `folder`: what git knows, as it stands, and the packages that `npm ci` put here. `only`: nothing but these of it. */
export function checkOut(folder: string, only?: readonly string[]): string {
  const known = execFileSync('git', ['ls-files', '-z'], { cwd: repository, encoding: 'utf8' }).split('\0').filter(Boolean);
  const wanted = only ? known.filter((path) => only.some((one) => path === one || path.startsWith(`${one}/`))) : known;
  for (const path of wanted.filter((one) => existsSync(join(repository, one)))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(repository, path), join(folder, path));
  }
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** What a person's shell has, and nothing of ours. */
function shellEnv(folder: string, settings: Record<string, string> = {}): Record<string, string> {
  const path = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`;
  return { PATH: path, HOME: folder, npm_config_update_notifier: 'false', ...settings };
}

export interface Ended {
  code: number | null;
  out: string;
  all: string;
}

/** Runs a text of commands by bash in `folder`. */
export async function bash(commands: string, folder: string): Promise<Ended> {
  const child = spawn('bash', ['-c', commands], { cwd: folder, env: shellEnv(folder), stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out: out.trim(), all: `${out}${errors}`.trim() };
}

export interface Running {
  child: ChildProcess;
  screen(): string;
  /** Sends a signal, waits for the end; its code, and the ms it took. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }>;
}

/** Starts a gateway in a checkout by such a command; resolves at its first screen. */
export async function startIn(folder: string, command: readonly string[], settings: Record<string, string>): Promise<Running> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd: folder, env: shellEnv(folder, settings), stdio: ['ignore', 'pipe', 'pipe'] });
  let [screen, errors] = ['', ''];
  child.stderr.on('data', (piece) => {
    errors += piece;
  });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${errors}`)));
    child.stdout.on('data', (piece) => {
      screen += piece;
      if (screen.includes('Try it:')) resolve();
    });
  });
  return {
    child,
    screen: () => screen,
    async end(signal) {
      const began = performance.now();
      const gone = once(child, 'exit');
      child.kill(signal);
      const [code] = await gone;
      return { code, ms: performance.now() - began };
    },
  };
}

/** The flags of `npm start`. */
export function startCommand(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  return String(scripts.start).split(' ');
}

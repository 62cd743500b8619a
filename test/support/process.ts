import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { descendants } from '../../server/db/embedded/descendants.ts';

export const main = fileURLToPath(new URL('../../server/main.js', import.meta.url));
/** Node's flags of `npm start`. */
export const flags = String(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).scripts.start)
  .split(' ')
  .filter((word) => word.startsWith('--'));

/** Node's arguments for a child that is TypeScript of ours: it takes from the compile cache what an earlier one has compiled. */
export const fromCache = ['--import', new URL('../../server/fast-imports.js', import.meta.url).href];

export interface GatewayProcess {
  child: ChildProcess;
  url: string;
  token: string;
  /** Everything printed on stdout so far. */
  screen(): string;
  /** Everything printed on stderr so far. */
  errors(): string;
  /** Milliseconds from spawn to the first screen. */
  readyMs: number;
  /** kill -9 of the gateway and everything it started. */
  killTree(): Promise<void>;
  /** Sends a signal and waits for the end; ms it took. */
  end(signal: NodeJS.Signals): Promise<number>;
}

/**
 * `npm start` without npm: a gateway process of its own, on a free port unless PORT is given. Rejects with what it printed when it ends before it is ready.
 * `program`: another entry than server/main.js, with its arguments. `descriptors`: how many files and sockets it may have open.
 */
export async function startProcess(
  env: Record<string, string>,
  program: readonly string[] = [main],
  { descriptors }: { descriptors?: number } = {},
): Promise<GatewayProcess> {
  const began = performance.now();
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(DATABASE_URL|GATEWAY_|BROKERS$|PORT$|VITEST|NODE_OPTIONS)/.test(name)),
  );
  const limit = descriptors === undefined ? [] : ['sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh'];
  const [file = '', ...args] = [...limit, process.execPath, ...flags, ...program];
  const child = spawn(file, args, {
    // Said here and not left to a .env in the working directory, which could name a real broker.
    env: {
      ...inherited,
      GATEWAY_MODE: 'practice',
      BROKERS: 'zerodha',
      DATABASE_URL: '',
      PORT: '0',
      HOST: '127.0.0.1',
      OPS_PORT: '0',
      LOG_LEVEL: 'warn',
      ...env,
    },
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let screen = '';
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      screen += chunk;
      const address = /Address\s+(http\S+)[\s\S]*Try it/.exec(screen);
      if (address?.[1]) resolve(address[1].replace('localhost', '127.0.0.1'));
    });
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${errors}`)));
  });
  const readyMs = performance.now() - began;
  const token = env.GATEWAY_TOKEN ?? readFileSync(join(env.DATA_DIR ?? 'data', 'token'), 'utf8').trim();
  return {
    child,
    url,
    token,
    readyMs,
    screen: () => screen,
    errors: () => errors,
    async killTree() {
      const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();
      for (const pid of [child.pid ?? 0, ...descendants(child.pid ?? 0)]) kill(pid);
      await gone;
    },
    async end(signal) {
      const from = performance.now();
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
      return performance.now() - from;
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

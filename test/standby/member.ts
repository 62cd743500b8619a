import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { BrokerId } from '../../contract/words.ts';
import { systemClock, systemRandom } from '../../server/clock.ts';
import { emulators, practiceCredentials } from '../../server/exchange/emulators.ts';
import { createExchange } from '../../server/exchange/exchange.ts';
import { silentLog } from '../../server/log.ts';
import type { Door } from '../chaos/orders.ts';
import { startProxy, type Wire } from '../chaos/proxy.ts';
import type { Venue } from '../chaos/venue.ts';
import { flags, main } from '../support/process.ts';

export const TOKEN = 'standby-strikes-of-two-who-lead-in-turn';
const KEY = 'standby-test-vault-key-0123456789-012345';
const Status = z.object({ status: z.string(), broker: z.string().nullable() });

/** A request that changes something, whole, as it left a gateway for its broker. */
export interface Departure {
  /** Epoch ms, by this process. */
  at: number;
  member: string;
  line: string;
}

/** One of the two gateways of a pair: its process may end, and starts again in the same place. */
export class Member implements Door {
  readonly url: string;
  readonly token = TOKEN;
  readonly name: string;
  readonly #env: Record<string, string>;
  readonly #wire: Wire;
  #child: ChildProcess | null = null;
  #said = '';

  constructor(port: number, env: Record<string, string>, wire: Wire, name: string) {
    this.url = `http://127.0.0.1:${port}`;
    this.name = name;
    this.#env = env;
    this.#wire = wire;
  }

  get alive(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  gone = (): boolean => !this.alive;

  /** The newest of what it printed. */
  get said(): string {
    return this.#said.slice(-4000);
  }

  /** Starts its process unless one is there; it stands by or leads when it answers. */
  start(): void {
    if (this.alive) return;
    const child = spawn(process.execPath, [...flags, main], {
      env: this.#env,
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece) => {
        this.#said = (this.#said + piece).slice(-20_000);
      });
    this.#child = child;
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  async ended(): Promise<void> {
    if (this.#child && this.alive) await once(this.#child, 'exit');
  }

  async kill(): Promise<void> {
    const gone = this.ended();
    this.signal('SIGKILL');
    await gone;
  }

  /** What its root path says; null when it does not answer. */
  async status(): Promise<z.infer<typeof Status> | null> {
    try {
      const answer = await fetch(`${this.url}/`, { signal: AbortSignal.timeout(1000) });
      return Status.parse(await answer.json());
    } catch {
      return null;
    }
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#wire.close();
  }
}

/** A gateway with STANDBY=on at `databaseUrl`, every request of it that changes something noted in `departures`. Not started. */
export async function createMember(options: {
  venue: Venue;
  broker: BrokerId;
  dataDir: string;
  databaseUrl: string;
  departures: Departure[];
}): Promise<Member> {
  const { venue, broker, databaseUrl, departures } = options;
  const port = await freePort();
  const wire = await startProxy(venue.portOf(broker));
  const name = broker.toUpperCase();
  const through = (url: string) => url.replace(`:${venue.portOf(broker)}`, `:${wire.port}`);
  const { api, login, feed } = venue.urls[broker];
  const credentials = Object.entries(practiceCredentials(broker)).map(([setting, value]) => [`${name}_${setting}`, value]);
  const dataDir = join(options.dataDir, `gateway-${port}`);
  mkdirSync(dataDir, { recursive: true });
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
    GATEWAY_MODE: 'practice',
    STANDBY: 'on',
    GATEWAY_TOKEN: TOKEN,
    VAULT_KEY: KEY,
    BROKERS: broker,
    PRACTICE_LIMITS: 'off',
    HOST: '127.0.0.1',
    OPS_PORT: '0',
    PORT: String(port),
    LOG_LEVEL: 'info',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    [`${name}_API_URL`]: through(api),
    [`${name}_LOGIN_URL`]: through(login),
    [`${name}_FEED_URL`]: through(feed),
    ...Object.fromEntries(credentials),
  };
  const member = new Member(port, env, wire, String(port));
  const changes = changingLines(broker);
  wire.watch({
    places(line) {
      if (changes(line)) departures.push({ at: Date.now(), member: member.name, line });
      return false;
    },
  });
  return member;
}

/** Tells requests that place, change or cancel by their first line: the practice exchange's own routes say which they are. */
function changingLines(broker: BrokerId): (line: string) => boolean {
  const exchange = createExchange({ clock: systemClock, log: silentLog(), seed: 1 });
  const routes = emulators.find((emulator) => emulator.id === broker)?.serve(exchange).routes ?? [];
  exchange.close();
  const patterns = routes
    .filter(({ operation }) => ['place', 'modify', 'cancel'].includes(operation))
    .map(({ method, path }) => new RegExp(`^${method} ${path.replace(/:\w+/g, '[^/ ?]+')}[ ?]`));
  return (line) => patterns.some((pattern) => pattern.test(line));
}

/** Below the ports that systems hand out by themselves, or somebody else's gateway might answer on it while ours is away. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(systemRandom.next() * 20_000);
    const probe = createServer();
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../../server/clock.ts';
import { openBeside } from '../../server/db/beside.ts';
import { silentLog } from '../../server/log.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';

/** What happens to a listening client and its gateway, and how often among all. */
const kinds = {
  'gateway killed with -9': 2,
  'gateway restarted': 1,
  'connection dropped': 4,
  'client killed with -9': 3,
} as const;
export type Kind = keyof typeof kinds;

const TOKEN = 'streams-token-of-at-least-32-characters';
const LOADERS = 2;
const MOST_PAUSE_MS = 250;
/** Orders that come to an answer between two of them, where the gateway gives any. */
const ORDERS_BETWEEN = 2;
const LOAD_PATIENCE_MS = 10_000;
const PATIENCE_MS = 60_000;
const client = fileURLToPath(new URL('client.ts', import.meta.url));
const symbols = ['SBIN', 'INFY', 'ITC', 'TCS'];

export interface Verdict {
  /** How often each kind came. */
  struck: Record<Kind, number>;
  events: number;
  orders: number;
  missing: number[];
  twice: number[];
  disordered: number;
  /** Numbers that the client was told and tsm_events does not have. */
  strange: number[];
}

interface Stage {
  gateway: GatewayProcess;
  listener: ChildProcess;
  env: Record<string, string>;
  file: string;
  orders: number;
  over: boolean;
}

/**
 * A client that listens from the first event on, while orders are placed and while it, its connection and its gateway (with the database it brings along)
 * end again and again. What it was told is held against tsm_events. A seed replays what happens, not when.
 */
export async function runHistory(options: {
  rounds: number;
  seed: number;
  endAt?: number;
  say?: (line: string) => void;
}): Promise<Verdict> {
  const { rounds, seed, endAt = Number.POSITIVE_INFINITY, say = () => undefined } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-streams-'));
  const env = {
    DATA_DIR: join(dataDir, 'gateway'),
    GATEWAY_TOKEN: TOKEN,
    PRACTICE_LIMITS: 'off',
    POSITION_GUARD: 'off',
    LOG_LEVEL: 'fatal',
  };
  const file = join(dataDir, 'told.txt');
  const gateway = await startProcess(env);
  const stage: Stage = { gateway, listener: await startClient(file, gateway), env, file, orders: 0, over: false };
  const struck: Record<Kind, number> = {
    'gateway killed with -9': 0,
    'gateway restarted': 0,
    'connection dropped': 0,
    'client killed with -9': 0,
  };
  try {
    const loads = Array.from({ length: LOADERS }, (_, lane) => load(stage, lane));
    const random = seededRandom(seed);
    for (let round = 1; round <= rounds && performance.now() < endAt; round += 1) {
      const kind = drawn(random.next());
      await loaded(stage);
      await pause(random.next() * MOST_PAUSE_MS);
      await strike[kind](stage);
      struck[kind] += 1;
      if (round % 25 === 0) say(`${round} of ${rounds}: ${numbersOf(file).length} events told, ${stage.orders} orders answered`);
    }
    stage.over = true;
    await Promise.all(loads);
    return { struck, orders: stage.orders, ...(await judge(stage)) };
  } finally {
    stage.over = true;
    stage.listener.kill('SIGKILL');
    await stage.gateway.killTree();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

const strike: Readonly<Record<Kind, (stage: Stage) => Promise<void>>> = {
  async 'gateway killed with -9'(stage) {
    await stage.gateway.killTree();
    await restarted(stage);
  },
  async 'gateway restarted'(stage) {
    await stage.gateway.end('SIGTERM');
    await restarted(stage);
  },
  async 'connection dropped'({ listener }) {
    listener.send({ drop: true });
  },
  async 'client killed with -9'(stage) {
    const gone = once(stage.listener, 'exit');
    stage.listener.kill('SIGKILL');
    await gone;
    stage.listener = await startClient(stage.file, stage.gateway);
  },
};

async function restarted(stage: Stage): Promise<void> {
  stage.gateway = await startProcess(stage.env);
  stage.listener.send({ url: stage.gateway.url });
}

async function startClient(file: string, { url, token }: GatewayProcess): Promise<ChildProcess> {
  const child = fork(client, [file], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message');
  child.send({ url, token });
  return child;
}

/** Orders one after the other; what fails is for other tests. */
async function load(stage: Stage, lane: number): Promise<void> {
  for (let index = 0; !stage.over; index += 1) {
    const order = {
      symbol: symbols[(index + lane) % symbols.length],
      token: '1',
      exchange: 'NSE',
      transaction_type: Math.floor(index / symbols.length) % 2 === 0 ? 'BUY' : 'SELL',
      order_type: 'MARKET',
      product_type: 'INTRADAY',
      quantity: 1,
      idempotency_key: `l${lane}-${index}`,
    };
    const answered = await fetch(`${stage.gateway.url}/broker/orders/place`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(order),
      signal: AbortSignal.timeout(10_000),
    }).then(
      (answer) => answer.text().then(() => answer.ok),
      () => false,
    );
    if (answered) stage.orders += 1;
    else await pause(50);
  }
}

async function loaded(stage: Stage): Promise<void> {
  const [enough, end] = [stage.orders + ORDERS_BETWEEN, performance.now() + LOAD_PATIENCE_MS];
  while (stage.orders < enough && performance.now() < end) await pause(5);
}

async function judge({ env, file }: Stage): Promise<Omit<Verdict, 'struck' | 'orders'>> {
  const beside = await openBeside({ mode: 'practice', dataDir: env.DATA_DIR ?? '', log: silentLog() });
  try {
    const read = async () => (await beside.db.$client<{ id: number }[]>`select id from tsm_events order by id`).map(({ id }) => id);
    const end = performance.now() + PATIENCE_MS;
    let [told, kept] = [numbersOf(file), await read()];
    while (told.at(-1) !== kept.at(-1) && performance.now() < end) {
      await pause(100);
      [told, kept] = [numbersOf(file), await read()];
    }
    return compared(told, kept);
  } finally {
    await beside.close();
  }
}

/** What a client was told beside what there is. */
export function compared(told: readonly number[], kept: readonly number[]): Omit<Verdict, 'struck' | 'orders'> {
  const [tells, keeps] = [new Set(told), new Set(kept)];
  return {
    events: kept.length,
    missing: kept.filter((id) => !tells.has(id)),
    twice: told.filter((id, index) => told.indexOf(id) !== index),
    disordered: told.filter((id, index) => index > 0 && id < (told[index - 1] ?? 0)).length,
    strange: told.filter((id) => !keeps.has(id)),
  };
}

/** Only whole lines count. */
function numbersOf(file: string): number[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1).map(Number);
}

function drawn(chance: number): Kind {
  const names = Object.entries(kinds).flatMap(([name, weight]): Kind[] => Array(weight).fill(name));
  return names[Math.floor(chance * names.length)] ?? 'connection dropped';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

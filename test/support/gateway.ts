import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Config, readConfig } from '../../server/config/config.ts';
import { type Context, createContext, type Overrides } from '../../server/context.ts';
import { listen } from '../../server/http/listen.ts';
import { readerOf } from '../../server/instruments/reader.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase } from './database.ts';

/** Tests read arbitrary members of answers; whatever is missing is undefined. */
type Body = ReturnType<typeof JSON.parse>;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

export interface TestGateway {
  url: string;
  token: string;
  config: Config;
  context: Context;
  databaseUrl: string;
  dataDir: string;
  /** Calls with the token; `body` is sent as JSON. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  place(order: Record<string, unknown>, headers?: Record<string, string>): Promise<Answer>;
  /** Stops the gateway, keeps database and directory for another start. */
  halt(): Promise<void>;
  /** Stops it and removes what it kept. */
  stop(): Promise<void>;
}

export interface StartOptions {
  env?: Record<string, string>;
  overrides?: Overrides;
  /** Where an earlier gateway of the test kept its things. */
  from?: { databaseUrl: string; dataDir: string };
  /** Takes every log line, of all levels. */
  logTo?: (line: string) => void;
  /** Reads the brokers' instrument files, which costs a worker; false unless given. */
  instruments?: boolean;
  /** Connect the configured brokers before the test goes on; true unless given. */
  connect?: boolean;
}

/** An order that every test may vary. */
export const sbin = {
  symbol: 'SBIN',
  token: '779521',
  exchange: 'NSE',
  transaction_type: 'BUY',
  order_type: 'MARKET',
  product_type: 'INTRADAY',
  quantity: 10,
};

/** A real gateway in this process: its own database, a free port, the practice exchange. */
export async function startGateway(options: StartOptions = {}): Promise<TestGateway> {
  const database = options.from ? null : await createTestDatabase();
  const databaseUrl = options.from?.databaseUrl ?? database?.url ?? '';
  const dataDir = options.from?.dataDir ?? (await mkdtemp(join(tmpdir(), 'gateway-test-')));
  const config = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    PRACTICE_LIMITS: 'off',
    ...options.env,
  });
  const log = options.logTo ? pino({ level: 'trace' }, { write: options.logTo }) : silentLog();
  const context = await createContext(config, log, { masterReader: options.instruments ? readerOf : () => null, ...options.overrides });
  const listening = await listen(context.app, config);
  context.served(listening.port);
  if (options.connect ?? true) await context.autoConnect();
  const token = config.gatewayToken ?? (await readFile(join(dataDir, 'token'), 'utf8')).trim();
  const url = `http://127.0.0.1:${listening.port}`;

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const json: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...json, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) };
  }
  let halted: Promise<void> | null = null;
  function halt(): Promise<void> {
    halted ??= Promise.all([listening.close(), context.stop()]).then(() => undefined);
    return halted;
  }
  return {
    url,
    token,
    config,
    context,
    databaseUrl,
    dataDir,
    call,
    place: (order, headers) => call('POST', '/broker/orders/place', order, headers),
    halt,
    async stop() {
      await halt();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

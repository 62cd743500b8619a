import postgres, { type Sql } from 'postgres';
import { Client } from 'undici';
import { openDatabase } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';

const symbols =
  'ADANIENT ASIANPAINT AXISBANK BHARTIARTL CIPLA COALINDIA HCLTECH HDFCBANK HINDALCO HINDUNILVR ICICIBANK ITC JSWSTEEL KOTAKBANK LT SBIN'.split(
    ' ',
  );
const reports = ['overview', 'profit', 'records/positions', 'records/orders', 'records/trades', 'events'].map((name) => `/broker/${name}`);

/** How long something took, ms, each time. */
export type Times = Record<'connected' | 'reconciled' | 'place' | 'replay' | 'reports', number[]>;

/** Another client of the database of a gateway, running or not. */
export async function withDatabase<Result>(dataDir: string, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  const { connection, close } = await openDatabase({ mode: 'practice', dataDir, log: silentLog(), beside: true });
  const sql = postgres({ ...connection, max: 1, connection: { ...connection.connection, statement_timeout: 0 } });
  try {
    return await work(sql);
  } finally {
    await sql.end();
    await close();
  }
}

/** A gateway process and what is asked of it; times go into `times`. */
export class Stand {
  readonly dataDir: string;
  readonly times: Times = { connected: [], reconciled: [], place: [], replay: [], reports: [] };
  #gateway: GatewayProcess | null = null;
  #client: Client | null = null;
  #count = 0;
  readonly #opsPort: number;

  constructor(dataDir: string, opsPort: number) {
    this.dataDir = dataDir;
    this.#opsPort = opsPort;
  }

  /** Starts it and waits until its session is connected and its records were once held against the broker. */
  async start(): Promise<void> {
    const began = performance.now();
    const env = {
      DATA_DIR: this.dataDir,
      OPS_PORT: String(this.#opsPort),
      PRACTICE_LIMITS: 'off',
      GATEWAY_TOKEN: 'token-of-one-simulated-year-4711-abcxyz',
    };
    const gateway = await startProcess(env);
    this.#gateway = gateway;
    this.#client = new Client(gateway.url, { pipelining: 1, keepAliveTimeout: 50_000 });
    await this.#until(async () => /"broker":"zerodha".*"status":"ready"/.test(await (await fetch(gateway.url)).text()));
    this.times.connected.push(performance.now() - began);
    const page = `http://127.0.0.1:${this.#opsPort}/metrics`;
    await this.#until(async () => /gateway_reconciliation_age_seconds \d/.test(await (await fetch(page)).text()));
    this.times.reconciled.push(performance.now() - began);
  }

  async #until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async stop(): Promise<void> {
    await this.#client?.destroy();
    await this.#gateway?.end('SIGINT');
    this.#gateway = null;
  }

  async #call(method: 'GET' | 'POST', path: string, body?: object): Promise<{ text: string; replayed: unknown; ms: number }> {
    const headers = { authorization: `Bearer ${this.#gateway?.token}`, 'content-type': 'application/json' };
    const began = performance.now();
    const answer = await this.#client?.request({ method, path, headers, body: body ? JSON.stringify(body) : null });
    const text = (await answer?.body.text()) ?? '';
    return { text, replayed: answer?.headers['idempotency-replayed'], ms: performance.now() - began };
  }

  /** A market order that opens a position or, every other one, closes it. */
  async #order(key: string, index: number): Promise<{ text: string; replayed: unknown; ms: number }> {
    const symbol = symbols[Math.floor(index / 2) % symbols.length];
    const order = {
      symbol,
      token: '',
      exchange: 'NSE',
      transaction_type: index % 2 === 0 ? 'BUY' : 'SELL',
      order_type: 'MARKET',
      product_type: 'INTRADAY',
      quantity: 1,
    };
    return await this.#call('POST', '/broker/orders/place', { ...order, strategy: 'momentum', idempotency_key: key });
  }

  async place(orders: number, name: string, into: number[] = this.times.place): Promise<void> {
    for (let order = 0; order < orders; order += 1) {
      this.#count += 1;
      const { text, ms } = await this.#order(`one-key-of-the-simulated-year-${name}-${String(this.#count).padStart(6, '0')}`, order);
      if (!text.includes('"fill_status":"FILLED"')) throw new Error(`an order did not fill: ${text}`);
      into.push(ms);
    }
  }

  /** Asks again for answers of orders that `place` has placed under `name`. */
  async replay(times: number, name: string, of: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      const index = Math.floor(Math.random() * of);
      const { text, replayed, ms } = await this.#order(
        `one-key-of-the-simulated-year-${name}-${String(index + 1).padStart(6, '0')}`,
        index,
      );
      if (replayed !== 'true') throw new Error(`an answer was not replayed: ${text}`);
      this.times.replay.push(ms);
    }
  }

  /** Each report once, all together one time. */
  async read(): Promise<void> {
    let sum = 0;
    for (const path of reports) {
      const { text, ms } = await this.#call('GET', path);
      if (!text.startsWith('{"success":true')) throw new Error(`${path}: ${text.slice(0, 200)}`);
      sum += ms;
    }
    this.times.reports.push(sum);
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { Client } from 'undici';
import { seededRandom } from '../server/clock.ts';
import { openDatabase } from '../server/db/open.ts';
import { silentLog } from '../server/log.ts';
import { startProcess } from '../test/support/process.ts';
import { startChild } from './children.ts';
import { median, quantile } from './measure.ts';
import { environment, Origin } from './stand.ts';

export interface ReplaySizes {
  /** Stored answers of the two gateways that are compared. */
  few: number;
  many: number;
  rounds: number;
  /** Replays of each gateway in each round. */
  replays: number;
}

interface Figures {
  p50Ms: number;
  p99Ms: number;
  /** The same of a request that needs no record: what the machine and HTTP alone cost at that moment. */
  bareP50Ms: number;
  bareP99Ms: number;
}

export interface Replays {
  sizes: ReplaySizes;
  /** One of each a round. */
  few: Figures[];
  many: Figures[];
  /** Size of the table and its indexes with many records, MB. */
  tableMb: number;
}

/** A gateway whose journal holds so many stored answers, and one keep-alive connection to it. */
interface Archive {
  tableMb: number;
  /** Asks for stored answers, each of a record drawn at random; ms of each. Throws unless every one was a replay. */
  replay(times: number): Promise<number[]>;
  /** Asks for the root page; ms of each. */
  bare(times: number): Promise<number[]>;
}

/** A caller's key lives this long. */
const LIFE_DAYS = 7;
const WARM_UP = 300;
const SEED = 4;
const order = {
  symbol: 'SBIN',
  token: '1',
  exchange: 'NSE',
  transaction_type: 'BUY',
  order_type: 'MARKET',
  product_type: 'INTRADAY',
  quantity: 1,
};

/** Replays over HTTP at two gateways that differ in the number of their records alone, in turns. */
export async function measureReplays(sizes: ReplaySizes): Promise<Replays> {
  const exchange = startChild('exchange.ts');
  const stops: (() => Promise<void>)[] = [async () => exchange.stop()];
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= (async () => {
      for (const one of stops.toReversed()) await one();
    })();
    return stopped;
  };
  // Gateways outlive the process that started them.
  const interrupted = () => void stop().then(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupted);
  try {
    const few = await open(sizes.few);
    const many = await open(sizes.many);
    for (const archive of [few, many]) await archive.replay(WARM_UP);
    const figures: Replays = { sizes, few: [], many: [], tableMb: many.tableMb };
    for (let round = 0; round < sizes.rounds; round += 1) {
      // The other goes first each time, so that a slow moment of the machine strikes both alike.
      const turns = [() => take(few, figures.few), () => take(many, figures.many)];
      for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn();
    }
    return figures;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupted);
    await stop();
  }

  async function open(records: number): Promise<Archive> {
    // An exchange without positions, for the one order each gateway places.
    const { origin } = await exchange.ask({ delayMs: 0 }, Origin);
    return await openArchive(origin, records, stops);
  }

  async function take(archive: Archive, into: Figures[]): Promise<void> {
    const [replays, bare] = [sorted(await archive.replay(sizes.replays)), sorted(await archive.bare(sizes.replays))];
    into.push({
      p50Ms: quantile(replays, 0.5),
      p99Ms: quantile(replays, 0.99),
      bareP50Ms: quantile(bare, 0.5),
      bareP99Ms: quantile(bare, 0.99),
    });
  }
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

/** `stops` takes in how it is stopped, as soon as it runs. */
async function openArchive(origin: string, records: number, stops: (() => Promise<void>)[]): Promise<Archive> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  stops.push(async () => rmSync(dataDir, { recursive: true, force: true }));
  const gateway = await startProcess(environment(dataDir, origin, ''));
  const client = new Client(gateway.url, { pipelining: 1, keepAliveTimeout: 50_000 });
  const random = seededRandom(SEED);
  stops.push(async () => {
    await client.destroy();
    await gateway.end('SIGINT');
  });

  /** Places the order under a key, or asks for its stored answer. */
  async function ask(key: string, replayed: 'true' | undefined): Promise<void> {
    const headers = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ ...order, idempotency_key: key });
    const answer = await client.request({ method: 'POST', path: '/broker/orders/place', headers, body });
    const text = await answer.body.text();
    if (!text.includes('"fill_status":"FILLED"') || answer.headers['idempotency-replayed'] !== replayed)
      throw new Error(`${key}, replayed ${answer.headers['idempotency-replayed']}: ${text}`);
  }

  /** Ms each of some calls took, one after the other. */
  async function timed(times: number, call: () => Promise<void>): Promise<number[]> {
    const latenciesMs: number[] = [];
    for (let time = 0; time < times; time += 1) {
      const from = performance.now();
      await call();
      latenciesMs.push(performance.now() - from);
    }
    return latenciesMs;
  }

  // The oldest tenth may expire on the way.
  const drawn = () => `n${Math.max(1, Math.ceil(records * (0.1 + 0.9 * random.next())))}`;
  const replay = (times: number) => timed(times, () => ask(drawn(), 'true'));
  const bare = (times: number) => timed(times, async () => void (await (await client.request({ method: 'GET', path: '/' })).body.text()));

  await ask('n0', undefined);
  const { connection, close } = await openDatabase({ mode: 'practice', dataDir, log: silentLog(), beside: true });
  // The gateway's own statements are kept short; these take as long as they take.
  const sql = postgres({ ...connection, max: 1, connection: { ...connection.connection, statement_timeout: 0 } });
  try {
    return { tableMb: await fillJournal(sql, records), replay, bare };
  } finally {
    await sql.end();
    await close();
  }
}

/** Copies the record of the order `n0` under the keys n1 to n<records>, as if one had come in every moment of the last week. Returns the table's MB. */
async function fillJournal(sql: Sql, records: number): Promise<number> {
  await sql`
    insert into idempotency_records (key, state, owner, epoch, request_hash, broker, account, trading_day, tag, symbol, token, exchange, side, order_type,
      product, quantity, price, started_at, order_id, broker_answer, net_before, fill_status, filled_quantity, response, expires_at, updated_at)
    select 'k:n' || n, state, owner, epoch, request_hash, broker, account, trading_day, tag, symbol, token, exchange, side, order_type,
      product, quantity, price, at, order_id || '-' || n, broker_answer, net_before, fill_status, filled_quantity, response, at + ${LIFE_DAYS} * interval '1 day', at
    from idempotency_records, generate_series(1, ${records}::int) n,
      lateral (select now() - ${LIFE_DAYS} * interval '1 day' * (1 - n::float8 / ${records}::int) as at) moment
    where key = 'k:n0' order by n`;
  // What autovacuum does a moment later, so that it does not fall into one of the two measurements.
  await sql`vacuum analyze idempotency_records`;
  const [size] = await sql<{ mb: number }[]>`select pg_total_relation_size('idempotency_records') / 1048576.0::float8 as mb`;
  return size?.mb ?? Number.NaN;
}

/** Its part of the report, as Markdown; medians over the rounds, their lowest and highest in brackets. */
export function replayReport({ sizes, few, many, tableMb }: Replays): string {
  const [fewer, more] = [sizes.few, sizes.many].map((count) => count.toLocaleString('en'));
  const ratios = (name: keyof Figures) => many.map((one, round) => one[name] / (few[round]?.[name] ?? Number.NaN));
  const row = (words: string, name: keyof Figures) =>
    `| ${words} | ${spread(few.map((one) => one[name]))} | ${spread(many.map((one) => one[name]))} | ${spread(ratios(name))} |\n`;
  const [p99Ms, ratio] = [median(many.map((one) => one.p99Ms)), median(ratios('p50Ms'))];
  const target = (what: string, limit: number, value: number, unit: string) =>
    `| ${what} | ${limit}${unit} | ${value.toFixed(2)}${unit} | ${value <= limit ? 'met' : 'missed'} |\n`;
  return `
## Replays beside ${more} records

Two gateways that differ in the number of their stored answers alone (${more} take ${tableMb.toFixed(0)} MB), one keep-alive connection to each, ${sizes.rounds} round${sizes.rounds === 1 ? '' : 's'} of
${sizes.replays.toLocaleString('en')} replays in turns; the records are a week's, each request asks for one drawn at random (seed ${SEED}).
The root page needs no record: what HTTP and the machine cost at that moment.

| | ${fewer} records | ${more} records | many / few |
|---|---|---|---|
${row('replay, p50, ms', 'p50Ms')}${row('replay, p99, ms', 'p99Ms')}${row('root page, p50, ms', 'bareP50Ms')}${row('root page, p99, ms', 'bareP99Ms')}
| target | at most | measured | |
|---|---|---|---|
${target(`p99 with ${more} records`, 5, p99Ms, ' ms')}${target(`p50 beside ${fewer} records`, 1.2, ratio, ' times')}`;
}

function spread(values: readonly number[]): string {
  return `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
}

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KiteTicker } from 'kiteconnect';
import { z } from 'zod';
import { decode } from '../server/brokers/zerodha/feed.ts';
import { systemClock } from '../server/clock.ts';
import { openDatabase } from '../server/db/open.ts';
import { instruments } from '../server/exchange/instruments.ts';
import { silentLog } from '../server/log.ts';
import { startProcess } from '../test/support/process.ts';
import { memoryMb, startChild } from './children.ts';
import { Done } from './load.ts';
import { median, quantile } from './measure.ts';
import { environment, Origin } from './stand.ts';
import { createUpstream } from './upstream.ts';

/*
 * `npm run bench -- --feed`: what the live feed costs. First decoding, beside Kite's own SDK on the same packets; then a gateway that is
 * subscribed to 3,000 instruments: in turns the feed is idle and every instrument ticks once a second, orders being placed in both.
 */

const INSTRUMENTS = 3000;
/** Bought for real, so that prices reach the records too; the others are open orders. */
const HELD = 10;
const ROUND_S = { idle: 15, ticking: 60 };
/** Bought and sold in turns, in other instruments than the held ones. */
const ORDERS = 40;

const Ticker = Origin.extend({ wanted: z.number() });
const Delay = z.object({ p50Ms: z.number(), p99Ms: z.number(), maxMs: z.number() });

interface Round {
  idleP50Ms: number;
  tickingP50Ms: number;
  delay: z.infer<typeof Delay>;
  gatewayMb: number;
}

/** Both parts as Markdown. `minutes`: how long the instruments tick in all. */
export async function feedReport(minutes: number): Promise<string> {
  return `${decodeReport()}${await loadReport(minutes)}`;
}

/** Nanoseconds a packet takes our decoder and Kite's, in turns, medians of 15 rounds. */
function decodeReport(): string {
  const rows = [8, 44, 184].map((size) => {
    const bytes = packets(100, size);
    const copy = new Uint8Array(bytes).buffer;
    // Not in the SDK's types.
    const theirs = new KiteTicker({ api_key: 'a', access_token: 'b' }) as unknown as { parseBinary(bytes: ArrayBuffer): unknown[] };
    let sum = 0;
    const sink = {
      ready() {},
      refused() {},
      order() {},
      reply() {},
      price: (_key: string | number, rupees: number) => {
        sum += rupees;
      },
    };
    const runs = { ours: () => decode(bytes, sink), sdk: () => void theirs.parseBinary(copy) };
    const took = { ours: [] as number[], sdk: [] as number[] };
    for (let round = 0; round < 16; round += 1) {
      for (const [name, run] of Object.entries(runs)) {
        const from = performance.now();
        for (let again = 0; again < 300; again += 1) run();
        if (round > 0) took[name as keyof typeof took].push(((performance.now() - from) * 1e6) / (300 * 100));
      }
    }
    if (sum === 0) throw new Error('nothing was decoded');
    const [ours, sdk] = [median(took.ours), median(took.sdk)];
    return `| ${size} bytes | ${ours.toFixed(0)} ns | ${sdk.toFixed(0)} ns | ${(sdk / ours).toFixed(1)} times as fast |\n`;
  });
  return `
## Decoding Kite's packets

A frame of 100 packets, prices and times read by our decoder and whole by \`kiteconnect\`'s, in turns; medians of 15 rounds, for each packet.

| packet | ours | kiteconnect | |
|---|---|---|---|
${rows.join('')}`;
}

function packets(count: number, size: number): Buffer {
  const bytes = Buffer.alloc(2 + count * (2 + size));
  bytes.writeUInt16BE(count, 0);
  for (let index = 0; index < count; index += 1) {
    const at = 2 + index * (2 + size);
    bytes.writeUInt16BE(size, at);
    bytes.writeUInt32BE((1000 + index) * 256 + 1, at + 2);
    bytes.writeInt32BE(81_235 + index, at + 6);
    if (size > 64) bytes.writeInt32BE(1_790_000_000, at + 62);
  }
  return bytes;
}

async function loadReport(minutes: number): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const [exchange, ticker, load] = [startChild('exchange.ts'), startChild('ticker.ts'), startChild('load.ts')];
  const { origin } = await exchange.ask({ delayMs: 0 }, Origin);
  const feed = await ticker.ask({ ticking: false }, Ticker);
  const delayFile = join(dataDir, 'delay.json');
  const preload = `--import=${fileURLToPath(new URL('loop-delay.ts', import.meta.url))}`;
  const gateway = await startProcess({
    ...environment(dataDir, origin, preload),
    ZERODHA_FEED_URL: feed.origin,
    LOOP_DELAY_FILE: delayFile,
  });
  const pid = gateway.child.pid ?? 0;

  async function orders(name: string): Promise<number> {
    const job = { lane: 'gateway', origin: gateway.url, token: gateway.token, callers: 1, orders: ORDERS, everyMs: 0, name };
    const { latenciesMs } = await load.ask(job, Done);
    return quantile(
      latenciesMs.sort((a, b) => a - b),
      0.5,
    );
  }

  async function delay(): Promise<z.infer<typeof Delay>> {
    gateway.child.kill('SIGWINCH');
    await systemClock.sleep(500);
    return Delay.parse(JSON.parse(readFileSync(delayFile, 'utf8')));
  }

  async function round(number: number): Promise<Round> {
    await ticker.ask({ ticking: false }, Ticker);
    await systemClock.sleep(ROUND_S.idle * 200);
    const idleP50Ms = await orders(`idle${number}`);
    await ticker.ask({ ticking: true }, Ticker);
    await delay();
    const until = systemClock.mono() + ROUND_S.ticking * 1000;
    await systemClock.sleep(2000);
    const tickingP50Ms = await orders(`ticking${number}`);
    await systemClock.sleep(until - systemClock.mono());
    return { idleP50Ms, tickingP50Ms, delay: await delay(), gatewayMb: memoryMb([pid]).each };
  }

  try {
    await watch(dataDir, origin, gateway);
    await subscribed(ticker);
    await orders('warm');
    const rounds: Round[] = [];
    for (let number = 0; number < Math.max(1, Math.round((minutes * 60) / ROUND_S.ticking)); number += 1) {
      rounds.push(await round(number));
      process.stderr.write(`feed: round ${number + 1}: ${JSON.stringify(rounds.at(-1))}\n`);
    }
    return loadText(rounds);
  } finally {
    for (const child of [load, ticker, exchange]) child.stop();
    await gateway.end('SIGINT');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function subscribed(ticker: ReturnType<typeof startChild>): Promise<void> {
  for (let waited = 0; (await ticker.ask({ ticking: false }, Ticker)).wanted < INSTRUMENTS; waited += 1) {
    if (waited > 60) throw new Error('the gateway did not subscribe to all instruments');
    await systemClock.sleep(1000);
  }
}

/** Makes the gateway watch 3,000 instruments: some positions, and open orders it can never find again. */
async function watch(dataDir: string, origin: string, gateway: Awaited<ReturnType<typeof startProcess>>): Promise<void> {
  const buy = createUpstream(origin);
  const shares = instruments.filter(({ exchange }) => exchange === 'NSE').slice(-HELD);
  for (const { symbol } of shares) await buy({ symbol, side: 'BUY', key: `held${symbol.toLowerCase()}` });
  const { db, close } = await openDatabase({ mode: 'practice', dataDir, log: silentLog(), beside: true });
  const sql = db.$client;
  try {
    await sql`
      with made as (
        insert into tsm_orders (order_id, broker, symbol, exchange, side, order_type, product, quantity, price, status, mode, created_at)
        select 'bench' || n, 'zerodha', 'BENCH' || n, 'NSE', 'BUY', 'LIMIT', 'INTRADAY', 1, 1, 'PLACED', 'practice', now()
        from generate_series(1, ${INSTRUMENTS - HELD}::int) n returning order_id, symbol, created_at
      ) insert into order_details (broker, order_id, account, trading_day, created_at, token)
      select 'zerodha', order_id, 'PR0001', to_char(created_at at time zone 'Asia/Kolkata', 'YYYY-MM-DD'), created_at,
        (1000000 + substring(symbol from 6)::int) * 256 + 1 from made`;
  } finally {
    await close();
  }
  const headers = { authorization: `Bearer ${gateway.token}` };
  const answer = await fetch(`${gateway.url}/broker/connect?broker=zerodha`, { method: 'POST', headers });
  if (!(await answer.text()).includes('"success":true')) throw new Error('the gateway did not connect');
}

function loadText(rounds: readonly Round[]): string {
  const ratio = median(rounds.map((each) => each.tickingP50Ms / each.idleP50Ms));
  const p99 = median(rounds.map((each) => each.delay.p99Ms));
  const [first, last] = [rounds[0]?.gatewayMb ?? 0, rounds.at(-1)?.gatewayMb ?? 0];
  const row = (what: string, limit: string, value: string, met: boolean) =>
    `| ${what} | ${limit} | ${value} | ${met ? 'met' : 'missed'} |\n`;
  return `
## ${INSTRUMENTS.toLocaleString('en')} instruments at one tick a second

${rounds.length} rounds of ${ROUND_S.ticking} s with every instrument ticking and ${ORDERS} orders on the way, each after an idle time with as many orders. ${HELD} of the instruments are held.

| | at most | measured | |
|---|---|---|---|
${row('event-loop delay, p99, median of the rounds', '20 ms', `${p99.toFixed(1)} ms`, p99 <= 20)}${row(
  'order latency p50, ticking beside idle',
  '1.10 times',
  `${ratio.toFixed(2)} times (${rounds
    .map((each) => each.idleP50Ms)
    .map((value) => value.toFixed(1))
    .join(', ')} ms idle)`,
  ratio <= 1.1,
)}${row('memory of the gateway, last round beside the first', '1.10 times', `${(last / first).toFixed(2)} times (${first.toFixed(0)} MB, ${last.toFixed(0)} MB)`, last <= first * 1.1)}`;
}

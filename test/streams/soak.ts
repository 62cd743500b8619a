import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { quantile } from '../../bench/measure.ts';
import { practiceCredentials } from '../../server/exchange/host.ts';
import { startProcess } from '../support/process.ts';

const STREAMS = 200;
const INSTRUMENTS = 200;
const TOKEN = 'streams-token-of-at-least-32-characters';
/** Five thousand in a day of trading. More would measure the broker's order book instead, which is kept as it was read last. */
const ORDER_EVERY_MS = 4500;
const WINDOW_MS = 30_000;

const Figures = z.object({
  open: z.number(),
  ticks: z.number(),
  bytes: z.number(),
  lagsMs: z.array(z.number()),
  ordered: z.number(),
  told: z.array(z.number()),
});

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** 200 streams of 200 instruments at 1,000 ticks a second, under orders, for so many minutes. Prints a line every 30 s: how late events were, and the gateway's memory. */
export async function runSoak(minutes: number, say: (line: string) => void): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-soak-'));
  const [ticker, readers] = [fork(here('ticker.ts')), fork(here('readers.ts'))];
  const [[feedUrl], [exchange]] = await Promise.all([once(ticker, 'message'), startExchange(), once(readers, 'message')]);
  const gateway = await startProcess(environment(dataDir, String(feedUrl), exchange.origin), [here('gateway.ts')]);
  const pid = gateway.child.pid ?? 0;
  const instruments = Array.from({ length: INSTRUMENTS }, (_, index) => `NSE:S${index + 1}`).join();
  let over = false;
  const load = placeOrders(gateway.url, () => over);
  try {
    await ask(readers, { url: gateway.url, token: TOKEN, streams: STREAMS, instruments });
    const all: number[] = [];
    for (let left = Math.round((minutes * 60_000) / WINDOW_MS); left > 0; left -= 1) {
      await pause(WINDOW_MS);
      const { open, ticks, bytes, lagsMs, ordered, told } = Figures.parse(await ask(readers, { figures: true }));
      all.push(...lagsMs);
      const seconds = WINDOW_MS / 1000;
      const perStream = `${Math.min(...told)} to ${Math.max(...told)} events a stream`;
      say(
        `${open} streams, ${ordered} in order, ${perStream}, lag ${quantiles(lagsMs)}, ${(ticks / seconds).toFixed(0)} ticks/s written, ` +
          `${(bytes / seconds / 1e6).toFixed(1)} MB/s, RSS ${rssMb(pid).toFixed(0)} MB, load ${loadavg()[0]?.toFixed(1)}`,
      );
    }
    say(`all: lag ${quantiles(all)} of ${all.length} events read`);
  } finally {
    over = true;
    await load;
    for (const child of [ticker, readers, exchange.child]) child.kill();
    await gateway.killTree();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The exchange of the benchmarks, in a process of its own. */
async function startExchange(): Promise<[{ child: ChildProcess; origin: string }]> {
  const child = fork(fileURLToPath(new URL('../../bench/exchange.ts', import.meta.url)));
  child.send({ delayMs: 0 });
  const [answer] = await once(child, 'message');
  return [{ child, origin: z.object({ value: z.object({ origin: z.string() }) }).parse(answer).value.origin }];
}

function environment(dataDir: string, feedUrl: string, origin: string): Record<string, string> {
  const credentials = Object.entries(practiceCredentials('zerodha')).map(([name, value]) => [`ZERODHA_${name}`, value]);
  return {
    DATA_DIR: dataDir,
    GATEWAY_TOKEN: TOKEN,
    PRACTICE_LIMITS: 'off',
    POSITION_GUARD: 'off',
    ZERODHA_API_URL: origin,
    ZERODHA_LOGIN_URL: origin,
    ZERODHA_FEED_URL: feedUrl,
    ...Object.fromEntries(credentials),
  };
}

async function placeOrders(url: string, over: () => boolean): Promise<void> {
  for (let index = 0; !over(); index += 1) {
    const transaction_type = index % 2 === 0 ? 'BUY' : 'SELL';
    const order = {
      symbol: 'SBIN',
      token: '779521',
      exchange: 'NSE',
      transaction_type,
      order_type: 'MARKET',
      product_type: 'INTRADAY',
      quantity: 1,
    };
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
    await fetch(`${url}/broker/orders/place`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...order, idempotency_key: `s${index}` }),
    }).then(
      (answer) => answer.text(),
      () => undefined,
    );
    await pause(ORDER_EVERY_MS);
  }
}

async function ask(child: ChildProcess, message: object): Promise<unknown> {
  child.send(message);
  const [answer] = await once(child, 'message');
  return answer;
}

function quantiles(lagsMs: readonly number[]): string {
  const sorted = [...lagsMs].sort((a, b) => a - b);
  return `p50 ${quantile(sorted, 0.5).toFixed(0)} p99 ${quantile(sorted, 0.99).toFixed(0)} ms`;
}

function rssMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

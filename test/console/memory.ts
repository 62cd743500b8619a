import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CDPSession, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';
import { signIn } from './console.ts';
import { playDay } from './play-day.ts';

/**
 * `npm run console-memory -- --minutes 30`: leaves the positions view open with 50 positions that tick, opens another view once a minute, and tells the page's
 * heap after a collection. Exits 1 when the heap at the end is more than a quarter above the one of the first minutes.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } });
const MINUTES = Number(values.minutes);
const POSITIONS = 50;
const MINUTE_MS = 60_000;
/** What is made once, caches and compiled code, is there by then. */
const WARM_MINUTES = 2;
const MOST_GROWTH = 1.25;
const views = ['orders', 'charts', 'events', 'session', 'ticket', 'users', 'alerts'];

interface Figures {
  heapMb: number;
  nodes: number;
  listeners: number;
}

const dataDir = mkdtempSync(join(tmpdir(), 'console-memory-'));
// Without the guard one share may be held in two products: so there are enough positions.
const gateway = await startProcess({ DATA_DIR: dataDir, PRACTICE_LIMITS: 'off', POSITION_GUARD: 'off', PRACTICE_SEED: '7' });
const browser = await startBrowser();
process.once('SIGTERM', () => void end(1));
process.once('SIGINT', () => void end(1));
try {
  await playDay(gateway);
  await fill(gateway);
  const page = await browser.context.newPage();
  await signIn(page, gateway.url, gateway.token);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('HeapProfiler.enable');
  const grown = await watch(page, session);
  await end(grown > MOST_GROWTH ? 1 : 0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  await end(1);
}

/** One share of each listed instrument in two products, until there are enough positions. */
async function fill({ url, token }: GatewayProcess): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const listed = await fetch(`${url}/broker/instruments?exchange=NSE&kind=EQ&limit=100`, { headers });
  const { instruments } = (await listed.json()) as { instruments: { exchange: string; broker_symbol: string; token: string }[] };
  for (const product_type of ['INTRADAY', 'DELIVERY'])
    for (const { exchange, broker_symbol: symbol, token: id } of instruments) {
      const order = { exchange, symbol, token: id, product_type, transaction_type: 'BUY', order_type: 'MARKET', quantity: 1 };
      await fetch(`${url}/broker/orders/place`, { method: 'POST', headers, body: JSON.stringify(order) });
    }
}

/** Prints a line a minute; how often its first figure the heap is in the end. */
async function watch(page: Page, session: CDPSession): Promise<number> {
  const rows = page.locator('[aria-label="Open positions"] tbody tr');
  await rows.nth(POSITIONS - 1).waitFor();
  let first = 0;
  let last = 0;
  for (let minute = 1; minute <= MINUTES; minute += 1) {
    const before = await page.locator('tbody').first().textContent();
    await page.waitForTimeout(MINUTE_MS - 4000);
    const ticks = (await page.locator('tbody').first().textContent()) !== before;
    await page.evaluate(`location.hash = '#/${views[minute % views.length]}'`);
    await page.waitForTimeout(3000);
    await page.evaluate("location.hash = '#/positions'");
    await rows.nth(POSITIONS - 1).waitFor();
    const { heapMb, nodes, listeners } = await figures(session);
    if (minute <= WARM_MINUTES) first = heapMb;
    last = heapMb;
    const load = loadavg()[0]?.toFixed(1);
    say(
      `${minute} min: heap ${heapMb.toFixed(2)} MB, ${nodes} nodes, ${listeners} listeners, ${await rows.count()} positions${ticks ? '' : ' that do not tick'}, load ${load}`,
    );
  }
  say(`the heap is ${(last / first).toFixed(2)} times what it was after ${Math.min(WARM_MINUTES, MINUTES)} min`);
  return last / first;
}

/** What the page holds after its garbage is collected. */
async function figures(session: CDPSession): Promise<Figures> {
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { heapMb: of('JSHeapUsedSize') / 1024 / 1024, nodes: of('Nodes'), listeners: of('JSEventListeners') };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function end(code: number): Promise<never> {
  await browser.close();
  await gateway.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
  process.exit(code);
}

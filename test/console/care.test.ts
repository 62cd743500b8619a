import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { breaches } from './axe.ts';
import { type Console, chromiumPath, openConsole, signIn, untilListed } from './console.ts';
import { playDay } from './play-day.ts';

const title = chromiumPath ? 'a console for everyone' : 'a console for everyone (skipped: no chromium on PATH)';
const POSITIONS = 50;
const WATCHED_MS = 4000;
const LONG_TASK_MS = 50;

/** By how many pixels the page, or a table in it, is wider than its place: what stands there would be cut off. */
const TOO_WIDE =
  "Math.max(...[document.documentElement, ...document.querySelectorAll('.table-frame')].map((one) => one.scrollWidth - one.clientWidth))";

/** Whether the navigation shows where one is: on a phone it is wider than the screen. */
const CURRENT_IN_SIGHT = `(() => {
  const { left, right } = document.querySelector('nav [aria-current=page]').getBoundingClientRect();
  return left >= 0 && right <= innerWidth;
})()`;

describe.skipIf(!chromiumPath)(title, () => {
  let opened: Console;
  beforeAll(async () => {
    // Without the guard one share may be held in two products: so there are enough positions.
    opened = await openConsole({ env: { POSITION_GUARD: 'off' } });
    await untilListed(opened.gateway);
    await playDay(opened.gateway);
    await signIn(opened.page, opened.gateway.url, opened.gateway.token);
  });
  afterAll(() => opened?.stop());

  it('has nothing that axe finds serious, in any view, light and dark, wide and narrow', async () => {
    const { page } = opened;
    const views = await page.locator('nav li a').evaluateAll((links) => links.map((link) => link.getAttribute('href')?.slice(2) ?? ''));
    expect(views.length).toBeGreaterThanOrEqual(3);
    const found: string[] = [];
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      for (const view of views) {
        await page.evaluate(`location.hash = '#/${view}'`);
        await page.locator(`nav a[href="#/${view}"][aria-current=page]`).waitFor();
        await expect.poll(() => page.locator('#view .loading').count(), { timeout: 10_000 }).toBe(0);
        const overflow = await page.evaluate<number>(TOO_WIDE);
        const link = await page.evaluate<boolean>(CURRENT_IN_SIGHT);
        if (!link) found.push(`${view} at ${width}: its place in the navigation is out of sight`);
        if (overflow > 0) found.push(`${view} at ${width}: cut off by ${overflow}`);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          for (const breach of await breaches(page)) found.push(`${view} at ${width}, ${colorScheme}: ${breach}`);
        }
      }
    }
    expect(found).toEqual([]);
  }, 180_000);

  it('has dialogs that axe finds nothing serious in', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.evaluate("location.hash = '#/positions'");
    await page.getByRole('button', { name: /^Exit all/ }).click();
    await page.getByRole('button', { name: /^Exit all \d/ }).waitFor();
    expect(await breaches(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.evaluate("location.hash = '#/orders'");
    await page.locator('button.steps').first().click();
    await page.getByRole('dialog').waitFor();
    expect(await breaches(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  it(`draws ${POSITIONS} positions that tick without a task over ${LONG_TASK_MS} ms`, async () => {
    const { page, gateway } = opened;
    for (const product_type of ['INTRADAY', 'DELIVERY']) {
      for (const one of await shares(opened)) {
        await gateway.place({ ...one, transaction_type: 'BUY', order_type: 'MARKET', product_type, quantity: 1 });
      }
    }
    await page.evaluate("location.hash = '#/positions'");
    const rows = page.locator('[aria-label="Open positions"] tbody tr');
    await expect.poll(() => rows.count(), { timeout: 10_000 }).toBeGreaterThanOrEqual(POSITIONS);
    const before = await page.locator('tbody').first().textContent();
    const longest = await longestTask(page, WATCHED_MS);
    expect(await page.locator('tbody').first().textContent()).not.toBe(before);
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(LONG_TASK_MS);
  }, 120_000);

  it('breaks no rule of its policy and asks nobody else', () => {
    expect(opened.complaints).toEqual([]);
    expect(opened.foreign).toEqual([]);
  });
});

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds of the processor that its thread had. */
  tdur?: number;
  args?: { name?: string; data?: { frames?: { processId?: number }[] } };
}

/**
 * The longest task of a page's main thread within `ms`, in ms of the processor: a machine that many share keeps every task waiting, and a long task as
 * PerformanceObserver counts it is then one that waited.
 */
async function longestTask(page: Page, ms: number): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'devtools.timeline', '__metadata'] },
  });
  await page.waitForTimeout(ms);
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const main = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events.filter(({ name, pid, tid }) => /RunTask$/.test(name) && main.has(`${pid} ${tid}`));
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000));
}

/** The shares of NSE that the practice exchange trades. */
async function shares({ gateway }: Console): Promise<{ exchange: string; symbol: string; token: string }[]> {
  const { body } = await gateway.call('GET', '/broker/instruments?exchange=NSE&kind=EQ&limit=100');
  return body.instruments.map(({ exchange, broker_symbol: symbol, token }: Record<string, string>) => ({ exchange, symbol, token }));
}

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, chromiumPath, openConsole, rowOf, signIn } from './console.ts';
import { playDay } from './play-day.ts';

const title = chromiumPath ? 'charts and events' : 'charts and events (skipped: no chromium on PATH)';
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const rules = JSON.stringify({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] });
const brief = "({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html)";
const views = ['charts', 'events', 'session', 'users', 'alerts'];

describe.skipIf(!chromiumPath)(title, () => {
  let opened: Console;
  let page: Page;

  beforeAll(async () => {
    opened = await openConsole();
    page = opened.page;
    page.setDefaultTimeout(8000);
    await playDay(opened.gateway);
    await signIn(page, opened.gateway.url, opened.gateway.token, 'charts');
  }, 90_000);
  afterAll(() => opened?.stop());

  const go = async (view: string) => {
    await page.goto(`${opened.gateway.url}/console#/${view}`);
    await page.locator('#view h1').waitFor();
  };
  const painted = (label: RegExp) =>
    page
      .getByRole('img', { name: label })
      .locator('canvas')
      .evaluate((canvas: unknown) => {
        const { width, height, getContext } = canvas as { width: number; height: number; getContext(kind: string): unknown };
        const context = getContext.call(canvas, '2d') as { getImageData(...area: number[]): { data: Uint8ClampedArray } };
        return context.getImageData(0, 0, width, height).data.some((value) => value > 0);
      });

  it('draws equity, prices with fills and latencies, each with a table that says the same', async () => {
    const { orders } = (await opened.gateway.call('GET', '/broker/latencies')).body;
    for (const label of [/^Profit over the day/, /^Price of NSE:/, new RegExp(`^Latency of ${orders.length} orders`)]) {
      // Two points of a day are five seconds apart, and the page asks every ten.
      await page.getByRole('img', { name: label }).waitFor({ timeout: 25_000 });
      await expect.poll(() => painted(label)).toBe(true);
    }
    await page.locator('figure', { hasText: 'Realised' }).getByText('The figures as a table').press('Enter');
    const table = page.getByRole('table', { name: 'Equity of the day' });
    // The page asks every 10 s: until then it may be a point behind.
    await expect
      .poll(async () => JSON.stringify(await figuresOf(table)) === JSON.stringify(await equityOf(opened)), { timeout: 15_000 })
      .toBe(true);
  });

  it('says what each instrument and strategy earned, as the gateway has it', async () => {
    const { by_strategy } = (await opened.gateway.call('GET', '/broker/profit')).body;
    const table = page.getByRole('table', { name: 'Profit by strategy' });
    await expect.poll(() => table.locator('tbody tr').count()).toBe(by_strategy.length);
    const { realised } = by_strategy.find(({ strategy }: { strategy: string }) => strategy === 'breakout');
    const cell = table.locator('tr', { hasText: 'breakout' }).locator('td').nth(2);
    expect(figureOf(await cell.innerText())).toBe(realised);
  });

  it('follows the price of the instrument that is named', async () => {
    await page.getByRole('combobox', { name: 'Instrument' }).fill('nse:hdfcbank');
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: /^Price of NSE:HDFCBANK: [\d,.]+ at .*, 2 fills$/ }).waitFor();
  });

  it('lists events newest first, and new ones as they happen', async () => {
    await go('events');
    await rowOf(page, 'order.rejected', 'MARUTI').waitFor();
    const before = await page.locator('tbody tr').count();
    await opened.gateway.call('POST', '/broker/kill-switch', { on: true });
    await page.locator('tbody tr').first().filter({ hasText: 'kill_switch' }).waitFor();
    await opened.gateway.call('POST', '/broker/kill-switch', { on: false });
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(before);
  });

  it('filters by keyboard, keeps the filter in the address, and clears it', async () => {
    await page.getByLabel('Symbol').fill('MARUTI');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    expect(await page.locator('tbody tr', { hasText: 'MARUTI' }).count()).toBe(2);
    expect(page.url()).toContain('#/events?symbol=MARUTI');
    await page.reload();
    await rowOf(page, 'order.rejected', 'MARUTI').waitFor();
    expect(await page.getByLabel('Symbol').inputValue()).toBe('MARUTI');
    await page.getByLabel('From (IST)').fill('2020-01-01T09:15');
    await page.getByLabel('Before (IST)').fill('2020-01-01T15:30');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('Nothing like that happened').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await rowOf(page, 'session.connected').first().waitFor();
  });

  it('hands over events, orders and trades as CSV', async () => {
    const text = async (name: string) => {
      const coming = page.waitForEvent('download');
      await page.getByRole('button', { name: `${name} as CSV` }).click();
      const file = await coming;
      expect(file.suggestedFilename()).toMatch(new RegExp(`^${name.toLowerCase()}-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
      return readFileSync(await file.path(), 'utf8');
    };
    const trades = (await text('Trades')).trim().split('\r\n');
    expect(trades).toHaveLength(1 + (await opened.gateway.call('GET', '/broker/records/trades')).body.trades.length);
    expect(trades[0]).toBe('traded_at,trade_id,order_id,exchange,symbol,instrument,transaction_type,product_type,quantity,price');
    expect(await text('Orders')).toContain('too large');
    const events = await text('Events');
    expect(events).toContain('order.rejected');
    expect(events.trim().split('\r\n').length).toBeGreaterThan(30);
  });

  it.each([
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 360 },
  ] as const)('is sound for everybody in every view, $colorScheme, $width wide', { timeout: 60_000 }, async ({ colorScheme, width }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    for (const view of views) {
      await go(view);
      await page.locator('#view .panel, #view .empty, #view .table-frame').first().waitFor();
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(width);
      expect(await page.evaluate(`${axe}; axe.run(document, ${rules}).then(${brief})`), view).toEqual([]);
    }
  });

  it('complains of nothing and asks nobody else', () => {
    expect(opened.complaints).toEqual([]);
    expect(opened.foreign.filter((address) => !address.startsWith('blob:'))).toEqual([]);
  });
});

/** A figure as the page writes it, as a number; null where it is not known. */
function figureOf(text: string): number | null {
  const figure = text.replace('\u2212', '-').replace(/[^\d.-]/g, '');
  return figure === '' ? null : Number(figure);
}

/** Realised, unrealised and total of each point, newest first, as the table has them. */
async function figuresOf(table: Locator): Promise<(number | null)[][]> {
  const rows = await table
    .locator('tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.cells].slice(1).map((cell) => cell.innerText)));
  return rows.map((cells) => cells.map(figureOf));
}

/** The same as the gateway has it. */
async function equityOf({ gateway }: Console): Promise<(number | null)[][]> {
  const { equity } = (await gateway.call('GET', '/broker/profit')).body;
  return equity.map(({ realised, unrealised, total }: Record<string, number | null>) => [realised, unrealised, total]).toReversed();
}

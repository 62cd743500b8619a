import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PracticeExchange } from '../../server/exchange/host.ts';
import { breaches } from './axe.ts';
import { type Console, chromiumPath, openConsole, rowOf, signIn, untilListed } from './console.ts';
import { liveAtEmulator } from './live.ts';

const title = chromiumPath ? 'the console of real money' : 'the console of real money (skipped: no chromium on PATH)';
/** --live of colours.css, light and dark. */
const RED = { light: 'rgb(163, 20, 15)', dark: 'rgb(179, 33, 27)' } as const;

describe.skipIf(!chromiumPath)(title, () => {
  let venue: PracticeExchange;
  let opened: Console;
  let page: Page;
  beforeAll(async () => {
    const live = await liveAtEmulator();
    venue = live.venue;
    opened = await openConsole({ env: live.env });
    page = opened.page;
    page.setDefaultTimeout(10_000);
    await untilListed(opened.gateway);
    await signIn(page, opened.gateway.url, opened.gateway.token);
  }, 60_000);
  afterAll(async () => {
    await opened?.stop();
    await venue?.close();
  });

  it('says LIVE in words and in a colour of its own, in every view, light and dark, wide and narrow', async () => {
    expect((await opened.gateway.call('GET', '/broker/overview')).body.mode).toBe('live');
    for (const view of ['positions', 'orders', 'ticket']) {
      await page.evaluate(`location.hash = '#/${view}'`);
      await page.locator('.band', { hasText: 'LIVE' }).filter({ hasText: 'real orders, real money' }).waitFor();
    }
    for (const width of [1280, 360])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        const band = page.locator('.band', { hasText: 'LIVE' });
        expect(await band.isVisible()).toBe(true);
        await expect.poll(() => page.evaluate("getComputedStyle(document.querySelector('.band')).backgroundColor")).toBe(RED[colorScheme]);
        expect(await breaches(page)).toEqual([]);
      }
    expect(await page.locator('.head').textContent()).not.toMatch(/practice|simulated/i);
  });

  it('says so once more before an order leaves', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('Instrument', { exact: true }).fill('infy');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByLabel('Quantity').inputValue(), { timeout: 10_000 }).toBe('1');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('A real order, with real money.').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('Filled.').waitFor();
    await page.keyboard.press('Escape');
    await page.evaluate("location.hash = '#/positions'");
    await rowOf(page, 'INFY').waitFor();
    expect(JSON.stringify(venue.exchange.ledger())).toContain('INFY');
  });

  it('breaks no rule of its policy and asks nobody else', () => {
    expect(opened.complaints).toEqual([]);
    expect(opened.foreign).toEqual([]);
  });
});

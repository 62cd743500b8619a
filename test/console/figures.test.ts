import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, chromiumPath, openConsole, rowOf, signIn, untilListed } from './console.ts';

const title = chromiumPath ? 'figures of positions and orders' : 'figures of positions and orders (skipped: no chromium on PATH)';
const order = { exchange: 'NSE', token: '', order_type: 'MARKET', product_type: 'INTRADAY', quantity: 10, transaction_type: 'BUY' };

describe.skipIf(!chromiumPath)(title, () => {
  let opened: Console;
  let page: Page;
  beforeAll(async () => {
    opened = await openConsole();
    page = opened.page;
    page.setDefaultTimeout(10_000);
    await untilListed(opened.gateway);
    await signIn(page, opened.gateway.url, opened.gateway.token);
  }, 60_000);
  afterAll(() => opened?.stop());

  const pin = (symbol: string, price: string) => opened.gateway.context.exchange?.exchange.setPrice('NSE', symbol, price);
  /** The figure of a column, as a number. */
  const figure = async (symbol: string, column: string) => {
    const text = await rowOf(page, symbol).locator(`td[data-label="${column}"]`).innerText();
    return Number(text.replace('\u2212', '-').replace(/[^\d.-]/g, ''));
  };

  it('values a position at the live price, today and since its entry, and sums them up', async () => {
    pin('INFY', '1500');
    pin('TCS', '3000');
    const { body: long } = await opened.gateway.place({ ...order, symbol: 'INFY' });
    const { body: short } = await opened.gateway.place({ ...order, symbol: 'TCS', transaction_type: 'SELL', quantity: 4 });
    await rowOf(page, 'INFY', 'LONG', '10').waitFor();
    await rowOf(page, 'TCS', 'SHORT', '\u22124').waitFor();
    // From here on ticks alone tell of prices.
    await page.route('**/broker/records/positions', (route) => route.abort());
    pin('INFY', '1512.5');
    pin('TCS', '3010');
    const gains = { INFY: (1512.5 - long.avg_fill_price) * 10, TCS: (short.avg_fill_price - 3010) * 4 };
    for (const [symbol, gain] of Object.entries(gains)) {
      await expect.poll(() => figure(symbol, 'Last')).toBe(symbol === 'INFY' ? 1512.5 : 3010);
      for (const column of ['Today', 'Since entry']) await expect.poll(() => figure(symbol, column)).toBeCloseTo(gain, 1);
    }
    const sum = async () => Number((await page.locator('.sums .gain').first().innerText()).replace('\u2212', '-').replace(/[^\d.-]/g, ''));
    await expect.poll(sum).toBeCloseTo(gains.INFY + gains.TCS, 1);
    await page.unroute('**/broker/records/positions');
  });

  it('shows the steps of an order in ms, and all of them as a timeline, as the records have them', async () => {
    await page.evaluate("location.hash = '#/orders'");
    const row = rowOf(page, 'INFY');
    await row.waitFor();
    const { orders } = (await opened.gateway.call('GET', '/broker/records/orders')).body;
    const { steps } = orders.find(({ symbol }: { symbol: string }) => symbol === 'INFY') as { steps: { step: string; after_ms: number }[] };
    const after = (name: string) => Math.round(steps.find(({ step }) => step === name)?.after_ms ?? Number.NaN);
    expect(await row.locator('button.steps').innerText()).toMatch(
      new RegExp(`Sent\\s*${after('sent')}\\s*Accepted\\s*${after('accepted')}\\s*Filled\\s*${after('filled')}`),
    );
    await row.locator('button.steps').click();
    const shown = page.getByRole('dialog').locator('.timeline li');
    await shown.first().waitFor();
    expect(await shown.count()).toBe(steps.length);
    const [first] = steps;
    expect(first?.step).toBe('claimed');
    expect(await shown.first().innerText()).toMatch(/^Claimed/);
    expect((await shown.locator('.after').allInnerTexts()).slice(1).every((text) => /^\+[\d.]+ (ms|s)$/.test(text))).toBe(true);
    await page.keyboard.press('Escape');
  });

  it('breaks no rule of its policy and asks nobody else', () => {
    expect(opened.complaints).toEqual([]);
    expect(opened.foreign).toEqual([]);
  });
});

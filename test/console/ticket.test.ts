import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, chromiumPath, openConsole, signIn, untilListed } from './console.ts';

const title = chromiumPath ? "the ticket's figures" : "the ticket's figures (skipped: no chromium on PATH)";

describe.skipIf(!chromiumPath)(title, () => {
  let opened: Console;
  let page: Page;
  beforeAll(async () => {
    opened = await openConsole();
    page = opened.page;
    page.setDefaultTimeout(10_000);
    await untilListed(opened.gateway);
    await signIn(page, opened.gateway.url, opened.gateway.token, 'ticket');
  }, 60_000);
  afterAll(() => opened?.stop());

  const choose = async (words: string) => {
    await page.getByLabel('Instrument', { exact: true }).fill(words);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByLabel('Quantity').inputValue()).not.toBe('');
  };
  const margin = () => page.locator('.market dt', { hasText: 'Margin' }).locator('+ dd');

  it("shows the margin as the gateway tells it, at the order's own price", async () => {
    await choose('sbin');
    await page.getByRole('radio', { name: 'Limit', exact: true }).check();
    await page.getByLabel('Quantity').fill('40');
    await page.getByLabel('Limit price').fill('750');
    // A fifth of 30,000 is what the practice exchange holds.
    await margin().filter({ hasText: '6,000.00' }).waitFor();
    await page.getByRole('radio', { name: 'Delivery' }).check();
    await margin().filter({ hasText: '30,000.00' }).waitFor();
    await page.getByRole('button', { name: /^Buy/ }).click();
    expect(await page.getByRole('dialog').locator('dt', { hasText: 'Margin' }).locator('+ dd').textContent()).toBe('30,000.00');
    await page.keyboard.press('Escape');
  });

  it('asks once for what is typed at a time, and nothing while a field is wrong', async () => {
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/broker/margin')) asked.push(request.postData() ?? '');
    });
    await page.getByLabel('Quantity').fill('');
    await page.getByLabel('Quantity').pressSequentially('125');
    await margin().filter({ hasText: '93,750.00' }).waitFor();
    expect(asked.map((body) => JSON.parse(body).quantity)).toEqual([125]);
    await page.getByLabel('Limit price').fill('750.03');
    await page.getByText('A multiple of').waitFor();
    expect(await margin().textContent()).toBe('\u2013');
    expect(asked).toHaveLength(1);
    await page.getByLabel('Limit price').fill('750');
  });

  it('warns of more than the free funds', async () => {
    await page.getByLabel('Quantity').fill('4000');
    await margin().filter({ hasText: '30,00,000.00' }).waitFor();
    await page.getByText('More than the free funds').waitFor();
    await page.getByLabel('Quantity').fill('10');
    await page.getByText('More than the free funds').waitFor({ state: 'hidden' });
  });

  it('says where the broker does not tell it, and why', async () => {
    await page.route('**/broker/margin', (route) =>
      route.fulfill({ json: { success: false, message: 'upstox has no margin calculator' } }),
    );
    await page.getByLabel('Quantity').fill('11');
    await margin().filter({ hasText: 'not told' }).waitFor();
    await page.getByText('No margin told: upstox has no margin calculator.').waitFor();
  });

  it('breaks no rule of its policy and asks nobody else', () => {
    expect(opened.complaints).toEqual([]);
    expect(opened.foreign).toEqual([]);
  });
});

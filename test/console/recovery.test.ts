import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type Console, chromiumPath, openConsole, rowOf, signIn, untilListed } from './console.ts';

const title = chromiumPath
  ? 'what the console says when something breaks'
  : 'what the console says when something breaks (skipped: no chromium on PATH)';
const order = {
  symbol: 'INFY',
  exchange: 'NSE',
  token: '',
  order_type: 'MARKET',
  product_type: 'INTRADAY',
  quantity: 3,
  transaction_type: 'BUY',
};

describe.skipIf(!chromiumPath)(title, () => {
  let opened: Console;
  /** The gateway that runs now. */
  let gateway: TestGateway;
  beforeAll(async () => {
    opened = await openConsole();
    gateway = opened.gateway;
    await untilListed(gateway);
    await gateway.place(order);
    await signIn(opened.page, gateway.url, gateway.token);
    await rowOf(opened.page, 'INFY').waitFor();
  });
  afterAll(async () => {
    await opened?.browser.close();
    await gateway?.halt();
    await opened?.gateway.stop();
  });

  it('says that the gateway is away, greys what it knows, and comes back by itself', async () => {
    const { page } = opened;
    const { databaseUrl, dataDir, url } = gateway;
    await gateway.halt();
    await page.getByText('The gateway cannot be reached.').waitFor();
    expect(await page.locator('.streaming').textContent()).toBe('No connection');
    expect(await page.evaluate<string>("getComputedStyle(document.querySelector('td.number')).filter")).toContain('grayscale');
    const env = { BROKERS: 'zerodha,dhan,fyers', PORT: new URL(url).port };
    gateway = await startGateway({ from: { databaseUrl, dataDir }, env, instruments: true });
    await page.getByText('The gateway cannot be reached.').waitFor({ state: 'hidden' });
    await expect.poll(() => page.locator('.streaming').textContent(), { timeout: 10_000 }).toBe('Live');
    await gateway.place({ ...order, transaction_type: 'SELL' });
    await page.getByText('No open position').waitFor();
  });

  it('says that there is no network, and comes back by itself', async () => {
    const { page, browser } = opened;
    await browser.context.setOffline(true);
    await page.getByText('This device has no network.').waitFor();
    await browser.context.setOffline(false);
    await page.getByText('This device has no network.').waitFor({ state: 'hidden' });
    await untilListed(gateway);
    await gateway.place(order);
    await rowOf(page, 'INFY').waitFor();
  });

  it('sends an order once, however often its button is pressed and whatever becomes of the answer', async () => {
    const { page } = opened;
    const before = await count(gateway);
    let asked = 0;
    await page.route('**/broker/orders/place', async (route) => {
      asked += 1;
      const first = asked === 1;
      // The gateway gets it and answers; the answer is lost on the way.
      const answer = await route.fetch();
      if (first) await route.abort('connectionreset');
      else await route.fulfill({ response: answer });
    });
    await page.goto(`${gateway.url}/console#/ticket`);
    await page.getByLabel('Instrument', { exact: true }).fill('wipro');
    await page.locator('[role=option]').first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Buy/ }).click();
    await page.getByRole('button', { name: 'BUY 1 WIPRO' }).dblclick();
    await page.getByRole('dialog').getByText('Filled.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.unroute('**/broker/orders/place');
    expect(asked).toBe(2);
    expect(await count(gateway)).toBe(before + 1);
  });

  it('says that an order never arrived, and does not send it by itself', async () => {
    const { page } = opened;
    const before = await count(gateway);
    let asked = 0;
    await page.route('**/broker/orders/place', async (route) => {
      asked += 1;
      if (asked === 1) await route.abort('connectionreset');
      else await route.continue();
    });
    await page.getByLabel('Instrument', { exact: true }).fill('itc');
    await page.locator('[role=option]').filter({ hasText: 'NSE' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Buy/ }).click();
    await page.getByRole('button', { name: 'BUY 1 ITC' }).click();
    await page.getByText('Nothing was placed.').first().waitFor();
    expect(await count(gateway)).toBe(before);
    // Left and come back to: it is not forgotten, and nothing is sent.
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByText('never reached the gateway').waitFor();
    expect(await count(gateway)).toBe(before);
    await page.getByRole('button', { name: 'Send it, same key' }).click();
    await page.getByRole('button', { name: 'See the answer' }).click();
    await page.getByRole('dialog').getByText('Filled.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.unroute('**/broker/orders/place');
    expect(await count(gateway)).toBe(before + 1);
  });

  it('says that the token is not taken any more, and goes on with a new one', async () => {
    const { page } = opened;
    const { body: added } = await gateway.call('POST', '/broker/users', { name: 'desk' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API token').fill(added.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Ticket' }).waitFor();
    await gateway.call('POST', '/broker/users/revoke', { name: 'desk' });
    await page.getByText('The gateway does not take this token any more.').waitFor();
    await page.getByLabel('API token').fill(gateway.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Ticket' }).waitFor();
    await expect.poll(() => page.locator('.streaming').textContent(), { timeout: 10_000 }).toBe('Live');
  });

  it('breaks no rule of its policy and asks nobody else', () => {
    expect(opened.complaints).toEqual([]);
    expect(opened.foreign).toEqual([]);
  });
});

/** Orders at the venue. */
async function count(gateway: TestGateway): Promise<number> {
  return (await gateway.call('GET', '/broker/orders')).body.normalized.length;
}

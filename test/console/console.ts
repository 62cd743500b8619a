import type { Page } from 'playwright-core';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { type StartOptions, startGateway, type TestGateway } from '../support/gateway.ts';

export { chromiumPath } from '../support/browser.ts';

/** A gateway in practice mode with three brokers, and a browser that has its console open. */
export interface Console {
  gateway: TestGateway;
  browser: TestBrowser;
  page: Page;
  /** What the browser complained of: errors of the page, breaches of its policy. */
  complaints: string[];
  /** Addresses asked for that are not the gateway's. */
  foreign: string[];
  stop(): Promise<void>;
}

const brokers = 'zerodha,dhan,fyers';

export async function openConsole(options: StartOptions = {}): Promise<Console> {
  const gateway = await startGateway({ instruments: true, ...options, env: { BROKERS: brokers, ...options.env } });
  const browser = await startBrowser();
  const page = await browser.context.newPage();
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => {
    // Requests that fail are a test's own doing; what they lead to is looked at on the page.
    if (['error', 'warning'].includes(message.type()) && !/^Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(gateway.url) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  return {
    gateway,
    browser,
    page,
    complaints,
    foreign,
    async stop() {
      await browser.close();
      await gateway.stop();
    },
  };
}

/** Signs in as a person does. */
export async function signIn(page: Page, url: string, token: string, view = 'positions'): Promise<void> {
  await page.goto(`${url}/console#/${view}`);
  await page.getByLabel('API token').fill(token);
  await page.keyboard.press('Enter');
  await page.locator('#view h1').waitFor();
}

/** The row of a table that holds these words. */
export function rowOf(page: Page, ...words: string[]) {
  return words.reduce((found, word) => found.filter({ hasText: word }), page.locator('tbody tr'));
}

/** Waits until the broker's instrument file is read: the ticket finds by name from then on. */
export async function untilListed(gateway: TestGateway): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const { body } = await gateway.call('GET', '/broker/instruments?q=SBIN');
    if (body.success && body.instruments.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The instrument file was never read');
}

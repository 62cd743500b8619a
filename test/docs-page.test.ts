import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamRoute } from '../contract/events.ts';
import { contract } from '../contract/index.ts';
import { order, type Served, serve, TOKEN } from './http/stand-in.ts';

const executablePath = installedChromium();
const title = executablePath ? 'the docs site' : 'the docs site (skipped: no chromium on PATH)';

describe.skipIf(!executablePath)(title, () => {
  const profile = mkdtempSync(join(tmpdir(), 'docs-page-'));
  let served: Served;
  let browser: BrowserContext;
  let page: Page;
  const complaints: string[] = [];
  const foreign: string[] = [];

  beforeAll(async () => {
    served = await serve();
    browser = await chromium.launchPersistentContext(profile, {
      executablePath: executablePath ?? '',
      viewport: { width: 1280, height: 900 },
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    page = await browser.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(served.url) && !request.url().startsWith('data:')) foreign.push(request.url());
    });
    await page.goto(`${served.url}/docs`);
    await page.locator('.opblock').first().waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    rmSync(profile, { recursive: true, force: true });
  });

  it('lists every operation of the contract', async () => {
    expect(await page.title()).toBe('Broker Gateway');
    const listed = await page.locator('.opblock').evaluateAll((blocks) => blocks.map((block) => block.textContent ?? ''));
    const root = { method: 'GET', path: '/', summary: 'Read what the gateway is doing' };
    const routes = [root, ...Object.values(contract), streamRoute];
    expect(listed).toHaveLength(routes.length);
    for (const { method, path, summary } of routes) {
      const entry = listed.map((text) => text.replaceAll('\u200b', '')).find((text) => text.startsWith(`${method}${path}${summary}`));
      expect(entry, `${method} ${path}`).toBeDefined();
    }
  });

  it('authorises with a token and tries reads and orders', async () => {
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByLabel('auth-bearer-value').fill(TOKEN);
    await page.locator('.modal-ux button.authorize').click();
    await page.locator('.modal-ux button.btn-done').click();
    expect(await tryOut(page, 'getProfile')).toContain('AB1234');
    const placed = await tryOut(page, 'placeOrder');
    expect(placed).toContain('FILLED');
    expect(placed).toContain('"symbol": "SBIN"');
    const again = await execute(page, 'placeOrder');
    const keys = [placed, again].map((text) => /"idempotency_key": "(docs-[0-9a-f]{24})"/.exec(text)?.[1]);
    expect(keys).toEqual([expect.any(String), expect.any(String)]);
    expect(keys[0]).not.toBe(keys[1]);
    await page
      .locator('#operations-Broker-placeOrder textarea')
      .first()
      .fill(JSON.stringify({ ...order, idempotency_key: 'mine' }));
    expect(await execute(page, 'placeOrder')).toContain('"idempotency_key": "mine"');
    expect(await tryOut(page, 'connectBroker')).toContain('Connected to zerodha');
  }, 120_000);

  it('follows the colour scheme and fits a narrow screen', async () => {
    const background = () => page.evaluate<string>("getComputedStyle(document.querySelector('html')).backgroundColor");
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(background).not.toBe(light);
    await page.setViewportSize({ width: 360, height: 740 });
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(overflow).toBe(0);
  });

  it('breaks no rule of its policy and asks nobody else', () => {
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
  });
});

/** Runs one operation with its example input; the text of the live response, which must be 200. */
async function tryOut(page: Page, operationId: string): Promise<string> {
  const block = page.locator(`#operations-Broker-${operationId}`);
  await block.locator('.opblock-summary-control').click();
  await block.getByRole('button', { name: 'Try it out' }).click();
  return await execute(page, operationId);
}

async function execute(page: Page, operationId: string): Promise<string> {
  const block = page.locator(`#operations-Broker-${operationId}`);
  const clear = block.getByRole('button', { name: 'Clear' });
  if (await clear.isVisible()) await clear.click();
  await block.getByRole('button', { name: 'Execute' }).click();
  const live = block.locator('.live-responses-table .response');
  await live.waitFor();
  expect(await live.locator('.response-col_status').textContent()).toContain('200');
  return (await live.textContent()) ?? '';
}

function installedChromium(): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  return directories
    .flatMap((directory) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(directory, name)))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

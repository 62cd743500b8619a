import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamRoute } from '../contract/events.ts';
import { contract } from '../contract/index.ts';
import { order, type Served, serve, TOKEN } from './http/stand-in.ts';
import { chromiumPath, startBrowser, type TestBrowser } from './support/browser.ts';

const title = chromiumPath ? 'the docs site' : 'the docs site (skipped: no chromium on PATH)';
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const rules = JSON.stringify({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] });
const brief = "({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html)";
const guides = ['first-order', 'exits', 'idempotency', 'unknown-answers', 'going-live'];

describe.skipIf(!chromiumPath)(title, () => {
  let served: Served;
  let live: Served;
  let browser: TestBrowser;
  let page: Page;
  const complaints: string[] = [];
  const foreign: string[] = [];
  const placed: string[] = [];

  beforeAll(async () => {
    served = await serve();
    live = await serve({
      mode: 'live',
      gateway: { cancel: async (request) => ({ success: true, data: placed.push(request.order_id) }) },
    });
    browser = await startBrowser();
    page = await browser.context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (![served, live].some(({ url }) => request.url().startsWith(url)) && !request.url().startsWith('data:'))
        foreign.push(request.url());
    });
    await page.goto(`${served.url}/docs`);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    await live?.close();
  });

  it('lists every operation of the contract, in its group, with samples in three languages', async () => {
    expect(await page.title()).toBe('Broker Gateway');
    expect(await page.locator('.group > h2').allTextContents()).toEqual(['Session', 'Account', 'Orders', 'Data', 'Console']);
    const root = { method: 'GET', path: '/', summary: 'Read what the gateway is doing' };
    const routes = [root, ...Object.values(contract), streamRoute];
    const listed = await page.locator('.operation').evaluateAll((all) =>
      all.map((one) => ({
        title: one.querySelector('h3')?.textContent,
        line: one.querySelector('.line')?.textContent,
        samples: [...one.querySelectorAll('[data-sample]')].map((sample) => sample.getAttribute('data-sample')),
      })),
    );
    expect(listed).toHaveLength(routes.length);
    for (const { method, path, summary } of routes)
      expect(listed).toContainEqual({ title: summary, line: `${method} ${path}`, samples: ['Shell', 'TypeScript', 'Python'] });
  });

  it('shows the samples in the language that was chosen, on the next page too', async () => {
    const shown = () => page.locator('#placeOrder [data-sample]:visible').allTextContents();
    expect(await shown()).toEqual([expect.stringContaining('curl')]);
    await page.locator('#placeOrder').getByRole('button', { name: 'Python' }).press('Enter');
    expect(await shown()).toEqual([expect.stringContaining('urllib')]);
    await page.reload();
    expect(await shown()).toEqual([expect.stringContaining('urllib')]);
  });

  it('filters the contents', async () => {
    await page.getByLabel('Find an operation').fill('kill switch');
    expect(await page.locator('[data-find]:visible').count()).toBe(2);
    await page.getByLabel('Find an operation').fill('no such thing');
    expect(await page.locator('.none').textContent()).toBe('No operation has these words.');
    await page.getByLabel('Find an operation').fill('');
  });

  it('tries reads and orders with a token, each order with a key of its own', async () => {
    expect(await tried(page, 'getProfile')).toMatch(/^401/);
    await page.getByLabel('API token').fill(TOKEN);
    await page.getByRole('button', { name: 'Use it' }).click();
    expect(await tried(page, 'getProfile')).toContain('AB1234');
    const answers = [await tried(page, 'placeOrder'), await tried(page, 'placeOrder')];
    expect(answers[0]).toContain('FILLED');
    const keys = answers.map((text) => /"idempotency_key": "(docs-[0-9a-f]{24})"/.exec(text)?.[1]);
    expect(keys).toEqual([expect.any(String), expect.any(String)]);
    expect(keys[0]).not.toBe(keys[1]);
    await page.locator('#placeOrder-body').fill(JSON.stringify({ ...order, idempotency_key: 'mine' }));
    expect(await tried(page, 'placeOrder')).toContain('"idempotency_key": "mine"');
    expect(await tried(page, 'connectBroker')).toContain('Connected to zerodha');
    expect(await tried(page, 'getInstrument')).toContain('NFO:NIFTY29DEC2626000CE');
  });

  it('is asked once more in live mode before anything changes', async () => {
    await page.goto(`${live.url}/docs`);
    await page.getByText('LIVE: real orders').waitFor();
    await page.getByLabel('API token').fill(TOKEN);
    const form = await opened(page, 'cancelOrder');
    await form.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Do not send' }).click();
    await expect.poll(() => form.getAttribute('aria-busy')).toBe('false');
    expect(placed).toEqual([]);
    await form.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Send it', exact: true }).click();
    await expect.poll(() => placed).toEqual(['1953341975595868160']);
  });

  it('reads as guides, whose links lead somewhere', async () => {
    const links = new Set<string>();
    for (const guide of guides) {
      expect((await page.goto(`${served.url}/docs/guides/${guide}`))?.status(), guide).toBe(200);
      expect(await page.locator('.guide h1').count(), guide).toBe(1);
      const words = await page.locator('.guide :is(h1, h2, h3, p, li, td)').allTextContents();
      expect(words.join('\n'), guide).not.toMatch(/`|\*\*|\]\(/);
      for (const link of await page.locator('main a').evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? '')))
        links.add(link);
    }
    expect(links).toContain('/docs#placeOrder');
    expect(links).toContain('/docs#exitPositions');
    for (const link of links) {
      await page.goto(served.url + link);
      const [, part] = link.split('#');
      if (part) expect(await page.locator(`[id="${part}"]`).count(), link).toBe(1);
    }
  });

  it.each([
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 360 },
  ] as const)(
    'is sound for everybody, $colorScheme, $width wide',
    async ({ colorScheme, width }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      for (const path of ['/docs', '/docs/guides/exits']) {
        await page.goto(served.url + path);
        await page.locator('.contents, .guide details, [id=placeOrder] details, [id=followStream] details').evaluateAll((all) => {
          for (const one of all as unknown as { open: boolean }[]) one.open = true;
        });
        expect(await page.evaluate<number>('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
        expect(await page.evaluate(`${axe}; axe.run(document, ${rules}).then(${brief})`), path).toEqual([]);
      }
    },
    60_000,
  );

  it('breaks no rule of its policy and asks nobody else', () => {
    expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([]);
    expect(foreign).toEqual([]);
  });
});

async function opened(page: Page, operationId: string) {
  const section = page.locator(`[id="${operationId}"]`);
  if (!(await section.locator('.try form').isVisible())) await section.getByText('Try it').press('Enter');
  return section.locator('.try form');
}

/** Sends an operation by keyboard with what its form holds; what is told of the answer, and the answer. */
async function tried(page: Page, operationId: string): Promise<string> {
  const form = await opened(page, operationId);
  await form.getByRole('button', { name: 'Send' }).press('Enter');
  await expect.poll(() => form.locator('.outcome').textContent()).toMatch(/^\d/);
  await expect.poll(() => form.getAttribute('aria-busy')).toBe('false');
  return `${await form.locator('.outcome').textContent()} ${await form.locator('.answer').textContent()}`;
}

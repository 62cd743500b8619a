import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';
import { liveAtEmulator } from './live.ts';
import { playDay } from './play-day.ts';

/** `npm run console-shots [-- FOLDER [VIEW...]]`: takes a picture of every view of the console, light and dark, wide and narrow, after a short day, and of real money's. */
const [folder = 'test/.tmp/console-shots', ...only] = process.argv.slice(2);
const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const;
const schemes = ['light', 'dark'] as const;
/** Long enough for the first ticks. */
const SETTLE_MS = 1500;

type Act = (page: Page) => Promise<void>;

/** What is done on a view before its picture. */
const prepare: Record<string, Act | undefined> = {
  async ticket(page) {
    await page.getByLabel('Instrument', { exact: true }).fill('infy');
    await page.locator('[role=option]').first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('radio', { name: 'Limit', exact: true }).click();
    await page.locator('button.touch').nth(1).click();
    await page.waitForTimeout(SETTLE_MS / 2);
  },
};

/** Dialogs of a view that have a picture of their own. */
const dialogs: Record<string, Record<string, Act> | undefined> = {
  positions: { 'exit-all': (page) => page.getByRole('button', { name: /^Exit all/ }).click() },
  orders: { timeline: (page) => page.locator('button.steps').first().click() },
  ticket: { review: (page) => page.locator('.ticket button[type=submit]').click() },
};

mkdirSync(folder, { recursive: true });
await shootAll({ BROKERS: 'zerodha,dhan,fyers', PRACTICE_LIMITS: 'off', PRACTICE_SEED: '7' }, { prefix: '', views: only });
// The same in live mode, at an emulator on this machine: the views where money moves.
const { venue, env } = await liveAtEmulator();
await shootAll(env, { prefix: 'live-', views: ['positions', 'ticket'].filter((view) => only.length === 0 || only.includes(view)) });
await venue.close();

interface Wanted {
  prefix: string;
  /** All, and the sign-in, when none is named. */
  views: readonly string[];
}

async function shootAll(settings: Record<string, string>, wanted: Wanted): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'console-shots-'));
  const gateway = await startProcess({ DATA_DIR: dataDir, ...settings });
  try {
    await playDay(gateway);
    for (const scheme of schemes) for (const size of ['wide', 'narrow'] as const) await shoot(gateway, scheme, size, wanted);
  } finally {
    await gateway.end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function shoot(
  { url, token }: GatewayProcess,
  scheme: 'light' | 'dark',
  size: keyof typeof sizes,
  { prefix, views: wanted }: Wanted,
): Promise<void> {
  const browser = await startBrowser({ viewport: sizes[size], colorScheme: scheme });
  const page = await browser.context.newPage();
  const take = (name: string) => page.screenshot({ path: join(folder, `${prefix}${name}-${scheme}-${size}.png`) });
  page.on('pageerror', (error) => process.stderr.write(`${error.stack}\n`));
  await page.goto(`${url}/console`);
  await page.getByLabel('API token').waitFor();
  if (wanted.length === 0) await take('sign-in');
  await page.getByLabel('API token').fill(token);
  await page.keyboard.press('Enter');
  await page.locator('#view h1').waitFor();
  const views = await page.locator('nav li a').evaluateAll((links) => links.map((link) => link.getAttribute('href')?.slice(2) ?? ''));
  for (const view of views.filter((name) => wanted.length === 0 || wanted.includes(name))) {
    await page.goto(`${url}/console#/${view}`);
    await page.waitForTimeout(SETTLE_MS);
    await prepare[view]?.(page);
    await take(view);
    for (const [name, open] of Object.entries(dialogs[view] ?? {})) {
      await open(page);
      await page.waitForTimeout(SETTLE_MS / 2);
      await take(`${view}-${name}`);
      await page.keyboard.press('Escape');
    }
  }
  await browser.close();
}

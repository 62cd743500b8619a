import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, chromiumPath, openConsole, signIn } from './console.ts';

const title = chromiumPath ? "logins on brokers' pages" : "logins on brokers' pages (skipped: no chromium on PATH)";

describe.skipIf(!chromiumPath)(title, () => {
  let opened: Console;
  let page: Page;
  let begun: string[] = [];

  beforeAll(async () => {
    opened = await openConsole({ env: { BROKERS: 'zerodha,fyers,upstox,dhan' } });
    page = opened.page;
    page.setDefaultTimeout(8000);
    page.on('request', (request) => {
      if (request.url().endsWith('/broker/login/finish')) begun.push(request.postData() ?? '');
    });
    await signIn(page, opened.gateway.url, opened.gateway.token, 'session');
  }, 60_000);
  afterAll(() => opened?.stop());

  const open = async (broker: string) => {
    await page.getByLabel('Broker', { exact: true }).selectOption(broker);
    await page.getByRole('button', { name: 'Sign in at the broker' }).click();
    await page.getByRole('dialog').waitFor();
  };
  const connected = () => opened.gateway.call('GET', '/broker/overview').then(({ body }) => `${body.broker} ${body.session.active}`);

  it.each(['fyers', 'zerodha'])('goes to the page of %s and comes back signed in', async (broker) => {
    await open(broker);
    const before = await page.evaluate<number>('history.length');
    await page.getByRole('link', { name: "Go to the broker's page" }).press('Enter');
    await page.waitForURL(/\/console#\/session$/);
    await page.locator('.ledger', { hasText: new RegExp(broker, 'i') }).waitFor();
    expect(await connected()).toBe(`${broker} true`);
    expect(begun.splice(0)).toHaveLength(1);
    // What the broker said stands neither in the address nor in the history.
    for (let back = await page.evaluate<number>('history.length'); back > before; back -= 1) {
      await page.goBack();
      expect(page.url()).not.toMatch(/code=|token=/);
    }
    await page.goto(`${opened.gateway.url}/console#/session`);
    await page.locator('#view h1').waitFor();
  });

  it('takes a pasted address where the broker comes back elsewhere, and says what is wrong with another', async () => {
    await open('upstox');
    const address = await page.getByRole('link', { name: "Go to the broker's page" }).getAttribute('href');
    const answer = await fetch(address ?? '', { redirect: 'manual' });
    await page.getByLabel('Address the broker ended at').fill('https://example.com/?nothing=here');
    await page.keyboard.press('Enter');
    await page.locator('#login-said-fault').waitFor();
    await page.getByLabel('Close').click();
    await open('upstox');
    const again = await fetch((await page.getByRole('link', { name: "Go to the broker's page" }).getAttribute('href')) ?? '', {
      redirect: 'manual',
    });
    expect([answer.status, again.status]).toEqual([302, 302]);
    await page.getByLabel('Address the broker ended at').fill(again.headers.get('location') ?? '');
    await page.keyboard.press('Enter');
    await page.locator('.toast.good').waitFor();
    expect(await connected()).toBe('upstox true');
    begun = [];
  });

  it('says where a broker wants no person', async () => {
    await open('dhan');
    await page.getByRole('dialog').locator('.notice').waitFor();
    expect(await page.getByRole('dialog').getByRole('link').count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  it('does nothing with a callback that this tab did not begin', async () => {
    const other = await opened.browser.context.newPage();
    await signIn(other, opened.gateway.url, opened.gateway.token, 'session');
    await other.goto(`${opened.gateway.url}/console/callback?request_token=stolen&status=success`);
    await other.getByText('This login was not begun in this tab.').waitFor();
    expect(other.url()).toBe(`${opened.gateway.url}/console/callback`);
    await other.close();
    expect(begun).toEqual([]);
    expect(await connected()).toBe('upstox true');
  });

  it('complains of nothing', () => {
    expect(opened.complaints).toEqual([]);
  });
});

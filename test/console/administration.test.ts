import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, chromiumPath, openConsole, rowOf, signIn } from './console.ts';

const title = chromiumPath ? 'session, users and alerts' : 'session, users and alerts (skipped: no chromium on PATH)';

describe.skipIf(!chromiumPath)(title, () => {
  let opened: Console;
  let page: Page;
  let hook: Server;
  const delivered: string[] = [];

  beforeAll(async () => {
    hook = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (part) => delivered.push(part));
      request.on('end', () => response.end());
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => hook.once('listening', resolve));
    const address = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    opened = await openConsole({ instruments: false, env: { ALERT_WEBHOOK_URL: address, ALERT_WEBHOOK_SECRET: secret } });
    page = opened.page;
    page.setDefaultTimeout(8000);
    await opened.browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page, opened.gateway.url, opened.gateway.token, 'users');
  }, 60_000);
  afterAll(async () => {
    await opened?.stop();
    hook?.close();
  });

  const go = async (view: string) => {
    await page.goto(`${opened.gateway.url}/console#/${view}`);
    await page.locator('#view h1').waitFor();
  };
  const works = async (token: string) =>
    (await fetch(`${opened.gateway.url}/broker/kill-switch`, { headers: { Authorization: `Bearer ${token}` } })).status;

  it('adds a user by keyboard, shows the token once, copies it, and revokes it', async () => {
    await page.getByRole('button', { name: 'Add a user' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Not A Name');
    await page.keyboard.press('Enter');
    await page.locator('#user-name-fault').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Not A Name');
    await page.getByLabel('Name').fill('breakout');
    await page.keyboard.press('Enter');
    const token = await page.getByLabel('API token').inputValue();
    expect(await works(token)).toBe(200);
    await page.getByRole('button', { name: 'Copy' }).press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);
    await page.getByRole('button', { name: 'I have it' }).click();
    await rowOf(page, 'breakout', 'valid').waitFor();
    expect(await page.content()).not.toContain(token);
    await page.getByRole('button', { name: 'Revoke breakout' }).click();
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await rowOf(page, 'breakout', 'revoked').waitFor();
    await expect.poll(() => works(token), { timeout: 4000 }).toBe(401);
  });

  it('does not let the last user revoke itself', async () => {
    await page.getByRole('button', { name: 'Revoke owner' }).click();
    await page.getByText('This is your own token.').waitFor();
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await page.locator('.toast.bad').waitFor();
    expect(await works(opened.gateway.token)).toBe(200);
  });

  it('sends a test alert and shows where alerts go, without their address', async () => {
    await go('alerts');
    await rowOf(page, 'Webhook').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Webhook: delivered').waitFor();
    expect(delivered.join('')).toContain('test');
    expect(await page.content()).not.toContain('whsec_');
  });

  it('runs the self-test, disconnects and connects another broker', async () => {
    await go('session');
    await page.getByRole('button', { name: 'Run the self-test' }).click();
    await page.getByText('All well: 5 of 5').waitFor();
    for (const read of ['Profile', 'Funds', 'Holdings', 'Positions', 'Orders']) await rowOf(page, read, 'Pass').waitFor();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('not connected').waitFor();
    await page.getByLabel('Broker', { exact: true }).selectOption('dhan');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.locator('.toast.good', { hasText: 'dhan' }).waitFor();
    await expect.poll(() => page.locator('.ledger').innerText()).toContain('Dhan');
  });

  it('turns the kill switch on and releases it after a question', async () => {
    await page.locator('.panel').getByRole('button', { name: 'Kill switch' }).click();
    await page.getByText('Nothing leaves that can grow a position.').waitFor();
    expect((await opened.gateway.call('GET', '/broker/kill-switch')).body.on).toBe(true);
    await page.locator('.panel').getByRole('button', { name: 'Kill switch is ON' }).click();
    await page.getByRole('button', { name: 'Release it' }).click();
    await expect.poll(async () => (await opened.gateway.call('GET', '/broker/kill-switch')).body.on).toBe(false);
  });

  it('complains of nothing and asks nobody else', () => {
    expect(opened.complaints).toEqual([]);
    expect(opened.foreign).toEqual([]);
  });
});

import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';

/** More stops than any view of a test has. */
const STOPS = 120;

/** Opens a view by its two keys, and stands at its title. */
export async function goByKeys(page: Page, key: string, title: string): Promise<void> {
  await page.keyboard.press('g');
  await page.keyboard.press(key);
  await page.locator('#view h1:focus', { hasText: title }).waitFor();
}

/** Goes on with the tab key until it stands on what is called so. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = [];
  for (let stop = 0; stop < STOPS; stop += 1) {
    const at = await nameOf(page.locator(':focus'));
    if (typeof name === 'string' ? at === name : name.test(at)) return;
    passed.push(at);
    await page.keyboard.press('Tab');
  }
  throw new Error(`The tab key never came to ${name}; it passed ${[...new Set(passed)].join(' | ')}`);
}

/** Goes to a button by the tab key, and presses it. */
export async function pressByKeys(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

/** What a screen reader calls it: its label, else its text. */
async function nameOf(focused: Locator): Promise<string> {
  const [found] = await focused.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''));
  return (found ?? '').trim();
}

/** Nothing open, nothing resting, no kill switch, no dialog: however the test before ended. */
export async function startAfresh(page: Page, gateway: TestGateway): Promise<void> {
  await gateway.call('POST', '/broker/kill-switch', { on: false });
  const { body } = await gateway.call('GET', '/broker/orders');
  for (const { order_id, status } of body.normalized)
    if (['PLACED', 'PARTIALLY_FILLED'].includes(status)) await gateway.call('POST', '/broker/orders/cancel', { order_id });
  const exits = await gateway.call('POST', '/broker/exits', { all: true, idempotency_key: `afresh-${performance.now()}` });
  expect(exits.body).toMatchObject({ success: true, flat: true });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate("sessionStorage.removeItem('gateway-intents'); location.hash = '#/positions'");
  if ((await page.locator('dialog, .banner').count()) > 0) await page.reload();
  await page.getByText('No open position').waitFor();
}

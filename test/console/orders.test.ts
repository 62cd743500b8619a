import type { Page } from 'playwright-core';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { adminOptions } from '../support/global-setup.ts';
import { pressByKeys, startAfresh } from './by-keyboard.ts';
import { type Console, chromiumPath, openConsole, rowOf, signIn } from './console.ts';

const title = chromiumPath ? 'orders and lost answers' : 'orders and lost answers (skipped: no chromium on PATH)';
const order = {
  exchange: 'NSE',
  token: '',
  order_type: 'MARKET',
  product_type: 'INTRADAY',
  quantity: 10,
  transaction_type: 'BUY',
};
/** A page that would ask again by itself does it every second. */
const WATCHED_MS = 1500;
const DAY_MS = 86_400_000;

describe.skipIf(!chromiumPath)(title, () => {
  let opened: Console;
  let page: Page;
  beforeAll(async () => {
    opened = await openConsole();
    page = opened.page;
    page.setDefaultTimeout(10_000);
    await signIn(page, opened.gateway.url, opened.gateway.token);
  });
  afterAll(() => opened?.stop());

  const go = async (place: string) => {
    await page.evaluate(`location.hash = '#/${place}'`);
    await page.locator('#view h1').waitFor();
  };

  it('shows the orders of another day, which nobody changes any more', async () => {
    const { gateway } = opened;
    const { body: old } = await gateway.place({ ...order, symbol: 'INFY' });
    const { body: fresh } = await gateway.place({ ...order, symbol: 'TCS' });
    const { body: today } = await gateway.call('GET', '/broker/records/orders');
    const day = new Date(Date.parse(today.day) - DAY_MS).toISOString().slice(0, 10);
    const sql = postgres(adminOptions(gateway.databaseUrl));
    await sql`update order_details set trading_day = ${day} where order_id = ${old.order_id}`;
    await sql.end();
    await go('orders');
    await rowOf(page, 'TCS').waitFor();
    await page.getByLabel('Day', { exact: true }).fill(day);
    await rowOf(page, 'INFY').waitFor();
    expect(await rowOf(page, 'TCS').count()).toBe(0);
    expect(await page.getByRole('columnheader', { name: 'Change' }).count()).toBe(0);
    expect(page.url()).toContain(`#/orders?day=${day}`);
    await page.reload();
    await rowOf(page, 'INFY').getByRole('button', { name: 'Timeline' }).waitFor();
    await page.getByLabel('Day', { exact: true }).fill(today.day);
    await rowOf(page, 'TCS').waitFor();
    expect(page.url()).not.toContain('day=');
    expect(fresh.success).toBe(true);
  });

  it('has the orders of unknown fate on top, with what to do', async () => {
    const { gateway } = opened;
    gateway.context.exchange?.faults.plant({ kind: 'lostRequest', operation: 'place' });
    const lost = await gateway.place({ ...order, symbol: 'WIPRO' });
    expect(lost.body.fill_status).toBe('UNKNOWN');
    await gateway.place({ ...order, symbol: 'SBIN' });
    await go('orders');
    // On a busy machine its fate, too, is unknown for a moment.
    await rowOf(page, 'SBIN', 'Filled').waitFor();
    const notice = page.locator('#view .notice', { hasText: 'Not known: BUY 10 WIPRO' });
    await notice.waitFor();
    const { orders } = (await gateway.call('GET', '/broker/records/orders')).body;
    const { advice } = orders.find(({ symbol }: { symbol: string }) => symbol === 'WIPRO');
    expect(await notice.textContent()).toContain(advice);
    await expect.poll(() => page.locator('tbody tr').first().textContent()).toContain('WIPRO');
    await notice.getByRole('button', { name: 'Steps' }).press('Enter');
    await page.getByRole('dialog').getByText('What to do.').waitFor();
    expect(await page.getByRole('dialog').textContent()).toContain(advice);
    await page.keyboard.press('Escape');
  });

  describe('an exit whose answer is lost', () => {
    let keys: string[];
    beforeEach(async () => {
      const { gateway } = opened;
      await startAfresh(page, gateway);
      keys = [];
      await gateway.place({ ...order, symbol: 'RELIANCE' });
      await page.getByRole('button', { name: 'Exit RELIANCE Intraday' }).waitFor();
    });

    /** So many requests never arrive; of those that do, so many answers are lost on the way back. */
    async function losing({ requests = 0, answers = 0 }: { requests?: number; answers?: number }): Promise<void> {
      let come = 0;
      await page.unroute('**/broker/exits');
      await page.route('**/broker/exits', async (route) => {
        if (route.request().method() === 'GET') return route.continue();
        keys.push(JSON.parse(route.request().postData() ?? '{}').idempotency_key);
        come += 1;
        const arrived = come > requests;
        const lost = come <= requests + answers;
        if (!arrived) return route.abort('connectionreset');
        const answer = await route.fetch();
        return lost ? route.abort('connectionreset') : route.fulfill({ response: answer });
      });
    }
    const leave = async () => {
      await pressByKeys(page, 'Exit RELIANCE Intraday');
      await page.locator('dialog :focus', { hasText: 'Keep it' }).waitFor();
      await pressByKeys(page, 'SELL 10 RELIANCE');
    };
    const sells = async () =>
      (await opened.gateway.call('GET', '/broker/orders')).body.normalized.filter(
        (row: { symbol: string; transaction_type: string; quantity: number }) =>
          row.symbol === 'RELIANCE' && row.transaction_type === 'SELL',
      ).length;

    it('is asked for again with its key, and left once', async () => {
      const before = await sells();
      await losing({ requests: 1, answers: 2 });
      await leave();
      await page.getByRole('dialog').getByText('The answer was lost.').waitFor();
      await page.getByRole('dialog').getByText('Flat: nothing of it is left open.').waitFor();
      expect(keys).toHaveLength(4);
      expect(new Set(keys).size).toBe(1);
      expect(await sells()).toBe(before + 1);
      await page.locator('dialog :focus', { hasText: 'Done' }).press('Enter');
      await page.getByText('No open position').waitFor();
    });

    it('is not sent by itself after the page was left, and told by its key when a person asks', async () => {
      const before = await sells();
      await losing({ answers: Number.POSITIVE_INFINITY });
      await leave();
      await page.getByRole('dialog').getByText('The answer was lost.').waitFor();
      await page.reload();
      await page.locator('.banner', { hasText: 'got no answer' }).waitFor();
      const asked = keys.length;
      await page.waitForTimeout(WATCHED_MS);
      expect(keys).toHaveLength(asked);
      await losing({});
      await page.getByRole('button', { name: 'Send it, same key' }).press('Enter');
      await page.getByRole('button', { name: 'See the answer' }).press('Enter');
      await page.getByRole('dialog').getByText('Flat: nothing of it is left open.').waitFor();
      expect(new Set(keys).size).toBe(1);
      expect(await sells()).toBe(before + 1);
    });
  });

  it('offers an exit that is not settled to be asked for again, and says what could not be read', async () => {
    await startAfresh(page, opened.gateway);
    await opened.gateway.place({ ...order, symbol: 'RELIANCE' });
    await page.getByRole('button', { name: 'Exit RELIANCE Intraday' }).waitFor();
    const unread = 'The positions could not be read';
    let plans = 0;
    const keys: string[] = [];
    await page.unroute('**/broker/exits');
    await page.route('**/broker/exits', async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      if (route.request().method() === 'GET') {
        plans += 1;
        return route.fulfill({ response, json: plans === 1 ? { ...json, positions: [], warnings: [unread] } : json });
      }
      keys.push(JSON.parse(route.request().postData() ?? '{}').idempotency_key);
      return route.fulfill({ response, json: keys.length === 1 ? { ...json, flat: false, finished: false } : json });
    });
    await pressByKeys(page, 'Exit RELIANCE Intraday');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(unread).waitFor();
    await dialog.getByText('No such position is known to be open.').waitFor();
    await page.keyboard.press('Escape');
    await pressByKeys(page, 'Exit RELIANCE Intraday');
    await page.locator('dialog :focus', { hasText: 'Keep it' }).waitFor();
    await pressByKeys(page, 'SELL 10 RELIANCE');
    await dialog.getByText('It is not settled: ask again for the rest').waitFor();
    await pressByKeys(page, 'Ask again, same key');
    await dialog.getByText('Flat: nothing of it is left open.').waitFor();
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    await page.locator('dialog :focus', { hasText: 'Done' }).press('Enter');
    await page.unroute('**/broker/exits');
  });

  it('breaks no rule of its policy and asks nobody else', () => {
    expect(opened.complaints).toEqual([]);
    expect(opened.foreign).toEqual([]);
  });
});

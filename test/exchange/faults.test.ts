import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFaults, type FaultKind } from '../../server/exchange/wire/faults.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { type Started, startPractice } from './started.ts';

let here: Started;
beforeEach(async () => {
  here = await startPractice();
});
afterEach(() => here.close());

/** Orders at the venue, and placing requests received. */
function judged(): [number, number] {
  const { orders, placingRequests } = here.exchange.ledger();
  return [orders.length, placingRequests.zerodha ?? 0];
}

/** An exchange whose time stands still until the test moves it. */
async function still(): Promise<ManualClock> {
  await here.close();
  const clock = manualClock();
  here = await startPractice({ clock });
  return clock;
}

/** How a placing call ends for its caller, who gives up after `timeoutMs`. */
async function outcome(timeoutMs = 3_000): Promise<string> {
  return await here.place({}, timeoutMs).then(
    ({ status, text }) => `${status} ${text}`,
    (error: Error) => `${error.name} ${error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : ''}`,
  );
}

const patienceMs = (kind: FaultKind) => (kind.startsWith('hang') ? 300 : 3_000);

describe('faults that decide the answer', () => {
  test.each([
    ['lostRequest', 0, /^TypeError/],
    ['hangBefore', 0, /^TimeoutError/],
    ['status5xxBefore', 0, /^503 .*NetworkException/],
    ['rateLimited', 0, /^429 .*Too many requests/],
    ['sessionExpired', 0, /^403 .*TokenException/],
    ['unregisteredAddress', 0, /^400 .*IP \(203\.0\.113\.5\) is not allowed/],
    ['resetAfterAccept', 1, /^TypeError ECONNRESET/],
    ['hangAfterAccept', 1, /^TimeoutError/],
    ['statusAfterAccept', 1, /^502 .*DataException/],
    ['timeoutTextAfterAccept', 1, /^400 .*timed out.*confirm before placing/],
    ['garbageAfterAccept', 1, /^200 <html>/],
    ['emptyAfterAccept', 1, /^200 $/],
    ['resetInBody', 1, /^TypeError/],
  ] satisfies [FaultKind, number, RegExp][])('%s leaves %i order', async (kind, orders, answer) => {
    const planted = here.faults.plant({ operation: 'place', kind });
    expect(await outcome(patienceMs(kind))).toMatch(answer);
    expect(judged()).toEqual([orders, 1]);
    expect(here.exchange.ledger().requests).toMatchObject([{ tag: 'k3v9c0m2p7q1x8za', fault: kind }]);
    expect(planted.struck).toBe(1);
    expect(await outcome()).toMatch(/^200 .*order_id/);
    expect(judged()).toEqual([orders + 1, 2]);
  });
});

describe('faults that change what happens', () => {
  test('delay waits before and after the engine', async () => {
    here.faults.plant({ operation: 'profile', kind: 'delay', delayMs: 60, afterMs: 60 });
    expect((await here.call('GET', '/user/profile')).ms).toBeGreaterThan(115);
    // The next one does not: on a busy machine not each is as quick as that.
    await expect.poll(async () => (await here.call('GET', '/user/profile')).ms).toBeLessThan(60);
  });

  test('lateVisibility', async () => {
    const clock = await still();
    here.faults.plant({ kind: 'lateVisibility', visibleAfterMs: 120 });
    await here.place();
    expect(JSON.parse((await here.call('GET', '/orders')).text).data).toEqual([]);
    expect(JSON.parse((await here.call('GET', '/portfolio/positions')).text).data.net).toEqual([]);
    clock.pass(120);
    expect(JSON.parse((await here.call('GET', '/orders')).text).data).toMatchObject([{ status: 'COMPLETE' }]);
  });

  test('partialFills', async () => {
    const clock = await still();
    here.faults.plant({
      kind: 'partialFills',
      plan: [3, 4, 'rest' as const].map((quantity, index) => ({ quantity, afterMs: index * 80 })),
    });
    await here.place();
    const read = async () => JSON.parse((await here.call('GET', '/orders')).text).data[0];
    expect(await read()).toMatchObject({ status: 'OPEN', filled_quantity: 3, pending_quantity: 7 });
    clock.pass(80);
    await expect.poll(read).toMatchObject({ status: 'OPEN', filled_quantity: 7 });
    clock.pass(80);
    await expect.poll(read).toMatchObject({ status: 'COMPLETE', filled_quantity: 10 });
    expect(here.exchange.ledger().trades.map((trade) => trade.quantity)).toEqual([3, 4, 3]);
  });

  test('rejectByRisk', async () => {
    here.faults.plant({ kind: 'rejectByRisk' });
    expect((await here.place()).status).toBe(200);
    const [row] = JSON.parse((await here.call('GET', '/orders')).text).data;
    expect(row).toMatchObject({ status: 'REJECTED', filled_quantity: 0, status_message: expect.stringContaining('RMS') });
  });

  test('laggingPositions', async () => {
    await here.place();
    here.faults.plant({ kind: 'laggingPositions', lagMs: 60_000 });
    expect(JSON.parse((await here.call('GET', '/portfolio/positions')).text).data.net).toEqual([]);
    expect(JSON.parse((await here.call('GET', '/portfolio/positions')).text).data.net).toMatchObject([{ quantity: 10 }]);
  });

  test('several strike one request: parts of a fill behind an answer that never comes', async () => {
    here.faults.plant({ kind: 'partialFills', plan: [{ quantity: 3, afterMs: 0 }] });
    here.faults.plant({ operation: 'place', kind: 'hangAfterAccept' });
    expect(await outcome(300)).toMatch(/^TimeoutError/);
    expect(here.exchange.ledger()).toMatchObject({ orders: [{ filled: 3 }], requests: [{ fault: 'partialFills hangAfterAccept' }] });
  });
});

describe('planting', () => {
  const drawn = (seed: number) => {
    const faults = createFaults({ seed });
    faults.plant({ kind: 'lostRequest', probability: 0.5 });
    return Array.from({ length: 40 }, () => faults.strike('zerodha', 'orders').answer !== null);
  };

  test('chance comes from the seed', () => {
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
    expect(new Set(drawn(1)).size).toBe(2);
  });

  test('times, operation, broker and reach', () => {
    const faults = createFaults({ seed: 1 });
    faults.plant({ kind: 'rateLimited', operation: 'orders', broker: 'zerodha', times: 2 });
    faults.plant({ kind: 'unregisteredAddress', times: 'always' });
    const kinds = (['orders', 'orders', 'orders', 'place', 'profile'] as const).map(
      (operation) => faults.strike('zerodha', operation).kinds,
    );
    expect(kinds).toEqual([['rateLimited'], ['rateLimited'], [], ['unregisteredAddress'], []]);
    expect(faults.strike('upstox', 'cancel').kinds).toEqual(['unregisteredAddress']);
    faults.clear();
    expect(faults.strike('upstox', 'cancel').kinds).toEqual([]);
    expect(() => faults.plant({ kind: 'statusAfterAccept', status: 42 })).toThrow(/status/);
  });
});

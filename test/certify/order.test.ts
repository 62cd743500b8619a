import { mkdir, readFile, rmdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { BrokerId } from '../../contract/words.ts';
import { reportFile } from '../../server/certify/report.ts';
import { type Signal, systemClock } from '../../server/clock.ts';
import type { FaultSpec } from '../../server/exchange/wire/faults.ts';
import { certifying, failures, orderFor, type Ran, type RunOptions } from './practice.ts';

const { run, venue, dataDir } = certifying();

/** The ten seconds an order may take to show pass three times as fast; the time of day is what it is, for codes go by it. */
const hurried = {
  ...systemClock,
  mono: () => systemClock.mono() * 3,
  sleep: (ms: number, signal?: Signal) => systemClock.sleep(ms / 3, signal),
};
const tried = (id: BrokerId, options: RunOptions = {}) =>
  run(id, { wanted: { order: orderFor(id, 'SBIN', '740') }, ...options, parts: { clock: hurried, ...options.parts } });

/** Our orders of one broker at the venue, newest last. */
function orders(id: BrokerId) {
  return venue()
    .exchange.ledger()
    .orders.filter(({ broker, byHand }) => broker === id && !byHand);
}

const sent = (id: BrokerId) => venue().exchange.ledger().placingRequests[id] ?? 0;

type Planted = z.input<typeof FaultSpec>;
/** What the report names, and whether something may still be open. */
const struck: { what: string; id: BrokerId; fault: Planted; fails: string; open?: true }[] = [
  { what: 'refuses it in the book', id: 'kotak', fault: { kind: 'rejectByRisk', operation: 'place' }, fails: 'rests at the exchange' },
  { what: 'refuses it in the book', id: 'zerodha', fault: { kind: 'rejectByRisk', operation: 'place' }, fails: 'rests at the exchange' },
  { what: 'refuses the address', id: 'dhan', fault: { kind: 'unregisteredAddress', operation: 'place' }, fails: 'placing' },
  { what: 'loses the placing', id: 'zerodha', fault: { kind: 'lostRequest', operation: 'place' }, fails: 'found by tag', open: true },
  { what: 'loses the answer of placing', id: 'kotak', fault: { kind: 'resetAfterAccept', operation: 'place' }, fails: 'placing' },
  { what: 'answers placing with garbage', id: 'groww', fault: { kind: 'garbageAfterAccept', operation: 'place' }, fails: 'placing' },
  {
    what: 'answers placing with a time-out',
    id: 'fivepaisa',
    fault: { kind: 'timeoutTextAfterAccept', operation: 'place' },
    fails: 'placing',
  },
  { what: 'loses the answer of the change', id: 'shoonya', fault: { kind: 'resetAfterAccept', operation: 'modify' }, fails: 'changing' },
  { what: 'fails the change', id: 'fyers', fault: { kind: 'status5xxBefore', operation: 'modify' }, fails: 'changing' },
  {
    what: 'loses the answer of the cancel',
    id: 'aliceblue',
    fault: { kind: 'resetAfterAccept', operation: 'cancel' },
    fails: 'cancelling',
  },
  {
    what: 'never gets the cancel',
    id: 'angelone',
    fault: { kind: 'lostRequest', operation: 'cancel' },
    fails: 'end of the order',
    open: true,
  },
];

function opened({ open, report }: Ran): void {
  expect(open?.tag).toMatch(/^[a-z][a-z0-9]{15}$/);
  expect(report.order_may_be_open).toEqual({ tag: open?.tag });
}

describe('a broker that', () => {
  test.each(struck)(
    '$what is named, and each call is sent once: $id',
    async ({ id, fault, fails, open }) => {
      const [before, placed] = [sent(id), orders(id).length];
      venue().faults.plant({ ...fault, broker: id });
      const ran = await tried(id);
      expect(failures(ran)).toContain(fails);
      expect(ran.passed).toBe(false);
      expect(sent(id) - before).toBe(1);
      const calls = ran.report.order_steps.map(({ call }: { call: string }) => call);
      expect(new Set(calls).size).toBe(calls.length);
      if (open) opened(ran);
      else {
        expect(ran.open).toBeNull();
        expect(ran.report).not.toHaveProperty('order_may_be_open');
        for (const order of orders(id).slice(placed)) expect(['CANCELLED', 'REJECTED']).toContain(order.status);
      }
    },
    60_000,
  );

  test.each([
    { what: 'does not show it', fault: { kind: 'lateVisibility', operation: 'place', visibleAfterMs: 60_000 } as Planted },
    { what: 'lets nobody read the book from then on', fault: { kind: 'status5xxBefore', operation: 'orders', times: 'always' } as Planted },
  ])(
    '$what still gets the cancel',
    async ({ fault }) => {
      const ask = async () => {
        venue().faults.plant({ ...fault, broker: 'angelone' });
        return 'angelone';
      };
      const ran = await tried('angelone', { parts: { ask } });
      expect(failures(ran)).toEqual(expect.arrayContaining(['found by tag', 'end of the order']));
      expect(ran.report.order_steps).toMatchObject([{ call: 'place' }, { call: 'cancel' }]);
      opened(ran);
      expect(orders('angelone').at(-1)?.orderId).toBe(ran.open?.orderId);
      if (fault.kind === 'status5xxBefore') expect(orders('angelone').at(-1)?.status).toBe('CANCELLED');
    },
    90_000,
  );
  test('shows the order without its tag', async () => {
    const change = { has: ['order_timestamp', 'tag'], to: (row: Record<string, unknown>) => ({ ...row, tag: null, tags: [] }) };
    const ran = await tried('zerodha', { change });
    expect(failures(ran)).toContain('found by tag');
    expect(orders('zerodha').at(-1)).toMatchObject({ status: 'CANCELLED' });
  });
  test('shows another price than was sent, and never the changed one', async () => {
    const change = { has: ['order_timestamp', 'price'], to: (row: Record<string, unknown>) => ({ ...row, price: 700 }) };
    const ran = await tried('zerodha', { change });
    expect(failures(ran)).toEqual(['row of the order', 'change seen']);
    expect(ran.checks.find(({ name }) => name === 'row of the order')?.says).toMatch(/in price$/);
    expect(orders('zerodha').at(-1)).toMatchObject({ status: 'CANCELLED' });
  }, 60_000);
  test('books times half a day away', async () => {
    const change = {
      has: ['order_timestamp'],
      to: (row: Record<string, unknown>) => ({ ...row, order_timestamp: '2020-01-01 09:15:00' }),
    };
    const ran = await tried('zerodha', { change });
    expect(ran.checks.find(({ name }) => name === 'row of the order')?.says).toMatch(/in placed_at$/);
  });
  test('fills some of it tells what was bought', async () => {
    venue().faults.plant({ kind: 'partialFills', operation: 'place', broker: 'dhan', plan: [{ quantity: 1, afterMs: 0 }] });
    venue().exchange.setPrice('NSE', 'TCS', '2900');
    const order = { ...orderFor('dhan', 'TCS', '3000'), quantity: 2 };
    // Its own last price is not to be had there, so nothing keeps a price from being too near.
    const ran = await tried('dhan', { wanted: { order, watch: orderFor('dhan', 'SBIN', null) } });
    venue().exchange.setPrice('NSE', 'TCS', null);
    expect(failures(ran)).toContain('end of the order');
    expect(ran.open).toMatchObject({ filled: 1 });
  }, 60_000);
});

describe('nothing is sent', () => {
  test.each([
    { what: 'where the name is not typed', options: { parts: { ask: async () => 'yes' } }, says: /not typed/ },
    { what: 'where the person ends it', options: { parts: { stopped: () => true } }, says: /you ended it/ },
    {
      what: 'where no price can be had',
      options: { wanted: { order: { ...orderFor('zerodha', 'SBIN', null), exchange: 'NFO' } } },
      says: /--price is needed on NFO/,
    },
    { what: 'where the price is near the market', options: { wanted: { order: orderFor('zerodha', 'SBIN', '810') } }, says: /too near/ },
    { what: 'where the price is none', options: { wanted: { order: orderFor('zerodha', 'SBIN', '1,000') } }, says: /--price must be/ },
    {
      what: 'where the token is missing',
      id: 'dhan' as const,
      options: { wanted: { order: { ...orderFor('dhan', 'SBIN', '740'), token: '' } } },
      says: /trades by token/,
    },
  ])('$what', async ({ id: other, options, says }) => {
    const id: BrokerId = other ?? 'zerodha';
    const before = sent(id);
    const ran = await tried(id, options as RunOptions);
    expect(ran.checks.find(({ name }) => name === 'order')?.says).toMatch(says);
    expect(sent(id)).toBe(before);
    expect(ran.report.order_steps).toEqual([]);
  });
  test('where the order book cannot be read', async () => {
    venue().faults.plant({ kind: 'status5xxBefore', operation: 'orders', times: 'always', broker: 'upstox' });
    const before = sent('upstox');
    expect(failures(await tried('upstox'))).toEqual(expect.arrayContaining(['order book', 'order']));
    expect(sent('upstox')).toBe(before);
  });
  test('that is not in the report before', async () => {
    const seen: string[] = [];
    const file = reportFile(dataDir(), 'zerodha', systemClock.now());
    const stop = venue().exchange.onOrder((order) => {
      if (order.account === 'zerodha' && !order.byHand) void readFile(file, 'utf8').then((text) => seen.push(text));
    });
    const change = {
      has: ['order_timestamp', 'status'],
      to: (row: Record<string, unknown>) => row,
    };
    const ran = await tried('zerodha', { change });
    stop();
    expect(ran.passed).toBe(true);
    expect(JSON.parse(seen[0] ?? '{}').order_steps[0].call).toBe('place');
    expect(JSON.parse(seen[0] ?? '{}').order_may_be_open.tag).toMatch(/^[a-z0-9]{16}$/);
  });
  test('where the report cannot be written', async () => {
    const before = sent('zerodha');
    const obstacle = `${reportFile(dataDir(), 'zerodha', systemClock.now())}.new`;
    const ask = async () => {
      await mkdir(obstacle);
      return 'zerodha';
    };
    const { lines, passed } = await tried('zerodha', { parts: { ask } });
    await rmdir(obstacle);
    expect(passed).toBe(false);
    expect(lines.join('\n')).toMatch(/failed {4}placing: it was not sent \(nothing was sent, because the report cannot be written/);
    expect(lines.at(-1)).toMatch(/^failed {4}report: it cannot be written/);
    expect(sent('zerodha')).toBe(before);
  });
});

test('without a price it goes 20 % under the last one, and a circuit in between is told', async () => {
  const ran = await run('zerodha', { wanted: { order: orderFor('zerodha', 'INFY', null) } });
  expect(failures(ran).length).toBeGreaterThan(0);
  expect(ran.lines.join('\n')).toMatch(/circuit/i);
  expect(ran.open).toBeNull();
});

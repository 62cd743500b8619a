import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { NewOrder } from '../../server/exchange/types.ts';
import { silentLog } from '../../server/log.ts';
import { manualClock } from './manual-clock.ts';

/** A ledger outlives the contracts in it. */
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'retired-'));
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.resetModules();
  rmSync(dataDir, { recursive: true });
});

/** The exchange as a process finds it that begins on a day. */
async function begun(day: string) {
  const at = `${day}T10:00:00+05:30`;
  vi.setSystemTime(at);
  vi.resetModules();
  const { createExchange } = await import('../../server/exchange/exchange.ts');
  const clock = manualClock(at);
  return createExchange({ clock, log: silentLog(), seed: 1, ledgerFile: join(dataDir, 'ledger.jsonl'), transitMs: [0, 0] });
}
const bought = (exchange: 'NFO' | 'MCX', symbol: string, quantity: number): NewOrder => {
  const order = { side: 'BUY', orderType: 'MARKET', product: 'CARRYFORWARD' } as const;
  return { ...order, exchange, symbol, quantity };
};

test('positions in contracts that are gone end, and what is left goes on', async () => {
  const before = await begun('2026-12-15');
  for (const order of [bought('NFO', 'NIFTY26DECFUT', 65), bought('MCX', 'CRUDEOIL26DECFUT', 1), bought('NFO', 'SBIN27JANFUT', 750)]) {
    expect(before.placeByHand('zerodha', order)).toMatchObject({ ok: true });
  }
  before.advance();
  expect(before.account('zerodha').positions()).toHaveLength(3);
  before.close();

  const after = await begun('2027-01-04');
  expect(after.ledger().trades).toHaveLength(3);
  expect(after.account('zerodha').positions()).toMatchObject([{ symbol: 'SBIN27JANFUT', net: 750 }]);
  expect(Number(after.account('zerodha').funds().used)).toBeGreaterThan(0);
  expect(after.placeByHand('zerodha', bought('NFO', 'NIFTY26DECFUT', 65))).toMatchObject({ ok: false, refusal: { code: 'INSTRUMENT' } });
  expect(after.placeByHand('zerodha', bought('NFO', 'NIFTY27FEBFUT', 65))).toMatchObject({ ok: true });
  after.close();
});

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { type PracticeExchange, startExchange } from '../../server/exchange/host.ts';
import type { Directory, InstrumentRow } from '../../server/instruments/instruments.ts';
import { silentLog } from '../../server/log.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { pair } from '../support/proven.ts';

/** Instruments drawn at random from a master of thousands: the one name, what the broker calls it, and the one name again. */
const DRAWN = 1000;
const seed = Date.now() % 1_000_000;
let venue: PracticeExchange;
beforeAll(async () => {
  venue = await startExchange({ ports: 'free', seed, limits: false, clock: systemClock, log: silentLog(), listed: 3000 });
});
afterAll(() => venue?.close());

describe.each(pair)('names at %s', (broker) => {
  let gateway: TestGateway;
  let directory: Directory;
  beforeAll(async () => {
    const master = venue.urls[broker]?.master ?? '';
    gateway = await startGateway({ env: { BROKERS: broker, [`${broker.toUpperCase()}_MASTER_URL`]: master }, instruments: true });
    directory = await vi.waitUntil(() => gateway.context.instruments.of(broker), { timeout: 60_000 });
  }, 120_000);
  afterAll(() => gateway?.stop());

  /** Every row, page by page. */
  async function all(): Promise<InstrumentRow[]> {
    const rows: InstrumentRow[] = [];
    for (let after: string | undefined; ; ) {
      const page = await directory.search({ limit: '500', ...(after && { after }) });
      rows.push(...page.rows);
      if (page.next === null) return rows;
      after = page.next;
    }
  }

  it(`lead there and back (seed ${seed})`, { timeout: 60_000 }, async () => {
    const rows = await all();
    // Kotak names its files itself: those of the practice exchange.
    if (broker !== 'kotak') expect(rows.length).toBeGreaterThan(2500);
    const drawn = Array.from({ length: Math.min(DRAWN, rows.length) }, (_, index) => rows[(index * 7919 + seed) % rows.length]);
    for (const row of drawn) {
      if (!row) throw new Error('nothing was listed');
      const { exchange, symbol, instrument, brokerSymbol, token } = row;
      expect((await directory.named(exchange, symbol)).map((one) => one.token)).toEqual([token]);
      const [back] = await directory.rowsOf([{ exchange, symbol: brokerSymbol, token }]);
      expect(back?.instrument, `${brokerSymbol} ${token}`).toBe(instrument);
    }
    expect(new Set(rows.map((row) => row.instrument)).size).toBe(rows.length);
  });
});

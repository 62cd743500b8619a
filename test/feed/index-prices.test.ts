import { describe, expect, test } from 'vitest';
import type { BrokerId } from '../../contract/words.ts';
import { indices } from '../../server/exchange/instruments.ts';
import { practice } from '../exchange/practice.ts';

/** Brokers whose sockets are asked for indices; at the others their quotes come by reads alone. */
const carried: readonly BrokerId[] = ['aliceblue', 'angelone', 'dhan', 'fivepaisa', 'shoonya', 'upstox'];

describe.each(carried)('%s', (id) => {
  const { call, gateway, venue } = practice(id, {}, { instruments: true });

  test('the feed tells the level of every index that its file lists', { timeout: 90_000 }, async () => {
    const page = async () => (await call('GET', '/broker/instruments?kind=INDEX')).body;
    await expect.poll(async () => (await page()).success, { timeout: 60_000 }).toBe(true);
    const listed = (await page()).instruments.map((row: { exchange: string; symbol: string; broker_symbol: string; token: string }) => {
      const at = indices.find((index) => `${index.exchange}_INDEX` === row.exchange && index.symbol === row.symbol);
      return { at, instrument: { exchange: row.exchange, symbol: row.broker_symbol, token: row.token } };
    });
    const known = listed.filter(({ at }: { at: unknown }) => at);
    expect(known.length).toBeGreaterThanOrEqual(5);
    const { feed } = gateway().context;
    const leftOut: unknown[] = [];
    const heard = new Set<string>();
    const stop = feed.listen(
      known.map(({ instrument }: { instrument: { exchange: string; symbol: string; token: string } }) => instrument),
      { price: ({ symbol }) => heard.add(symbol), leftOut: (instrument) => leftOut.push(instrument) },
    );
    for (const { at, instrument } of known) {
      await expect.poll(() => heard.has(instrument.symbol), { timeout: 20_000, message: instrument.symbol }).toBe(true);
      const { low, high } = venue().exchange.quote(at);
      const rupees = feed.price(instrument.exchange, instrument.symbol)?.rupees;
      expect(rupees).toBeGreaterThanOrEqual(Number(low) * 0.99);
      expect(rupees).toBeLessThanOrEqual(Number(high) * 1.01);
    }
    stop();
    expect(leftOut).toEqual([]);
  });
});

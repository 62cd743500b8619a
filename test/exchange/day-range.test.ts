import { expect, test } from 'vitest';
import { seededRandom } from '../../server/clock.ts';
import { createExchange } from '../../server/exchange/exchange.ts';
import { instrumentNamed, instruments } from '../../server/exchange/instruments.ts';
import { createPrices, TICK_MS } from '../../server/exchange/prices.ts';
import { silentLog } from '../../server/log.ts';
import { manualClock } from './manual-clock.ts';

const share = instrumentNamed('NSE', 'SBIN');
const dayBegan = Date.parse('2026-11-20T00:00:00+05:30');
const DAY_MS = 86_400_000;
const INSTANTS = 150;
const seed = Number(process.hrtime.bigint() % 1_000_000n);

/** Instants of two days, ascending: some in a row, some hours apart. */
function instants(): number[] {
  const random = seededRandom(seed);
  const few = Array.from({ length: INSTANTS }, () => dayBegan + Math.floor(random.next() * 2 * DAY_MS));
  return few.flatMap((at) => [at, at + TICK_MS, at + 2 * TICK_MS]).sort((a, b) => a - b);
}

test(`within a day the high never falls and the low never rises, and the last price lies between (seed ${seed})`, () => {
  const prices = createPrices(seed);
  const astray: string[] = [];
  const before = new Map<string, { day: number; high: number; low: number }>();
  for (const at of instants()) {
    const day = Math.floor((at - dayBegan) / DAY_MS);
    for (const instrument of instruments) {
      const quote = prices.quote(instrument, at);
      const [high, low, last, open] = [quote.high, quote.low, quote.last, quote.open].map(Number) as [number, number, number, number];
      const seen = before.get(instrument.symbol + instrument.exchange);
      const fell = seen?.day === day && (high < seen.high || low > seen.low);
      if (fell || Math.max(last, open) > high || Math.min(last, open) < low)
        astray.push(`${instrument.symbol} ${new Date(at).toISOString()}`);
      before.set(instrument.symbol + instrument.exchange, { day, high, low });
    }
  }
  expect(astray.slice(0, 5), `${astray.length} of ${before.size * INSTANTS * 3}`).toEqual([]);
});

test('a price that was seen while it was pinned stays in the range of its day, and of no other', () => {
  const clock = manualClock();
  const exchange = createExchange({ clock, log: silentLog(), seed: 7, transitMs: [0, 0] });
  const range = () => {
    const { high, low } = exchange.quote(share);
    return [low, high];
  };
  exchange.setPrice('NSE', 'SBIN', '850');
  expect(range()).toEqual(['850', '850']);
  exchange.setPrice('NSE', 'SBIN', '760');
  expect(range()).toEqual(['760', '850']);
  exchange.setPrice('NSE', 'SBIN', '800');
  clock.pass(3_600_000);
  expect(range()).toEqual(['760', '850']);
  exchange.setPrice('NSE', 'SBIN', null);
  expect(range()).toEqual(['760', '850']);
  clock.pass(DAY_MS);
  const [low = '', high = ''] = range();
  expect(Number(low)).toBeGreaterThan(760);
  expect(Number(high)).toBeLessThan(850);
});

test('a pinned price that met an order is in the range, though nobody asked for a quote then', () => {
  const clock = manualClock();
  const exchange = createExchange({ clock, log: silentLog(), seed: 7, transitMs: [0, 0] });
  exchange.setPrice('NSE', 'SBIN', '800');
  const order = {
    exchange: 'NSE',
    symbol: 'SBIN',
    side: 'SELL',
    product: 'INTRADAY',
    quantity: 10,
    orderType: 'LIMIT',
    price: '840',
  } as const;
  expect(exchange.account('zerodha').place(order).ok).toBe(true);
  exchange.setPrice('NSE', 'SBIN', '845');
  exchange.setPrice('NSE', 'SBIN', '800');
  expect(exchange.ledger().trades).toMatchObject([{ price: '840' }]);
  expect(Number(exchange.quote(share).high)).toBeGreaterThanOrEqual(840);
});

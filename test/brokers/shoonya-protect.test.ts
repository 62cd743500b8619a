import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../server/brokers/parse.ts';
import { limitBeyond, type Protected } from '../../server/brokers/shoonya/protect.ts';
import { Big } from '../../server/money.ts';

/** NSE's ticks of a share, and of its future, by its price; index futures have 0.1, options 0.05. */
const shareTicks = [
  [250, '0.01'],
  [1_000, '0.05'],
  [5_000, '0.1'],
  [10_000, '0.5'],
  [20_000, '1'],
  [Number.POSITIVE_INFINITY, '5'],
] as const;
const shareTick = (price: number) => shareTicks.find(([below]) => price < below)?.[1] ?? '5';

const kinds = {
  share: { tsym: 'SBIN-EQ', most: 60_000, tick: shareTick, band: '0.03', least: '1.5' },
  'BSE share': { tsym: 'SBIN', most: 60_000, tick: shareTick, band: '0.03', least: '1.5' },
  future: { tsym: 'SBIN29DEC26F', most: 60_000, tick: () => '0.1', band: '0.03', least: '1.5' },
  option: { tsym: 'NIFTY29DEC26P26000', most: 3_000, tick: () => '0.05', band: '0.2', least: '10' },
} as const;

function quoteOf(tsym: string, tick: string, lower: Big, upper: Big) {
  return { exch: 'NSE', tsym, lp: 1, ti: Number(tick), lc: Number(lower.toFixed()), uc: Number(upper.toFixed()) };
}

/** The limit; null where the trigger is refused. */
function limitOf(wanted: Protected, quote: ReturnType<typeof quoteOf>): Big | null {
  try {
    return new Big(limitBeyond(wanted, quote));
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    expect((error as Refusal).message).toMatch(/^trigger_price: between/);
    return null;
  }
}

describe.each(Object.entries(kinds))('the limit of an SL-M order on a %s', (_kind, { tsym, most, tick: tickAt, band, least }) => {
  test('lies beyond its trigger, on the tick and inside the band of the exchange', () => {
    const price = fc.double({ min: Math.log(0.05), max: Math.log(most), noNaN: true }).map(Math.exp);
    fc.assert(
      fc.property(price, fc.boolean(), (near, buying) => {
        const tick = tickAt(near);
        const base = new Big(near).div(tick).round(0, Big.roundUp).times(tick);
        const [lower, upper] = [base.times('0.8').lt(tick) ? new Big(tick) : base.times('0.8'), base.times('1.2').plus(tick)];
        const limit = limitOf({ buying, base, field: 'trigger_price' }, quoteOf(tsym, tick, lower, upper));
        const room = buying ? upper.minus(base) : base.minus(lower);
        if (limit === null) {
          expect(room.lt(new Big(tick).times(2))).toBe(true);
          return;
        }
        const beyond = limit.minus(base).times(buying ? 1 : -1);
        expect(beyond.gte(tick)).toBe(true);
        expect(beyond.lte(base.lte(50) ? new Big(least) : base.times(band))).toBe(true);
        expect(limit.mod(tick).eq(0)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

test('a stop on the last tick before its circuit limit is refused by name; a MARKET order there asks for that limit', () => {
  const quote = quoteOf('NIFTY29DEC26P26000', '0.05', new Big('0.05'), new Big('20'));
  const sell = { buying: false, base: new Big('0.05') };
  expect(() => limitBeyond({ ...sell, field: 'trigger_price' }, quote)).toThrow(/^trigger_price: .*0\.05.*use SL$/);
  expect(limitBeyond({ ...sell, field: 'order_type' }, quote)).toBe('0.05');
  expect(limitBeyond({ ...sell, base: new Big('0.1'), field: 'trigger_price' }, quote)).toBe('0.05');
});

test('a base off the tick still leaves a tick', () => {
  const quote = quoteOf('SBIN-EQ', '0.05', new Big('1'), new Big('3'));
  expect(limitBeyond({ buying: true, base: new Big('2.01'), field: 'order_type' }, quote)).toBe('2.1');
  expect(limitBeyond({ buying: false, base: new Big('2.01'), field: 'order_type' }, quote)).toBe('1.95');
});

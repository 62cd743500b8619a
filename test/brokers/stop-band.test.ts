import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { protectedLimit as atAliceblue } from '../../server/brokers/aliceblue/price.ts';
import { protectedLimit as atFivepaisa } from '../../server/brokers/fivepaisa/protect.ts';
import { Refusal } from '../../server/brokers/parse.ts';
import { Big } from '../../server/money.ts';

/** How far beyond its trigger NSE lets the limit of a stop lie, rupees: 3 % of it, of options 20 %, and up to Rs 50 what that is of Rs 50. */
function allowed(trigger: Big, option: boolean): Big {
  return (trigger.lte(50) ? new Big(50) : trigger).times(option ? '0.2' : '0.03');
}

interface Stop {
  kind: 'share' | 'future' | 'option';
  side: 'BUY' | 'SELL';
  trigger: Big;
  tick: Big;
  /** Ticks from the trigger to the last price, and to other prices of the day. */
  away: readonly number[];
}

const symbols = { share: 'SBIN', future: 'NIFTY29DEC26F', option: 'NIFTY29DEC26C26000' };
const ticks = { share: ['0.01', '0.05', '0.1', '0.5', '1', '5'], future: ['0.01', '0.05', '0.1', '0.5', '1', '5'], option: ['0.05'] };
/** From a rupee on, by the tick there is at such a price. */
const ranges: Readonly<Record<string, [number, number]>> = {
  '0.01': [250, 25_000],
  '0.05': [60, 60_000],
  '0.1': [10_010, 50_000],
  '0.5': [10_010, 20_000],
  '1': [10_010, 20_000],
  '5': [4_010, 30_000],
};

const stopOf = (kind: Stop['kind']) =>
  fc
    .constantFrom(...ticks[kind])
    .chain((tick) => {
      const [min, max] = ranges[tick] ?? [1, 1];
      return fc.record({ tick: fc.constant(new Big(tick)), steps: fc.integer({ min, max }) });
    })
    .chain(({ tick, steps }) =>
      fc.record({
        kind: fc.constant(kind),
        side: fc.constantFrom('BUY' as const, 'SELL' as const),
        tick: fc.constant(tick),
        trigger: fc.constant(tick.times(steps)),
        away: fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 4, maxLength: 4 }),
      }),
    );

const brokers: Readonly<Record<string, (stop: Stop) => string | number>> = {
  aliceblue: ({ kind, side, trigger, tick }) =>
    atAliceblue(
      { side, exchange: kind === 'share' ? 'NSE' : 'NFO', symbol: symbols[kind], trigger: trigger.toFixed() },
      { price: Number(trigger), tick: Number(tick), lower: null, upper: null, at: 0 },
    ),
  fivepaisa: ({ kind, side, trigger, tick, away }) => {
    const [last = 0, ...others] = away.map((steps) => Number(trigger.plus(tick.times(steps)).toFixed()));
    const open = { side, option: kind === 'option', segment: 'NC', token: '3045', trigger: trigger.toFixed() };
    return atFivepaisa(open, { codes: [], last, upper: null, lower: null, others });
  },
};

describe.each(Object.keys(brokers))('the limit of a stop at %s', (broker) => {
  test.each(['share', 'future', 'option'] as const)('of a %s lies inside the band of the exchange, at 500 random triggers', (kind) => {
    let refused = 0;
    fc.assert(
      fc.property(stopOf(kind), (stop) => {
        const limit = limitOf(brokers[broker], stop);
        if (limit === null) {
          refused += 1;
          return;
        }
        const beyond = limit.minus(stop.trigger).times(stop.side === 'BUY' ? 1 : -1);
        expect(beyond.gte(stop.tick)).toBe(true);
        expect(beyond.lte(allowed(stop.trigger, kind === 'option'))).toBe(true);
        expect(limit.mod(stop.tick).eq(0)).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(refused).toBe(0);
  });
});

function limitOf(price: ((stop: Stop) => string | number) | undefined, stop: Stop): Big | null {
  try {
    return price ? new Big(price(stop)) : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

test('a stop whose band is narrower than one tick is refused, not widened', () => {
  const stop: Stop = { kind: 'share', side: 'SELL', trigger: new Big(60), tick: new Big(5), away: [0, 1, 2, 3] };
  expect(limitOf(brokers.aliceblue, stop)).toBeNull();
});

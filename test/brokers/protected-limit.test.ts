import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { protectedLimit, stopWidth } from '../../server/brokers/protected-limit.ts';
import { Big } from '../../server/money.ts';

/** What NSE allows between a stop's trigger and its limit, rupees. */
function allowed(trigger: Big, option: boolean): Big {
  const counted = trigger.lte(50) ? new Big(50) : trigger;
  return counted.times(option ? '0.2' : '0.03');
}

const limitOf = (missing: Omit<Parameters<typeof protectedLimit>[0], 'base' | 'width'> & { base: string; width: string }) =>
  protectedLimit({ ...missing, base: new Big(missing.base), width: new Big(missing.width) })?.toFixed() ?? null;

describe('the limit that stands for a missing one', () => {
  it('lies beyond its base, rounded towards it to the tick', () => {
    expect(limitOf({ buying: true, base: '1518', width: '37.95', tick: '0.1' })).toBe('1555.9');
    expect(limitOf({ buying: false, base: '1518', width: '37.95', tick: '0.1' })).toBe('1480.1');
    expect(limitOf({ buying: false, base: '26060.3', width: '651.51', tick: 5 })).toBe('25410');
  });

  it('stays inside the circuit limits, the off-tick ones too', () => {
    expect(limitOf({ buying: true, base: '108', width: '2.7', tick: '0.05', lower: '90', upper: '109.99' })).toBe('109.95');
    expect(limitOf({ buying: false, base: '91', width: '2.2', tick: '0.05', lower: '90.01', upper: '110' })).toBe('90.05');
  });

  it('is none where not one tick lies between', () => {
    expect(limitOf({ buying: false, base: '0.05', width: '0.5', tick: '0.05' })).toBeNull();
    expect(limitOf({ buying: true, base: '110', width: '2', tick: '0.05', upper: '110' })).toBeNull();
    expect(limitOf({ buying: true, base: '10', width: '0.04', tick: '0.05' })).toBeNull();
  });

  it('lies inside the band of the exchange at any trigger', () => {
    const ticks = fc.constantFrom('0.01', '0.05', '0.1', '0.5', '1', '5');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4_000_000 }), ticks, fc.boolean(), fc.boolean(), (steps, tick, option, buying) => {
        const base = new Big(tick).times(steps);
        const limit = protectedLimit({ buying, base, width: stopWidth(base, option), tick });
        if (limit === null) return;
        const beyond = limit.minus(base).times(buying ? 1 : -1);
        expect(beyond.gte(tick)).toBe(true);
        expect(beyond.lte(allowed(base, option))).toBe(true);
        expect(limit.mod(tick).eq(0)).toBe(true);
      }),
    );
  });
});

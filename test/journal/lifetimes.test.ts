import { expect, it } from 'vitest';
import { type AttemptState, lifetimeMs, unresolvedLifetimeMs } from '../../server/journal/attempt.ts';
import { attempt, DAY_MS, event, inState, NOW, onBoth } from './parts.ts';

const cases: [string, AttemptState, (key: string) => number, number, number][] = [
  ['an order that was sent', 'DONE', (key) => lifetimeMs(key, true), 7 * DAY_MS, 60_000],
  ['an order that was not sent', 'NOT_SENT', (key) => lifetimeMs(key, false), 60_000, 30_000],
  ['an order whose fate nobody could establish', 'UNRESOLVED', unresolvedLifetimeMs, 7 * DAY_MS, 0],
];

onBoth((bench) => {
  it.each(cases)(
    'the stored answer of %s lives as long as it should under both kinds of keys',
    async (_, state, lifeMs, byKey, byFingerprint) => {
      for (const [key, expected] of [['k:one', byKey] as const, ['f:one', byFingerprint] as const]) {
        const journal = bench().journal;
        expect(lifeMs(key)).toBe(expected);
        const one = await inState(journal, state, { key, tag: key, expiresAt: NOW + lifeMs(key) });
        if (expected > 0) expect(await journal.find(key, NOW + expected - 1)).toEqual(one);
        expect(await journal.find(key, NOW + expected)).toBeNull();
        expect(await journal.begin(attempt({ key, tag: `${key}-again` }), event, NOW + expected)).toBeNull();
      }
    },
  );
});

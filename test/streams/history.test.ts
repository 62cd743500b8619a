import { expect, test } from 'vitest';
import { compared, runHistory } from './history.ts';

test('a client that listens over kills, restarts and lost connections is told every event once and in order', {
  timeout: 300_000,
}, async () => {
  const seed = Date.now() % 1_000_000;
  const { events, struck, ...verdict } = await runHistory({ rounds: 10, seed });
  expect({ seed, ...verdict }).toMatchObject({ seed, missing: [], twice: [], disordered: 0, strange: [] });
  expect(events).toBeGreaterThan(10);
  expect(Object.values(struck).reduce((sum, count) => sum + count, 0)).toBe(10);
});

test('what went wrong would be seen', () => {
  expect(compared([1, 2, 4, 4, 3, 9], [1, 2, 3, 4, 5])).toEqual({ events: 5, missing: [5], twice: [4], disordered: 1, strange: [9] });
});

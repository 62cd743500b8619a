import type { Clock } from '../../server/clock.ts';

export interface ManualClock extends Clock {
  /** Moves time forward and wakes whoever slept until then. */
  pass(ms: number): void;
}

/** A clock that stands still until it is told to go on. */
export function manualClock(start = '2026-11-20T10:00:00+05:30'): ManualClock {
  let now = Date.parse(start);
  const sleepers = new Set<{ until: number; wake: () => void }>();
  return {
    now: () => now,
    mono: () => now,
    sleep: (ms, signal) =>
      new Promise((wake) => {
        sleepers.add({ until: now + ms, wake });
        signal?.addEventListener('abort', () => wake());
      }),
    pass(ms) {
      now += ms;
      for (const sleeper of [...sleepers].filter(({ until }) => until <= now)) {
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}

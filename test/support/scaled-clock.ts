import { type Clock, systemClock } from '../../server/clock.ts';

const TICK_MS = 5;

/**
 * Time that runs up to `factor` times as fast as it does, for waits of minutes in a test of seconds. It moves by steps that a busy
 * process takes late, so that on a slow machine it runs slower and no wait ends before the work that would have fitted into it.
 */
export function scaledClock(factor: number): Clock {
  const wall = systemClock.now();
  let passedMs = 0;
  let sleepers: { until: number; wake: () => void }[] = [];
  setInterval(() => {
    passedMs += TICK_MS * factor;
    const due = sleepers.filter((one) => one.until <= passedMs).sort((a, b) => a.until - b.until);
    sleepers = sleepers.filter((one) => one.until > passedMs);
    for (const one of due) one.wake();
  }, TICK_MS).unref();
  return {
    now: () => wall + passedMs,
    mono: () => passedMs,
    sleep(ms, signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const sleeper = { until: passedMs + ms, wake };
        function wake(): void {
          signal?.removeEventListener('abort', wake);
          sleepers = sleepers.filter((one) => one !== sleeper);
          resolve();
        }
        signal?.addEventListener('abort', wake, { once: true });
        sleepers.push(sleeper);
      });
    },
  };
}

import { type Clock, systemClock } from '../../server/clock.ts';

/** Time that runs `factor` times as fast as it does, for waits of minutes in a test of seconds. */
export function scaledClock(factor: number): Clock {
  const wall = systemClock.now();
  const began = systemClock.mono();
  const passedMs = () => (systemClock.mono() - began) * factor;
  return {
    now: () => wall + passedMs(),
    mono: passedMs,
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
  };
}

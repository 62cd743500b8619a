import { type Clock, systemClock } from '../../server/clock.ts';

export interface MovedClock extends Clock {
  /** Moves both times forward at once; whoever slept until then wakes. */
  move(ms: number): void;
}

/** Real time that begins at a moment and can be moved on, for nights that a test has no time for. */
export function movedClock(start: string): MovedClock {
  const from = Date.parse(start) - systemClock.now();
  let moved = 0;
  const sleepers = new Set<() => void>();
  const mono = () => systemClock.mono() + moved;
  return {
    now: () => systemClock.now() + from + moved,
    mono,
    sleep(ms, signal) {
      const until = mono() + ms;
      return new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        let timer = setTimeout(look, ms);
        function look(): void {
          clearTimeout(timer);
          const left = until - mono();
          if (left > 0 && !signal?.aborted) {
            timer = setTimeout(look, left);
            return;
          }
          sleepers.delete(look);
          signal?.removeEventListener('abort', look);
          resolve();
        }
        sleepers.add(look);
        signal?.addEventListener('abort', look);
      });
    },
    move(ms) {
      moved += ms;
      for (const look of [...sleepers]) look();
    },
  };
}

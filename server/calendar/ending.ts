import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** So long before its end a calendar is to be renewed. */
export const ENDS_SOON_MS = 30 * 86_400_000;
const DAY_MS = 86_400_000;

/** Whether a calendar whose last day (`YYYY-MM-DD`, IST) is known ends within 30 days of an instant (epoch ms), or has ended. */
export function endsSoon(lastDay: string | null, at: number): boolean {
  return lastDay !== null && Date.parse(`${lastDay}T23:59:59+05:30`) - at <= ENDS_SOON_MS;
}

/** Says once a day in the log that the calendar ends. */
export class CalendarWatch {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(parts: { clock: Clock; log: Log; calendarEnds: string | null }) {
    this.#running = this.#run(parts);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run({ clock, log, calendarEnds }: { clock: Clock; log: Log; calendarEnds: string | null }): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const message = 'The trading calendar ends soon: update the gateway, or name a newer one by CALENDAR_FILE';
      if (endsSoon(calendarEnds, clock.now())) log.warn({ lastDay: calendarEnds }, message);
      await clock.sleep(DAY_MS, this.#stop.signal);
    }
  }
}

import { systemClock } from '../../server/clock.ts';

const EVERY_MS = 20;

/** How long the way from here to the exchange takes from moment to moment: on a busy machine what has left may be long under way. */
export interface Way {
  /** The longest that any request took which was under way between two moments (epoch ms). */
  longestMs(from: number, to: number): number;
  stop(): void;
}

/** Asks at `port`, over the same proxy as the gateway, for something that nobody has, again and again. */
export function watchWay(port: number): Way {
  const trips: { sentAt: number; backAt: number }[] = [];
  let over = false;
  async function ask(): Promise<void> {
    const trip = { sentAt: Date.now(), backAt: Number.POSITIVE_INFINITY };
    trips.push(trip);
    await fetch(`http://127.0.0.1:${port}/nothing-is-here`).then((answer) => answer.text());
    trip.backAt = Date.now();
  }
  async function run(): Promise<void> {
    while (!over) {
      await ask().catch(() => trips.pop());
      await systemClock.sleep(EVERY_MS);
    }
  }
  void run();
  return {
    longestMs: (from, to) =>
      trips
        .filter((trip) => trip.sentAt <= to && trip.backAt >= from && trip.backAt !== Number.POSITIVE_INFINITY)
        .reduce((longest, { sentAt, backAt }) => Math.max(longest, backAt - sentAt), 0),
    stop: () => {
      over = true;
    },
  };
}

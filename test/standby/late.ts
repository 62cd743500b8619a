import type { Departure } from './member.ts';
import type { Wake } from './strike.ts';

/** Whoever led, and since when: epoch ms. */
export interface Lead {
  since: number;
  epoch: number;
  member: string;
}

/** What a woken process had ready is at the venue's door after so long, on a busy machine. */
const AT_ONCE_MS = 100;

/**
 * Whatever left a gateway while another one led. Not told as such: the one request that a frozen leader had looked for the last time for, and writes
 * when it is woken; those are counted, and whoever runs many strikes judges how many there may be.
 */
export function lateDepartures(
  departures: readonly Departure[],
  leads: readonly Lead[],
  wakes: readonly Wake[],
): { late: string[]; atTheDoor: number } {
  const late = departures.filter(({ at, member }) => leads.findLast(({ since }) => since <= at)?.member !== member);
  const ready = new Set(wakes.flatMap(({ at, member }) => late.find((one) => one.member === member && isWithin(one.at - at)) ?? []));
  const told = late.filter((one) => !ready.has(one));
  return { late: told.map((one) => `left a gateway that did not lead: ${JSON.stringify({ one, leads, wakes })}`), atTheDoor: ready.size };
}

function isWithin(ms: number): boolean {
  return ms >= 0 && ms < AT_ONCE_MS;
}

import { type Clock, within } from '../clock.ts';

/** A look-up takes a millisecond: whoever waits longer than this has a store that hangs. */
const LOOK_UP_MS = 500;

/** What a look-up finds. Null where the store fails or hangs: then everything goes as it does without a file. */
export async function inTime<Found>(clock: Clock, look: Promise<Found>): Promise<Found | null> {
  return await within(
    clock,
    LOOK_UP_MS,
    look.catch(() => null),
  );
}

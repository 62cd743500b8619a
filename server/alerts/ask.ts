import { type Clock, within } from '../clock.ts';

/** Asks the store; null when it is away or takes too long. Never rejects. */
export type AskStore = <Value>(work: () => Promise<Value>) => Promise<Value | null>;

/** A store that takes longer counts as away. */
const PATIENCE_MS = 5000;
/** Questions that hang at the same time; beyond, nothing is asked: a store that answers nothing costs a few connections at most. */
const MOST_HANGING = 2;

export function askingStore(clock: Clock): AskStore {
  let hanging = 0;
  return async function ask(work) {
    if (hanging >= MOST_HANGING) return null;
    hanging += 1;
    const asked = work().finally(() => {
      hanging -= 1;
    });
    return await within(clock, PATIENCE_MS, asked).catch(() => null);
  };
}

import { existsSync } from 'node:fs';
import type { BrokerId } from '../../contract/words.ts';

/** Address of the module that reads a broker's instrument files, which stands in the broker's own folder; null where there is none. */
export function readerOf(broker: BrokerId): string | null {
  const address = new URL(`../brokers/${broker}/master.ts`, import.meta.url);
  return existsSync(address) ? address.href : null;
}

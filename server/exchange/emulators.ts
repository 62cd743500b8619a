import { type BrokerId, brokerIds } from '../../contract/words.ts';
import type { Emulator } from './wire/emulator.ts';

/** The brokers the practice exchange speaks as, in the order of brokerIds: `<id>/emulator.ts` exports its Emulator under its id. One that does not stops the start. */
export const emulators: readonly Emulator[] = await Promise.all(brokerIds.map(load));

async function load(id: BrokerId): Promise<Emulator> {
  const path = `./${id}/emulator.ts`;
  const exported: Partial<Record<string, Emulator>> = await import(path);
  const emulator = exported[id];
  if (emulator?.id !== id) throw new Error(`server/exchange/${id}/emulator.ts does not export the emulator of ${id}`);
  return emulator;
}

/** Setting name without the broker's prefix -> the value that signs in at the practice exchange. */
export function practiceCredentials(id: BrokerId): Readonly<Record<string, string>> {
  return emulators.find((emulator) => emulator.id === id)?.credentials ?? {};
}

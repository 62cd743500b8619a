import type { BrokerId } from '../../contract/words.ts';
import type { Face } from './face.ts';
import { zerodha } from './zerodha.ts';

/** The brokers the practice exchange speaks as. A new one is its file and its line here. */
export const faces: readonly Face[] = [zerodha];

/** Setting name without the broker's prefix -> the value that signs in at the practice exchange; empty for a broker without a face. */
export function practiceCredentials(id: BrokerId): Readonly<Record<string, string>> {
  return faces.find((face) => face.id === id)?.credentials ?? {};
}

import { type BrokerId, brokerIds } from '../../contract/words.ts';
import type { Face } from './face.ts';

/** The brokers the practice exchange speaks as, in the order of brokerIds: `<id>.ts` exports its Face under its id. One that does not stops the start. */
export const faces: readonly Face[] = await Promise.all(brokerIds.map(load));

async function load(id: BrokerId): Promise<Face> {
  const path = `./${id}.ts`;
  const exported: Partial<Record<string, Face>> = await import(path);
  const face = exported[id];
  if (face?.id !== id) throw new Error(`server/sim/${id}.ts does not export the face of ${id}`);
  return face;
}

/** Setting name without the broker's prefix -> the value that signs in at the practice exchange. */
export function practiceCredentials(id: BrokerId): Readonly<Record<string, string>> {
  return faces.find((face) => face.id === id)?.credentials ?? {};
}

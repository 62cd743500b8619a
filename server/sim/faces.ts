import type { BrokerId } from '../../contract/words.ts';
import { aliceblue } from './aliceblue.ts';
import { angelone } from './angelone.ts';
import { dhan } from './dhan.ts';
import type { Face } from './face.ts';
import { fivepaisa } from './fivepaisa.ts';
import { fyers } from './fyers.ts';
import { groww } from './groww.ts';
import { kotak } from './kotak.ts';
import { shoonya } from './shoonya.ts';
import { upstox } from './upstox.ts';
import { zerodha } from './zerodha.ts';

/** The brokers the practice exchange speaks as. A new one is its file and its line here. */
export const faces: readonly Face[] = [aliceblue, angelone, dhan, fivepaisa, fyers, groww, kotak, shoonya, upstox, zerodha];

/** Setting name without the broker's prefix -> the value that signs in at the practice exchange; empty for a broker without a face. */
export function practiceCredentials(id: BrokerId): Readonly<Record<string, string>> {
  return faces.find((face) => face.id === id)?.credentials ?? {};
}

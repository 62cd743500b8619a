import { z } from 'zod';
import { systemClock } from '../server/clock.ts';
import { emulators } from '../server/exchange/emulators.ts';
import { createExchange } from '../server/exchange/exchange.ts';
import { createFaults } from '../server/exchange/wire/faults.ts';
import { type EmulatorServer, serveEmulator } from '../server/exchange/wire/server.ts';
import { silentLog } from '../server/log.ts';
import { serve } from './children.ts';

/** A process: the practice exchange behind its Zerodha emulator. Each order asks for an empty book, on the same port, with a delay for every request. */
const Fresh = z.object({ delayMs: z.number() });

let running: { server: EmulatorServer; close(): void } | null = null;
let port = 0;

async function fresh({ delayMs }: z.infer<typeof Fresh>): Promise<{ origin: string }> {
  await running?.server.close();
  running?.close();
  const [log, seed] = [silentLog(), 1];
  const exchange = createExchange({ clock: systemClock, log, seed, transitMs: [0, 0] });
  const faults = createFaults({ seed });
  if (delayMs > 0) faults.plant({ kind: 'delay', times: 'always', delayMs });
  const emulator = emulators.find(({ id }) => id === 'zerodha');
  if (!emulator) throw new Error('The practice exchange has no Zerodha emulator');
  const server = await serveEmulator({ emulator, exchange, faults, port, limits: false, log });
  port = Number(new URL(server.origin).port);
  running = { server, close: () => exchange.close() };
  return { origin: server.origin };
}

serve(Fresh, fresh);

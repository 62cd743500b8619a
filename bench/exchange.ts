import { z } from 'zod';
import { systemClock } from '../server/clock.ts';
import { silentLog } from '../server/log.ts';
import { createExchange } from '../server/sim/exchange.ts';
import { faces } from '../server/sim/faces.ts';
import { createFaults } from '../server/sim/faults.ts';
import { type FaceServer, serveFace } from '../server/sim/server.ts';
import { serve } from './children.ts';

/** A process: the practice exchange behind its Zerodha face. Each order asks for an empty book, on the same port, with a delay for every request. */
const Fresh = z.object({ delayMs: z.number() });

let running: { server: FaceServer; close(): void } | null = null;
let port = 0;

async function fresh({ delayMs }: z.infer<typeof Fresh>): Promise<{ origin: string }> {
  await running?.server.close();
  running?.close();
  const [log, seed] = [silentLog(), 1];
  const exchange = createExchange({ clock: systemClock, log, seed, transitMs: [0, 0] });
  const faults = createFaults({ seed });
  if (delayMs > 0) faults.plant({ kind: 'delay', times: 'always', delayMs });
  const face = faces.find(({ id }) => id === 'zerodha');
  if (!face) throw new Error('The practice exchange has no Zerodha face');
  const server = await serveFace({ face, exchange, faults, port, limits: false, log });
  port = Number(new URL(server.origin).port);
  running = { server, close: () => exchange.close() };
  return { origin: server.origin };
}

serve(Fresh, fresh);

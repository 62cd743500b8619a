import { z } from 'zod';
import { kiteTicker, packets } from '../test/support/kite-ticker.ts';
import { serve } from './children.ts';

/** A process: a Kite ticker. While it ticks, every subscribed instrument moves once a second, in ten frames spread over it; else one byte a second. */
const Ask = z.object({ ticking: z.boolean() });

/** Full packets of the documented layout. */
const PACKET = 184;
const FRAMES = 10;
const TIME_AT = 60;
const { wanted, send, url } = kiteTicker();
let ticking = false;
let turn = 0;

setInterval(() => {
  turn += 1;
  if (ticking) send(frame([...wanted].filter((_, index) => index % FRAMES === turn % FRAMES)));
  else if (turn % FRAMES === 0) send(Buffer.alloc(1));
}, 1000 / FRAMES);

/** Every price differs from the one before. */
function frame(tokens: readonly number[]): Buffer {
  const now = Math.floor(Date.now() / 1000);
  return packets(
    tokens,
    PACKET,
    (token) => 100_000 + (token % 1000) + 5 * (turn % 1000),
    (bytes, at) => bytes.writeInt32BE(now, at + TIME_AT),
  );
}

serve(Ask, async (ask) => {
  ticking = ask.ticking;
  return { origin: await url, wanted: wanted.size };
});

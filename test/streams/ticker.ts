import { kiteTicker, packets } from '../support/kite-ticker.ts';

/** A process: a Kite ticker on which every subscribed instrument moves five times a second, in 50 frames of 8-byte packets. It tells its parent where it is. */
const FRAMES = 50;
const TURNS = 10;
const PACKET = 8;

const { wanted, send, url } = kiteTicker();
let turn = 0;

setInterval(() => {
  turn += 1;
  const tokens = [...wanted].filter((_, index) => index % TURNS === turn % TURNS);
  send(packets(tokens, PACKET, () => 100_000 + 5 * (turn % 1000)));
}, 1000 / FRAMES);

process.on('disconnect', () => process.exit(0));
process.send?.(await url);

import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { serve } from './children.ts';

/** A process: a Kite ticker. While it ticks, every subscribed instrument moves once a second, in ten frames spread over it; else one byte a second. */
const Ask = z.object({ ticking: z.boolean() });

const PACKET = 184;
const FRAMES = 10;
let ticking = false;
let turn = 0;
const wanted = new Set<number>();
const links = new Set<WebSocket>();
const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
const listening = new Promise<void>((resolve) => server.once('listening', resolve));

server.on('connection', (link) => {
  links.add(link);
  link.on('close', () => links.delete(link));
  link.on('error', () => link.terminate());
  link.on('message', (data) => {
    const asked = JSON.parse(data.toString());
    if (asked.a === 'subscribe') for (const token of asked.v) wanted.add(token);
    if (asked.a === 'unsubscribe') for (const token of asked.v) wanted.delete(token);
  });
});

setInterval(() => {
  turn += 1;
  if (ticking) send(frame([...wanted].filter((_, index) => index % FRAMES === turn % FRAMES)));
  else if (turn % FRAMES === 0) send(Buffer.alloc(1));
}, 1000 / FRAMES);

function send(bytes: Buffer): void {
  for (const link of links) link.send(bytes);
}

/** Full packets of the documented layout; every price differs from the one before. */
function frame(tokens: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 + tokens.length * (2 + PACKET));
  bytes.writeUInt16BE(tokens.length, 0);
  for (const [index, token] of tokens.entries()) {
    const at = 2 + index * (2 + PACKET);
    bytes.writeUInt16BE(PACKET, at);
    bytes.writeUInt32BE(token, at + 2);
    bytes.writeInt32BE(100_000 + (token % 1000) + 5 * (turn % 1000), at + 6);
    bytes.writeInt32BE(Math.floor(Date.now() / 1000), at + 62);
  }
  return bytes;
}

serve(Ask, async (ask) => {
  await listening;
  ticking = ask.ticking;
  return { origin: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, wanted: wanted.size };
});

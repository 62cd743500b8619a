import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** A process: a Kite ticker on which every subscribed instrument moves five times a second, in 50 frames of 8-byte packets. It tells its parent where it is. */
const FRAMES = 50;
const TURNS = 10;
const PACKET = 8;

const wanted = new Set<number>();
const links = new Set<WebSocket>();
let turn = 0;
const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });

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
  const bytes = frame([...wanted].filter((_, index) => index % TURNS === turn % TURNS));
  for (const link of links) link.send(bytes);
}, 1000 / FRAMES);

/** Packets of last prices, in paise. */
function frame(tokens: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 + tokens.length * (2 + PACKET));
  bytes.writeUInt16BE(tokens.length, 0);
  for (const [index, token] of tokens.entries()) {
    const at = 2 + index * (2 + PACKET);
    bytes.writeUInt16BE(PACKET, at);
    bytes.writeUInt32BE(token, at + 2);
    bytes.writeInt32BE(100_000 + 5 * (turn % 1000), at + 6);
  }
  return bytes;
}

process.on('disconnect', () => process.exit(0));
server.once('listening', () => process.send?.(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`));

import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** A Kite ticker on a free port of this machine. */
export interface KiteTicker {
  /** Tokens that somebody subscribed to. */
  wanted: ReadonlySet<number>;
  /** To everybody who is connected. */
  send(bytes: Buffer): void;
  /** Resolves when it listens. */
  url: Promise<string>;
}

export function kiteTicker(): KiteTicker {
  const wanted = new Set<number>();
  const links = new Set<WebSocket>();
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  const url = new Promise<string>((resolve) =>
    server.once('listening', () => resolve(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );
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
  function send(bytes: Buffer): void {
    for (const link of links) link.send(bytes);
  }
  return { wanted, send, url };
}

/** A frame of packets of so many bytes, each with its token and last price (paise); `fill` writes the rest of one, which begins at `at`. */
export function packets(
  tokens: readonly number[],
  size: number,
  paise: (token: number) => number,
  fill?: (bytes: Buffer, at: number) => void,
): Buffer {
  const bytes = Buffer.alloc(2 + tokens.length * (2 + size));
  bytes.writeUInt16BE(tokens.length, 0);
  for (const [index, token] of tokens.entries()) {
    const at = 2 + index * (2 + size);
    bytes.writeUInt16BE(size, at);
    bytes.writeUInt32BE(token, at + 2);
    bytes.writeInt32BE(paise(token), at + 6);
    fill?.(bytes, at + 2);
  }
  return bytes;
}

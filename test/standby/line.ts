import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The way of one gateway to its database. */
export interface Line {
  port: number;
  /** Nothing passes any more: what stands is reset and new connections are refused, or (`quiet`) all of it stays open and silent. */
  cut(quiet: boolean): void;
  heal(): void;
  close(): void;
}

/** A TCP line to one of several addresses (a socket file, or a port of this machine). */
export async function openLine(to: string | number): Promise<Line> {
  const sockets = new Set<Socket>();
  let state: 'open' | 'reset' | 'quiet' = 'open';
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    if (state === 'reset') return client.resetAndDestroy();
    const upstream =
      typeof to === 'string' ? connect({ path: to, allowHalfOpen: true }) : connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
    for (const [from, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (piece) => other.write(piece));
      // A silent line tells nobody that the other end is gone.
      from.on('end', () => state !== 'quiet' && other.end());
      from.on('close', () => {
        sockets.delete(from);
        if (state !== 'quiet') other.destroy();
      });
      if (state === 'quiet') from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  function reset(): void {
    for (const socket of sockets) socket.destroy();
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut(quiet) {
      state = quiet ? 'quiet' : 'reset';
      if (!quiet) reset();
      else for (const socket of sockets) socket.pause();
    },
    heal() {
      // Whatever was held back is lost, as on a line that was really cut.
      if (state === 'quiet') reset();
      state = 'open';
    },
    close() {
      server.close();
      reset();
    },
  };
}

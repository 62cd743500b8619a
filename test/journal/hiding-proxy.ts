import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Address } from '../../server/db/address.ts';

/** BackendKeyData of protocol 3.0: its letter and its length, then the process's number and a secret. */
const KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12]);

/** Passes on to a database, as a pooler does that gives its clients numbers of its own for the server's processes. */
export async function hidingProxy({ host, port, path }: Address): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = path ? connect({ path }) : connect({ host, port });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => (socket === near ? far : near).destroy());
    }
    near.pipe(far);
    far.on('data', (bytes) => near.write(hidden(bytes)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function hidden(bytes: Buffer): Buffer {
  const at = bytes.indexOf(KEY_DATA);
  if (at < 0) return bytes;
  const changed = Buffer.from(bytes);
  changed.writeUInt32BE(changed.readUInt32BE(at + KEY_DATA.length) ^ 0x4000_0000, at + KEY_DATA.length);
  return changed;
}

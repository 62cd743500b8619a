import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/**
 * Over TLS a connection is two sockets: the one that came in, and the one its requests come on, which is there once hands were shaken. Node does not tell
 * which belong together; both have the same two ends. Without TLS they are one and the same.
 */
export interface SecureSockets {
  /** The socket of a connection's requests. */
  above(socket: Socket): Socket;
  /** The socket that came in. */
  beneath(socket: Socket): Socket;
}

/** Follows the connections of a server from now on. */
export function secureSockets(server: Server): SecureSockets {
  const incoming = new Map<string, Socket>();
  const secure = new WeakMap<Socket, Socket>();
  const beneath = (socket: Socket) => incoming.get(endsOf(socket)) ?? socket;
  if (server instanceof TlsServer) {
    server.on('connection', (socket: Socket) => {
      const ends = endsOf(socket);
      incoming.set(ends, socket);
      socket.once('close', () => incoming.get(ends) === socket && incoming.delete(ends));
    });
    server.on('secureConnection', (socket: Socket) => secure.set(beneath(socket), socket));
  }
  return { above: (socket) => secure.get(socket) ?? socket, beneath };
}

function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

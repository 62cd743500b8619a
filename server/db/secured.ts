import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect } from 'node:tls';
import type { Address } from './address.ts';
import { DatabaseError } from './error.ts';

/** PostgreSQL's request for TLS, and what it answers where it has it. */
const REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = 'S';

/** The connection in TLS, as the address asks for it; here and not in postgres.js, so that the end of such a socket is told whole too. Rejects where the server has none. */
export async function secured(socket: Socket, { ssl, host }: Address): Promise<Socket> {
  if (ssl === false) return socket;
  socket.write(REQUEST);
  const [answer]: Buffer[] = await once(socket, 'data');
  if (String(answer) !== YES) {
    if (ssl === 'prefer' && String(answer) === 'N') return socket;
    throw new DatabaseError('The database server does not speak TLS');
  }
  const trust = typeof ssl === 'object' ? ssl : { rejectUnauthorized: false };
  const through = connect({ socket, ...(isIP(host) ? {} : { servername: host }), ...trust });
  // Whoever ends the one beneath ends both.
  socket.on('error', (error) => through.destroy(error));
  await once(through, 'secureConnect');
  return through;
}

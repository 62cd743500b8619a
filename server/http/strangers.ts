import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '../clock.ts';
import type { SecureSockets } from './secure-sockets.ts';

/** A connection on which no caller was known by then is closed, whatever it does. */
const STRANGER_MS = 9_000;
const LOOK_EVERY_MS = 500;
/** Files, the database, brokers and their feeds need descriptors too. */
const RESERVED = 128;
const MOST_CONNECTIONS = 8_192;
const LEAST_CONNECTIONS = 16;
const MOST_WAITING = 511;

/** Connections of callers whose token was good; all others are strangers. */
const known = new WeakSet<Socket>();

/** Connections on which a token is being looked up. */
const lookedAt = new WeakSet<Socket>();

/** Lets the connection of a request stay while its token is looked up, and from then on where that brought a user. */
export async function lookAt<User>(req: IncomingMessage, admit: (req: IncomingMessage) => Promise<User>): Promise<User> {
  const { socket } = req;
  lookedAt.add(socket);
  try {
    const user = await admit(req);
    known.add(socket);
    return user;
  } finally {
    lookedAt.delete(socket);
  }
}

/**
 * How many connections may wait to be taken in. A third of the strangers' room: who comes in is heard before the room has filled twice more,
 * and is not sent away with a good token on the way.
 */
export function backlog(): number {
  return Math.min(MOST_WAITING, Math.floor(mostConnections() / 4));
}

/** How many connections the descriptors of this process allow. */
function mostConnections(): number {
  return Math.min(MOST_CONNECTIONS, Math.max(LEAST_CONNECTIONS, descriptors() - RESERVED));
}

function descriptors(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Keeps the door free for callers: strangers may have three quarters of all connections, the one that has waited longest leaves when one more comes, and all
 * leave after ten seconds, however slowly they still send or shake hands. Returns what ends the watch.
 */
export function watchStrangers(server: Server, { above, beneath }: SecureSockets): () => void {
  const most = mostConnections();
  const strangers = new Map<Socket, number>();
  const stop = new AbortController();
  server.maxConnections = most;

  server.on('connection', (socket: Socket) => {
    strangers.set(socket, systemClock.mono());
    socket.once('close', () => strangers.delete(socket));
    for (const [oldest] of strangers) {
      if (strangers.size <= (most * 3) / 4) return;
      if (isKnown(oldest) || lookedAt.has(above(oldest))) continue;
      strangers.delete(oldest);
      oldest.destroy();
    }
  });

  // To shake hands takes a caller two ways more: whoever has done it waits as if it had just come, and leaves after the same time.
  server.on('secureConnection', (socket: Socket) => {
    const since = strangers.get(beneath(socket));
    if (since === undefined) return;
    strangers.delete(beneath(socket));
    strangers.set(beneath(socket), since);
  });

  function isKnown(socket: Socket): boolean {
    if (!known.has(above(socket))) return false;
    strangers.delete(socket);
    return true;
  }

  async function sweep(): Promise<void> {
    for (; !stop.signal.aborted; await systemClock.sleep(LOOK_EVERY_MS, stop.signal)) {
      const now = systemClock.mono();
      for (const [socket, since] of strangers) {
        if (now - since >= STRANGER_MS && !isKnown(socket) && !lookedAt.has(above(socket))) socket.destroy();
      }
    }
  }
  void sweep();
  return () => stop.abort();
}

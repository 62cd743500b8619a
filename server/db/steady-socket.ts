import type { Socket } from 'node:net';

/** Sockets that are gone, and of which postgres.js has not been told yet. */
const gone = new Set<() => void>();

/**
 * A socket as postgres.js (3.4.9) needs it. It is told of the end only while nothing waits to be written, the reason and the end in one: it writes in the next round of the
 * event loop, and where it hears of the end before that it does not write on that connection any more, not even its greeting, for 5 s and more; and a statement given
 * between the reason and the end is never rejected: on the next connection it would be given another statement's answer. And what is written is listened to:
 * where the end of a COPY comes while its reader is behind, it leaves the socket paused.
 */
export function steady<Through extends Socket>(socket: Through): Through {
  const { emit, write } = socket;
  let reason: Error | null = null;
  let closed: boolean | null = null;
  function tell(): void {
    if (!gone.delete(tell)) return;
    if (reason) Reflect.apply(emit, socket, ['error', reason]);
    Reflect.apply(emit, socket, ['close', closed]);
  }
  function heldBack(name: string | symbol, ...given: unknown[]): boolean {
    if (name !== 'error' && name !== 'close') return Reflect.apply(emit, socket, [name, ...given]);
    if (name === 'error') {
      reason ??= given[0] instanceof Error ? given[0] : new Error(String(given[0]));
    } else {
      closed = given[0] === true;
      gone.add(tell);
      if (gone.size === 1) setImmediate(look);
    }
    return true;
  }
  function writeOrTell(...given: unknown[]): boolean {
    if (closed === null) {
      if (socket.isPaused()) socket.resume();
      return Reflect.apply(write, socket, given);
    }
    // This is what waited.
    tell();
    return false;
  }
  return Object.assign(socket, { emit: heldBack, write: writeOrTell });
}

/** What waits to be written waits as an immediate. */
function look(): void {
  if (gone.size === 0) return;
  if (process.getActiveResourcesInfo().includes('Immediate')) setImmediate(look);
  else for (const tell of gone) tell();
}

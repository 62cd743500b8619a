import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FaultWords } from './emulator.ts';
import type { Fault } from './faults.ts';
import type { WireReply } from './message.ts';

/** What planted faults make of an answer. */

/** What a fault answers before the engine sees the request: words, nothing at all, or null when it does not stop it here. */
export function answerBefore(fault: Fault, words: FaultWords, incoming: IncomingMessage): WireReply | 'silent' | null {
  switch (fault.kind) {
    case 'lostRequest':
      incoming.socket.destroy();
      return 'silent';
    case 'hangBefore':
      return 'silent';
    case 'status5xxBefore':
      return words.serverError(fault.status);
    case 'rateLimited':
      return words.rateLimited();
    case 'sessionExpired':
      return words.sessionExpired();
    case 'unregisteredAddress':
      return words.unregisteredAddress(fault.address);
    default:
      return null;
  }
}

/** What a fault answers once the engine has acted. */
export function answerAfter(fault: Fault | null, words: FaultWords, reply: WireReply): WireReply {
  switch (fault?.kind) {
    case 'statusAfterAccept':
      return words.serverError(fault.status);
    case 'timeoutTextAfterAccept':
      return words.timedOut();
    case 'garbageAfterAccept':
      return { ...reply, body: '<html><body>\u0000 not what was promised {"status":' };
    case 'emptyAfterAccept':
      return { ...reply, body: '' };
    default:
      return reply;
  }
}

/** Sends an answer, or what a fault leaves of it; `now` is its Date (epoch ms). */
export function send(response: ServerResponse, reply: WireReply, fault: Fault | null, now: number): void {
  const { socket } = response;
  if (fault?.kind === 'hangAfterAccept') return;
  if (fault?.kind === 'resetAfterAccept') {
    socket?.resetAndDestroy();
    return;
  }
  const body = Buffer.from(reply.body);
  response.writeHead(reply.status, { ...reply.headers, 'Content-Length': body.length, Date: new Date(now).toUTCString() });
  if (fault?.kind === 'resetInBody') response.write(body.subarray(0, body.length >> 1), () => socket?.destroy());
  else response.end(body);
}

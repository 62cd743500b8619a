import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FaultWords } from './emulator.ts';
import type { Fault } from './faults.ts';
import type { LongReply, WireReply } from './message.ts';
import { withoutHaste } from './pieces.ts';

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
export function answerAfter(fault: Fault | null, words: FaultWords, reply: WireReply | LongReply): WireReply | LongReply {
  const { status, headers } = reply;
  switch (fault?.kind) {
    case 'statusAfterAccept':
      return words.serverError(fault.status);
    case 'timeoutTextAfterAccept':
      return words.timedOut();
    case 'garbageAfterAccept':
      return { status, headers, body: '<html><body>\u0000 not what was promised {"status":' };
    case 'emptyAfterAccept':
      return { status, headers, body: '' };
    default:
      return reply;
  }
}

/** Sends an answer, or what a fault leaves of it; `now` is its Date (epoch ms). Rejects when a long one breaks off. */
export async function send(response: ServerResponse, reply: WireReply | LongReply, fault: Fault | null, now: number): Promise<void> {
  const { socket } = response;
  if (fault?.kind === 'hangAfterAccept') return;
  if (fault?.kind === 'resetAfterAccept') {
    socket?.resetAndDestroy();
    return;
  }
  const headers = { ...reply.headers, Date: new Date(now).toUTCString() };
  const whole = 'body' in reply ? Buffer.from(reply.body) : null;
  const pieces = 'body' in reply ? [] : reply.pieces;
  response.writeHead(reply.status, whole ? { ...headers, 'Content-Length': whole.length } : headers);
  if (fault?.kind === 'resetInBody') {
    for await (const piece of whole ? [whole] : pieces) {
      response.write(piece.subarray(0, piece.length >> 1), () => socket?.destroy());
      return;
    }
  } else if (whole) response.end(whole);
  else await pipeline(Readable.from(withoutHaste(pieces), { objectMode: false }), response);
}

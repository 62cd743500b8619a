import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '../clock.ts';
import { Refusal } from './refusal.ts';
import type { SecureSockets } from './secure-sockets.ts';

const refusals: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal(408, 'The request did not arrive in time'),
  HPE_HEADER_OVERFLOW: new Refusal(431, 'The headers are larger than 16 KiB'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new Refusal(413, 'The chunk extensions of the body are too large'),
};
const LINGER_MS = 500;
const notSecure = new Refusal(400, 'This port speaks HTTPS: call it with https://');
const unreadable = new Refusal(400, 'The request is not valid HTTP/1.1');

/** Answers in JSON, as everywhere, what Node refuses before a request is one: too slow, too large, broken, or with an expectation we do not meet. */
export function answerParserErrors(server: Server, { beneath }: SecureSockets): void {
  const busy = new WeakSet<Socket>();
  server.on('request', ({ socket }: IncomingMessage, res: ServerResponse) => {
    busy.add(socket);
    res.once('close', () => busy.delete(socket));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Nobody is there, or an answer is under way: a second one would be read as a part of it.
    if (!socket.writable || busy.has(socket)) return socket.destroy();
    // Read on for a moment: to close over unread bytes would take the answer away.
    socket.resume().end(raw(refusals[error.code ?? ''] ?? unreadable));
    void systemClock.sleep(LINGER_MS).then(() => socket.destroy());
  });
  server.on('tlsClientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    if (code === 'ERR_SSL_HTTP_REQUEST') beneath(socket).end(raw(notSecure));
  });
  server.on('checkExpectation', (_req: IncomingMessage, res: ServerResponse) => {
    const body = JSON.stringify(new Refusal(417, 'Expect: only 100-continue is understood').body);
    res
      .writeHead(417, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
      .end(body);
  });
}

function raw({ status, body }: Refusal): string {
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

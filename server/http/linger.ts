import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemClock } from '../clock.ts';

/** Of a refused body so much is read, so that its sender comes to read the answer. */
const MOST_BYTES = 768 * 1024;
const MOST_MS = 2_000;

/** Whether a request has a body that may still be coming. */
export function isStillSent(req: IncomingMessage): boolean {
  const hasBody = req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
  return hasBody && !req.complete;
}

/** Ends with an answer while its request's body is still coming: the answer leaves at once, a part of the body is read and dropped, and the connection ends with the body or after two seconds. */
export function endWhileSent(req: IncomingMessage, res: ServerResponse, body: string): void {
  const over = new AbortController();
  const end = () => {
    if (over.signal.aborted) return;
    over.abort();
    res.end(() => req.socket.destroy());
  };
  let read = 0;
  res.setHeader('Connection', 'close');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.write(body);
  req.on('data', (chunk: Buffer) => {
    read += chunk.length;
    // Not ended here: a connection that breaks takes the unread answer with it.
    if (read > MOST_BYTES) req.pause();
  });
  req.once('end', end).once('close', end);
  void systemClock.sleep(MOST_MS, over.signal).then(end);
}

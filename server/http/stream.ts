import type { IncomingMessage, ServerResponse } from 'node:http';
import { namesIn } from '../../contract/quotes.ts';
import type { Sink, StreamRefusal, Streams } from '../api/streams.ts';
import { invalid, Refusal } from './refusal.ts';

/** `no`: what stands between must not keep lines back. */
const headers = { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

export interface StreamInput {
  /** The query's member, as it came. */
  instruments: unknown;
  mayRead(): Promise<boolean>;
}

/** Answers a request with a stream, which goes on behind the returned promise. Throws a Refusal before the first byte. */
export async function serveStream(
  req: IncomingMessage,
  res: ServerResponse,
  streams: Pick<Streams, 'open'>,
  input: StreamInput,
): Promise<void> {
  const after = lastEventId(req);
  const instruments = typeof input.instruments === 'string' ? [...new Set(namesIn(input.instruments))] : [];
  if (req.method === 'HEAD') {
    res.writeHead(200, headers).end();
    return;
  }
  const opened = await streams.open({ after, instruments, mayRead: input.mayRead }, () => sinkOf(res));
  if ('message' in opened) throw refusalOf(opened);
  res.on('drain', () => opened.drained());
  res.on('close', () => opened.end());
  // Gone while it was opened.
  if (res.closed) opened.end();
}

function sinkOf(res: ServerResponse): Sink {
  // Each write is a whole message: nothing is to be gathered.
  res.socket?.setNoDelay(true);
  res.writeHead(200, headers);
  res.flushHeaders();
  // A connection that breaks closes, and is heard of there.
  res.on('error', () => undefined);
  return { write: (text) => res.write(text), end: () => res.end(), destroy: () => res.destroy() };
}

/** The number in Last-Event-ID; null without one. An empty one is what clients send that have no number yet. */
function lastEventId(req: IncomingMessage): number | null {
  const word = req.headers['last-event-id'];
  if (word === undefined || word === '') return null;
  const id = typeof word === 'string' && /^\d{1,16}$/.test(word) ? Number(word) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw invalid([{ path: 'Last-Event-ID', message: 'must be the number of an event, or 0 for all of them' }]);
}

function refusalOf(refused: StreamRefusal): Refusal {
  if ('field' in refused) return invalid([{ path: refused.field, message: refused.message }]);
  return new Refusal(503, refused.message, { headers: { 'Retry-After': String(refused.retryAfterS) } });
}

import type { IncomingMessage } from 'node:http';
import type { WireRequest } from './message.ts';

const LARGEST_BODY = 1_048_576;

/** A request with its body; `origin`: where the emulator answers. Rejects for a body over 1 MiB. */
export async function readRequest(incoming: IncomingMessage, origin: string): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > LARGEST_BODY) throw new Error('request body over 1 MiB');
    chunks.push(bytes);
  }
  return requestOf(incoming, Buffer.concat(chunks).toString('utf8'), origin);
}

/** A request whose body is read, or that has none, as a handshake. */
export function requestOf(incoming: IncomingMessage, body: string, origin: string): WireRequest {
  const { pathname, searchParams } = new URL((incoming.url ?? '/').replace(/^\/+/, '/'), origin);
  const path = pathname.replaceAll(/\/{2,}/g, '/');
  return { method: incoming.method ?? 'GET', path, query: searchParams, headers: incoming.headers, body, origin };
}

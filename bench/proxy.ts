import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { serve } from './children.ts';
import { createUpstream } from './upstream.ts';

/** A process: the least a server between caller and broker can do. One request in, the three calls out, one answer back. */
function start({ origin }: { origin: string }): Promise<{ origin: string }> {
  const place = createUpstream(origin);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    await place(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"success":true}');
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const { promise, resolve } = Promise.withResolvers<{ origin: string }>();
  server.listen(0, '127.0.0.1', () => resolve({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
  return promise;
}

serve(z.object({ origin: z.string() }), start);

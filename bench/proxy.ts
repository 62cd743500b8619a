import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { openDatabase } from '../server/db/open.ts';
import { silentLog } from '../server/log.ts';
import { serve } from './children.ts';
import { createUpstream, type Note } from './upstream.ts';

const Given = z.object({ origin: z.string(), dataDir: z.string().optional() });

/**
 * A process: the least a server between caller and broker can do. One request in, the three calls out, one answer back; with the `dataDir`
 * of a running gateway also a row of its PostgreSQL that follows each order.
 */
async function start({ origin, dataDir }: z.infer<typeof Given>): Promise<{ origin: string }> {
  const place = createUpstream(origin, dataDir === undefined ? undefined : await openJournal(dataDir));

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

/** A table of a key and a step, and two prepared statements: the least that can be called a journal. */
async function openJournal(dataDir: string): Promise<Note> {
  const { db } = await openDatabase({ mode: 'practice', dataDir, log: silentLog(), beside: true });
  const sql = db.$client;
  await sql`create table bench_journal (key text primary key, step text not null)`;
  return async (key, step) => {
    if (step === 'CLAIMED') await sql`insert into bench_journal (key, step) values (${key}, ${step})`;
    else await sql`update bench_journal set step = ${step} where key = ${key}`;
  };
}

serve(Given, start);

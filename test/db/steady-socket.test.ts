import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { getDefaultHighWaterMark } from 'node:stream';
import { TLSSocket } from 'node:tls';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { type Address, readAddress } from '../../server/db/address.ts';
import { createGate } from '../../server/db/gate.ts';
import { makeCertificate } from '../support/certificate.ts';
import { createTestDatabase } from '../support/database.ts';

/** A server before the database that speaks TLS, as PostgreSQL does where it has a certificate. */
async function behindTls({ path, host, port }: Address): Promise<{ port: number; close(): void }> {
  const { cert, key } = makeCertificate();
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write('S');
      const through = new TLSSocket(socket, { isServer: true, cert, key });
      const database = path ? connect(path) : connect(port, host);
      through.on('error', () => database.destroy()).pipe(database);
      database.on('error', () => through.destroy()).pipe(through);
      socket.on('error', () => database.destroy());
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, close: () => void server.close() };
}

/** One connection through a gate, and its socket. */
async function connected(tls: boolean) {
  const { url, drop } = await createTestDatabase();
  const { others: _, path, ...direct } = readAddress(url);
  const door = tls ? await behindTls({ ...direct, ...(path && { path }) }) : null;
  const gate = createGate(door ? { ...direct, host: '127.0.0.1', port: door.port, ssl: 'require' } : readAddress(url));
  gate.open();
  const { socket: dial } = gate.options as { socket?: () => Promise<Socket> };
  let socket: Socket | null = null;
  const noted: object = {
    socket: async () => {
      socket = (await dial?.()) ?? null;
      return socket;
    },
  };
  const sql = postgres({ ...gate.options, ...noted, max: 1 });
  onTestFinished(async () => {
    await sql.end({ timeout: 0 });
    gate.shut();
    door?.close();
    await drop();
  });
  await sql`select 1`;
  return { sql, lose: () => socket?.destroy(new Error('write EPIPE')) };
}

it.each([
  ['plain', false],
  ['in TLS', true],
])('a statement given while its connection (%s) is being lost fails, and the next one has its own answer at once', async (_, tls) => {
  const { sql, lose } = await connected(tls);
  for (let round = 0; round < 5; round += 1) {
    const began = performance.now();
    const lost = new Promise((resolve) => {
      // The round of the event loop in which the end of the socket comes before what waits to be written.
      setImmediate(() => {
        lose();
        process.nextTick(() =>
          resolve(
            sql`select 'lost' as word`.then(
              (rows) => rows[0]?.word,
              () => 'failed',
            ),
          ),
        );
      });
    });
    const asked = [
      lost,
      lost.then(async () => (await sql`select 'next' as word`)[0]?.word),
      lost.then(async () => (await sql`select 'last' as word`)[0]?.word),
    ];
    expect(await Promise.all(asked)).toEqual(['failed', 'next', 'last']);
    expect(performance.now() - began).toBeLessThan(4000);
  }
});

it('a statement is answered after a COPY whose reader was behind at its end', async () => {
  const { sql } = await connected(false);
  // The last row is the one that is too much for the stream, and the end comes with it.
  const many = Math.ceil(getDefaultHighWaterMark(false) / 1001);
  const rows = await sql.unsafe(`copy (select repeat('x', 1000) from generate_series(1, ${many})) to stdout`).readable();
  await new Promise((resolve) => setTimeout(resolve, 200));
  let read = 0;
  for await (const piece of rows) read += piece.length;
  expect(read).toBe(many * 1001);
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
}, 10_000);

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { adminOptions } from '../support/global-setup.ts';
import { packedMaster, serveFile, startInstruments, tablesOf, zerodha } from './parts.ts';

const ROWS = 5000;
const program = fileURLToPath(new URL('./child.ts', import.meta.url));

it('keeps the file before when it is killed in the middle of a load, and clears up at the next', async () => {
  const body = packedMaster(ROWS);
  const server = await serveFile(body);
  const first = await startInstruments(server.address);
  const sql = postgres(adminOptions(first.databaseUrl));
  const tables = async () => (await tablesOf({ $client: sql })).names;
  try {
    first.instruments.follow(zerodha);
    await first.loaded();
    await first.instruments.stop();
    await first.database.close();

    // Most of the file, and no end.
    server.answer = (response) => void response.write(body.subarray(0, body.length - 1000));
    const child = spawn(process.execPath, [program, server.address, first.databaseUrl], { stdio: 'ignore' });
    const gone = once(child, 'exit');
    await expect.poll(tables, { timeout: 20_000 }).toEqual(['instruments_1', 'instruments_2']);
    child.kill('SIGKILL');
    await gone;

    server.answer = (response) => response.end(body);
    const next = await startInstruments(server.address, {}, first.databaseUrl);
    expect(await next.instruments.of('zerodha')?.named('BSE', 'SAAAA')).toHaveLength(1);
    expect(await tables()).toEqual(['instruments_1', 'instruments_2']);
    next.instruments.follow(zerodha);
    next.instruments.refresh();
    await next.loaded();
    await expect.poll(tables, { timeout: 20_000 }).toEqual(['instruments_1', 'instruments_3']);
    expect((await sql`select generation, rows from instrument_masters`)[0]).toEqual({ generation: 3, rows: ROWS });
    await next.close();
  } finally {
    await sql.end({ timeout: 1 });
    await first.close();
    await server.close();
  }
});

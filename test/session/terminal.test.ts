import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { fromCache } from '../support/process.ts';

const CLEAR_SCREEN = '\u001b[2J';
/** A broker that says what a terminal would obey. */
const broker = createServer((_req, res) => {
  res.writeHead(200, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify({ status: false, message: `No${CLEAR_SCREEN} entry\u202e`, errorcode: 'AB1050', data: null }));
});
const dataDir = mkdtempSync(join(tmpdir(), 'gateway-terminal-'));
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await once(broker.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  broker.close();
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

it.each(['session/login-cli.ts', 'certify/cli.ts'])(
  '%s shows what a broker says, and does not obey it',
  async (program) => {
    const env = {
      PATH: process.env.PATH,
      GATEWAY_MODE: 'live',
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      ANGELONE_API_URL: `http://127.0.0.1:${(broker.address() as AddressInfo).port}`,
      ANGELONE_API_KEY: 'key',
      ANGELONE_CLIENT_ID: 'A1',
      ANGELONE_PIN: '1234',
      ANGELONE_TOTP_SECRET: 'JBSWY3DPEHPK3PXP',
    };
    const file = fileURLToPath(new URL(`../../server/${program}`, import.meta.url));
    const child = spawn(process.execPath, [...fromCache, file, 'angelone'], { env, cwd: dataDir, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(said).toContain('No\\u{1b}[2J entry\\u{202e}');
    expect(said).not.toContain(CLEAR_SCREEN);
  },
  60_000,
);

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Store, startStore } from '../chaos/store.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';

let home: string;
let store: Store;
let gateway: TestGateway;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'gateway-report-hung-'));
  store = await startStore(home);
  gateway = await startGateway({ from: { databaseUrl: await store.create('hung'), dataDir: home } });
}, 60_000);
afterAll(async () => {
  await gateway?.halt();
  await store?.stop();
  rmSync(home, { recursive: true, force: true });
});

const get = async (path: string) => (await gateway.call('GET', `/broker/${path}`)).body;

test('with a database that hangs the overview answers all the same, and says so', async () => {
  await gateway.place(sbin);
  await expect.poll(async () => (await get('overview')).database.ok, { timeout: 20_000 }).toBe(true);
  const thaw = store.freeze();
  try {
    async function ten(): Promise<number> {
      const began = performance.now();
      const all = await Promise.all(Array.from({ length: 10 }, () => get('overview')));
      const tookMs = performance.now() - began;
      for (const overview of all)
        expect(overview).toMatchObject({ success: true, database: { ok: false, latency_ms: null }, broker: 'zerodha' });
      console.log(`ten overviews beside a frozen database: ${Math.round(tookMs)} ms`);
      return tookMs;
    }
    // A quarter of a second is the database's. A busy machine adds to it, but not each time.
    await expect.poll(ten, { timeout: 20_000 }).toBeLessThan(300 + 150);
    expect(await get('records/positions')).toEqual({ success: false, message: 'The records cannot be read right now' });
  } finally {
    thaw();
  }
  await expect.poll(async () => (await get('overview')).database.ok, { timeout: 20_000 }).toBe(true);
  await expect.poll(async () => (await get('records/positions')).positions?.length, { timeout: 20_000 }).toBe(1);
}, 60_000);

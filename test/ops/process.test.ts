import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayProcess, startProcess } from '../support/process.ts';

let dataDir: string;
let taken: Server;
let port: number;
let gateway: GatewayProcess;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gateway-ops-'));
  taken = createServer();
  taken.listen(0, '127.0.0.1');
  await once(taken, 'listening');
  port = (taken.address() as AddressInfo).port;
  gateway = await startProcess({ DATA_DIR: dataDir, OPS_PORT: String(port) });
});
afterAll(async () => {
  await gateway?.killTree();
  taken?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method });

it('trades without its port, says so, and takes it once it is free', async () => {
  expect(gateway.screen()).toContain(`Figures      NOT served: port ${port} cannot be had on 127.0.0.1 (OPS_PORT); it is tried again`);
  expect(gateway.errors()).toContain('Figures are not served');
  expect((await fetch(`${gateway.url}/`)).status).toBe(200);
  taken.close();
  await expect.poll(async () => (await get('/healthz').catch(() => null))?.status, { timeout: 20_000, interval: 200 }).toBe(200);
});

it('serves three pages, and nothing else', async () => {
  expect(await (await get('/healthz')).json()).toEqual({ status: 'alive' });
  const ready = await get('/readyz');
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready', database: 'up' }]);
  const metrics = await get('/metrics');
  expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await metrics.text()).toContain('gateway_status{status="ready"} 1');
  expect([(await get('/')).status, (await get('/metrics/')).status, (await get('/__proto__')).status]).toEqual([404, 404, 404]);
  const posted = await get('/metrics', 'POST');
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
});

it('is not ready any more once it stops', async () => {
  process.kill(gateway.child.pid ?? 0, 'SIGTERM');
  const seen = new Set<string>();
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await get('/readyz').catch(() => null);
    if (!answer) break;
    seen.add(`${answer.status} ${JSON.parse(await answer.text()).status}`);
  }
  expect([...seen].filter((one) => one !== '200 ready')).toEqual(['503 stopping']);
});

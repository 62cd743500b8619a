import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCertificate, writeCertificate } from '../support/certificate.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';

/** The crowd of test/http/crowd.test.ts over TLS, for a part: a gateway with few descriptors, and strangers that shake hands slowly or never. */
const CROWD = 400;
const DESCRIPTORS = 256;

const dataDir = mkdtempSync(join(tmpdir(), 'gateway-tls-crowd-'));
const made = makeCertificate();
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
let gateway: GatewayProcess;
let port = 0;

beforeAll(async () => {
  const env = { DATA_DIR: dataDir, HOST: '0.0.0.0', PRACTICE_LIMITS: 'off', ...writeCertificate(dataDir, made) };
  gateway = await startProcess(env, undefined, { descriptors: DESCRIPTORS });
  port = Number(new URL(gateway.url).port);
}, 90_000);
afterAll(async () => {
  await gateway.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
});

const secure = () => connectTls({ port, host: '127.0.0.1', ca: made.cert, servername: 'localhost' });
const plain = () => connect(port, '127.0.0.1');
/** The first bytes of a ClientHello, and no more. */
const HALF_HELLO = Buffer.from('16030102000100', 'hex');

/** Everything that comes until the end, and after how many milliseconds that was. */
function untilEnd(socket: Socket, text: string | Buffer = ''): Promise<{ answer: string; ms: number }> {
  const began = performance.now();
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => undefined);
  if (text.length > 0) socket.write(text);
  return new Promise((resolve) => socket.on('close', () => resolve({ answer, ms: performance.now() - began })));
}

/** Comes back whenever it is sent away: every third says nothing, shakes hands halfway, or says nothing afterwards. */
function stranger(n: number, over: AbortSignal): void {
  if (over.aborted) return;
  const socket = n % 3 === 2 ? secure() : plain();
  if (n % 3 === 1) socket.write(HALF_HELLO);
  const leave = () => socket.destroy();
  over.addEventListener('abort', leave);
  socket
    .on('error', () => undefined)
    .on('close', () => {
      over.removeEventListener('abort', leave);
      setTimeout(() => stranger(n, over), 500);
    });
}

it('tells https on its first screen, and that to who calls it over http', async () => {
  expect(gateway.url).toMatch(/^https:/);
  expect(gateway.screen()).toMatch(/Console +https:/);
  expect(gateway.screen()).not.toContain('plain HTTP');
  const { answer } = await untilEnd(plain(), 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*This port speaks HTTPS/);
}, 20_000);

it(`${CROWD} connections that shake hands slowly or never keep no caller out`, async () => {
  const over = new AbortController();
  for (let n = 0; n < CROWD; n++) stranger(n, over.signal);
  await sleep(1000);
  const headers = { Authorization: `Bearer ${gateway.token}` };
  const dispatcher = new Agent({ connect: { ca: made.cert }, connections: 1 });
  const read = async () => (await fetch(`${gateway.url}/broker/positions`, { headers, dispatcher })).json();
  // On its way in a caller may be sent away and comes again; once it is known it stays.
  await expect.poll(() => read().catch(() => null), { timeout: 20_000, interval: 10 }).toMatchObject({ success: true });
  for (const until = performance.now() + 3000; performance.now() < until; ) expect(await read()).toMatchObject({ success: true });
  await dispatcher.destroy();
  over.abort();
  expect(gateway.errors()).not.toMatch(/EMFILE|request failed/);
}, 60_000);

it('who never shakes hands, does it halfway, or says nothing after it is gone within 10 s; a caller that pauses stays', async () => {
  const caller = secure();
  let gone = false;
  // What is not read keeps its end from being heard of.
  caller.resume().on('close', () => {
    gone = true;
  });
  caller.write(`GET /broker/kill-switch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`);
  const strangers = [
    untilEnd(plain()),
    untilEnd(plain(), HALF_HELLO),
    untilEnd(secure()),
    untilEnd(secure(), 'GET /broker/profile HTTP/1.1\r\nHost: x\r\n\r\n'),
  ];
  for (const { ms } of await Promise.all(strangers)) expect(ms).toBeLessThan(10_500);
  await sleep(1500);
  expect(gone).toBe(false);
  caller.destroy();
}, 30_000);

import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sbin } from '../support/gateway.ts';
import { type GatewayProcess, startProcess } from '../support/process.ts';

const CROWD = 1000;
const DESCRIPTORS = 256;

const dataDir = mkdtempSync(join(tmpdir(), 'gateway-crowd-'));
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
let gateway: GatewayProcess;
let port = 0;

beforeAll(async () => {
  gateway = await startProcess({ DATA_DIR: dataDir, PRACTICE_LIMITS: 'off', POSITION_GUARD: 'off' }, undefined, {
    descriptors: DESCRIPTORS,
  });
  port = Number(new URL(gateway.url).port);
}, 90_000);
afterAll(async () => {
  await gateway.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
});

/** Sends raw text, and resolves with all that comes back until the end. */
function exchange(text: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => undefined);
  socket.write(text);
  return new Promise((resolve) => socket.on('close', () => resolve(answer)));
}

/** Comes back whenever it is sent away: every second one says nothing, the others one byte of a request now and then. */
function stranger(n: number, over: AbortSignal): void {
  const request = `POST /broker/orders/place HTTP/1.1\r\nHost: x\r\nX-Slow: ${'a'.repeat(500)}`;
  let socket: Socket | undefined;
  let sent = 0;
  const open = () => {
    if (over.aborted) return;
    sent = 0;
    socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined).on('close', () => setTimeout(open, 500));
  };
  const drip = setInterval(() => n % 2 === 0 && socket?.writable && socket.write(request[sent++ % request.length] ?? 'a'), 500);
  over.addEventListener('abort', () => {
    clearInterval(drip);
    socket?.destroy();
  });
  open();
}

describe('with 256 descriptors', () => {
  it(`${CROWD} idle and slow connections without a token keep no caller out`, async () => {
    const over = new AbortController();
    for (let n = 0; n < CROWD; n++) stranger(n, over.signal);
    await sleep(1500);
    const headers = { Authorization: `Bearer ${gateway.token}`, 'Content-Type': 'application/json' };
    const statuses: number[] = [];
    const began = performance.now();
    for (let n = 0; performance.now() - began < 6_000; n++) {
      const order = { ...sbin, quantity: 1, idempotency_key: `crowd-${n}` };
      const answers = await Promise.all([
        fetch(`${gateway.url}/broker/orders/place`, { method: 'POST', headers, body: JSON.stringify(order) }),
        fetch(`${gateway.url}/broker/positions`, { headers }),
      ]);
      for (const answer of answers) {
        statuses.push(answer.status);
        expect(await answer.json()).toMatchObject({ success: true });
      }
    }
    over.abort();
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(statuses.length).toBeGreaterThan(10);
    expect(gateway.errors()).not.toMatch(/EMFILE|request failed/);
  }, 60_000);

  it.each([
    ['says nothing', ''],
    ['has sent half a head', 'GET / HTTP/1.1\r\nHost: x\r\n'],
    ['asked without a token and stays', 'GET /broker/profile HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])(
    'who %s is gone within 10 s',
    async (_name, text) => {
      const began = performance.now();
      await exchange(text);
      expect(performance.now() - began).toBeLessThan(10_500);
    },
    20_000,
  );

  it('a caller that pauses longer keeps its connection', async () => {
    const socket = connect(port, '127.0.0.1');
    let closed = false;
    // What is not read keeps its end from being heard of.
    socket.resume().on('close', () => {
      closed = true;
    });
    socket.write(
      `GET /broker/supported HTTP/1.1\r\nHost: x\r\n\r\nGET /broker/profile HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`,
    );
    await sleep(11_000);
    expect(closed).toBe(false);
    socket.destroy();
  }, 20_000);

  it('at most 1 MB of a refused body is read, and its sender reads the answer', async () => {
    for (const token of ['', `Authorization: Bearer ${gateway.token}\r\n`]) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      const closed = new Promise((resolve) => socket.on('close', resolve));
      socket.write(
        `POST /broker/orders/place HTTP/1.1\r\nHost: x\r\n${token}Content-Type: application/json\r\nContent-Length: 500000000\r\n\r\n`,
      );
      const chunk = Buffer.alloc(64 * 1024, 'a');
      const more = () => {
        while (socket.writable && socket.write(chunk));
      };
      socket.on('drain', more);
      more();
      await closed;
      expect(answer).toMatch(token === '' ? /^HTTP\/1\.1 401 / : /^HTTP\/1\.1 413 /);
      // What lies in the buffers of the system in between was taken, and never read.
      expect(socket.bytesWritten).toBeLessThan(16 * 1024 * 1024);
    }
  }, 20_000);

  it.each([
    [400, 'GET / HTTP/9.9\r\n\r\n'],
    [400, 'no request at all\r\n\r\n'],
    [431, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`],
    [417, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: coffee\r\n\r\n'],
    [408, 'GET / HTTP/1.1\r\nHost: x\r\nX-Unfinished: y'],
  ])(
    '%i is told in JSON',
    async (status, text) => {
      const [head = '', body = ''] = (await exchange(text)).split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head).toMatch(/content-type: application\/json/i);
      expect(JSON.parse(body)).toEqual({ success: false, message: expect.any(String) });
    },
    20_000,
  );
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { readCertificate } from '../../server/config/certificate.ts';
import { type Listening, listen } from '../../server/http/listen.ts';
import { keepCertificate } from '../../server/http/tls.ts';
import { makeCertificate, writeCertificate } from '../support/certificate.ts';

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'gateway-tls-'));
const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listening) => listening.close()));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of a certificate, as the settings name them. */
function filesOf(made = makeCertificate()) {
  const { TLS_CERT: cert, TLS_KEY: key } = writeCertificate(folder, made);
  return { cert, key };
}

/** An HTTPS server that looks for a new certificate without a pause, and what it logged. */
async function serve(files: { cert: string; key: string }, app: RequestListener = (_req, res) => res.end('hello')) {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const clock = { ...systemClock, sleep: (_ms: number, signal?: AbortSignal) => systemClock.sleep(10, signal) };
  const keeper = keepCertificate(files, { log, clock });
  const listening = await listen(app, { host: '127.0.0.1', port: 0 }, keeper);
  open.push(listening);
  return { ...listening, lines, keeper };
}

/** A connection on which hands were shaken; rejects when they were not. */
function shakeHands(port: number, options = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  return new Promise((resolve, reject) => socket.once('secureConnect', () => resolve(socket)).once('error', reject));
}

/** What a new connection is shown. */
async function shown(port: number): Promise<string> {
  const socket = await shakeHands(port);
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}

describe('HTTPS', () => {
  it('is served to who knows the certificate, over TLS 1.2 and 1.3 and HTTP/1.1', async () => {
    const made = makeCertificate();
    const { port } = await serve(filesOf(made));
    const body = await new Promise((resolve, reject) => {
      get({ port, host: '127.0.0.1', ca: made.cert }, (res) => res.setEncoding('utf8').on('data', resolve)).on('error', reject);
    });
    expect(body).toBe('hello');
    const offered = { ALPNProtocols: ['h2', 'http/1.1'] };
    expect((await shakeHands(port, offered)).alpnProtocol).toBe('http/1.1');
    expect((await shakeHands(port, { maxVersion: 'TLSv1.2' })).getProtocol()).toBe('TLSv1.2');
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(shakeHands(port, old)).rejects.toThrow(/protocol version|unsupported protocol/);
  });

  it('shows a renewed certificate to new connections, and those that stand go on', async () => {
    const { port, lines, keeper } = await serve(filesOf(makeCertificate({ name: 'before', days: 20 })));
    const standing = await shakeHands(port);
    expect(await shown(port)).toBe('before');
    filesOf(makeCertificate({ name: 'after', days: 90 }));
    await expect.poll(() => shown(port), { timeout: 10_000 }).toBe('after');
    expect(Math.round(keeper.leftMs() / DAY_MS)).toBe(90);
    standing.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const answer = await new Promise((resolve) => standing.once('data', (chunk) => resolve(String(chunk))));
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    standing.destroy();
    expect(lines.filter((line) => line.includes('A new TLS certificate is served'))).toHaveLength(1);
  });

  it('keeps the certificate before while a renewal cannot be used, and says why, once', async () => {
    const files = filesOf(makeCertificate({ name: 'before' }));
    const { port, lines } = await serve(files);
    const told = () => lines.filter((line) => line.includes('cannot be used'));
    writeFileSync(files.cert, makeCertificate({ name: 'half' }).cert);
    await expect.poll(told, { timeout: 10_000 }).toHaveLength(1);
    expect(told()[0]).toContain('is not the key of the certificate');
    rmSync(files.key);
    await expect.poll(told, { timeout: 10_000 }).toHaveLength(2);
    expect(told()[1]).toContain('TLS_KEY');
    expect(await shown(port)).toBe('before');
    filesOf(makeCertificate({ name: 'after' }));
    await expect.poll(() => shown(port), { timeout: 10_000 }).toBe('after');
    expect(told()).toHaveLength(2);
  });

  it('warns once before the certificate ends', async () => {
    const { lines, port } = await serve(filesOf(makeCertificate({ days: 5.5 })));
    await shown(port);
    filesOf(makeCertificate({ name: 'after', days: 3.5 }));
    await expect.poll(() => shown(port), { timeout: 10_000 }).toBe('after');
    const told = () => lines.filter((line) => line.includes('ends soon')).map((line) => JSON.parse(line).days);
    await expect.poll(told, { timeout: 10_000 }).toEqual([5, 3]);
  });
});

describe('a certificate that cannot be used names its setting', () => {
  const missing = join(folder, 'missing.pem');
  const wrong: [string, (files: { cert: string; key: string }) => { cert: string; key: string }, RegExp][] = [
    ['not there', ({ key }) => ({ cert: missing, key }), /^TLS_CERT: .*missing\.pem cannot be read: it is not there$/],
    ['a key that is not there', ({ cert }) => ({ cert, key: missing }), /^TLS_KEY: .*missing\.pem cannot be read: it is not there$/],
    ['a directory', ({ key }) => ({ cert: folder, key }), /^TLS_CERT: .* it is a directory$/],
    ['the key instead', ({ key }) => ({ cert: key, key }), /^TLS_CERT: .* does not hold a certificate in PEM$/],
    ['no key', ({ cert }) => ({ cert, key: cert }), /^TLS_KEY: .* does not hold a private key in PEM without a passphrase$/],
  ];
  it.each(wrong)('%s', (_name, change, message) => {
    expect(() => readCertificate(change(filesOf()), Date.now())).toThrow(message);
  });

  it("another one's key, one that has ended, one that has not begun", () => {
    const [one, other] = [makeCertificate(), makeCertificate()];
    expect(() => readCertificate(filesOf({ cert: one.cert, key: other.key }), Date.now())).toThrow(/^TLS_KEY: .* is not the key of/);
    const files = filesOf(makeCertificate({ days: 1 }));
    expect(() => readCertificate(files, Date.now() + 2 * DAY_MS)).toThrow(
      /^TLS_CERT: the certificate in .* ended on \d{4}-\d\d-\d\d; renew it$/,
    );
    expect(() => readCertificate(files, Date.now() - 2 * DAY_MS)).toThrow(/^TLS_CERT: .* begins on .* clock right\?$/);
  });
});

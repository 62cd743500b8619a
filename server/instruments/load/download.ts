import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** Neither a byte nor a connection for so long. */
const SILENT_MS = 30_000;
/** A whole file. */
const TOTAL_MS = 300_000;
/** More than ten times the largest file there is. */
const MOST_BYTES = 1024 * 1024 * 1024;

export interface Source {
  url: string;
  localAddress: string | undefined;
  onlyHere: boolean;
}

/** There is no such file, or nothing in it. */
export class NoFile extends Error {}

/**
 * The bytes of a file, as they come, what the transfer has packed unpacked; over IPv4 alone, no redirect is followed. Rejects, also in the middle, in words
 * for a person: another status than 200, a transfer that breaks off, is silent for 30 s or takes five minutes.
 *
 * Node's own client: undici would take 20 MB more in a worker that lives for some seconds, and nothing here is asked twice.
 */
export async function* download({ url, localAddress, onlyHere }: Source): AsyncGenerator<Uint8Array> {
  const target = new URL(url);
  if (onlyHere && !isLoopback(target.hostname)) throw new Error(`Practice mode asks this machine only, and not ${target.host}`);
  const stop = AbortSignal.timeout(TOTAL_MS);
  const response = await ask(target, localAddress, stop);
  if (response.statusCode !== 200) {
    response.destroy();
    throw new (response.statusCode === 404 ? NoFile : Error)(`${target.host} answered HTTP ${response.statusCode}`);
  }
  let bytes = 0;
  try {
    for await (const part of unpacked(response)) {
      bytes += part.length;
      if (bytes > MOST_BYTES) throw new Error('the file does not end');
      yield part;
    }
  } catch (error) {
    throw new Error(`The file of ${target.host} broke off: ${stop.aborted ? 'five minutes were not enough' : textOf(error)}`);
  } finally {
    response.destroy();
  }
}

async function ask(target: URL, localAddress: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
  const { get } = target.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const headers = { 'user-agent': 'broker-gateway', 'accept-encoding': 'gzip' };
  return await new Promise((resolve, reject) => {
    const request = get(target, { family: 4, headers, signal, timeout: SILENT_MS, ...(localAddress && { localAddress }) }, resolve);
    request.on('timeout', () => request.destroy(new Error(`nothing came for ${SILENT_MS / 1000} s`)));
    request.on('error', (error) => reject(new Error(`${target.host} cannot be read: ${textOf(error)}`)));
  });
}

function unpacked(response: IncomingMessage): Readable {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  // The error is the reader's, which ends with the stream it reads.
  return pipeline(response, createGunzip(), () => undefined);
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || (isIPv4(hostname) && hostname.startsWith('127.'));
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Unzip, UnzipInflate } from 'fflate';
import type { MasterFile } from '../../brokers/master.ts';

type Bytes = AsyncIterable<Uint8Array>;

/**
 * A file's text, in pieces, without a byte order mark. A `gzip` file that the transfer unpacked already, or that was never packed, is taken as it is.
 * Rejects on bytes that are no such file.
 */
export async function* textOfFile(bytes: Bytes, pack: MasterFile['pack']): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  for await (const part of unpack(bytes, pack)) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

async function* unpack(bytes: Bytes, pack: MasterFile['pack']): Bytes & AsyncGenerator<Uint8Array> {
  if (pack === 'zip') return yield* unzip(bytes);
  if (pack === 'plain') return yield* bytes;
  const parts = bytes[Symbol.asyncIterator]();
  const first = await parts.next();
  if (first.done) return;
  const whole = Readable.from(joined(first.value, parts), { objectMode: false });
  yield* isGzip(first.value) ? gunzip(whole) : whole;
}

async function* joined(first: Uint8Array, rest: AsyncIterator<Uint8Array>): Bytes & AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

function gunzip(whole: Readable): Readable {
  const unpacked = createGunzip();
  whole.on('error', (error) => unpacked.destroy(error));
  return whole.pipe(unpacked);
}

/** The first file of an archive. */
async function* unzip(bytes: Bytes): Bytes & AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  let [files, ended] = [0, false];
  const archive = new Unzip((file) => {
    files += 1;
    if (files > 1) return;
    file.ondata = (error, data, final) => {
      if (error) throw error;
      ready.push(data);
      ended ||= final;
    };
    file.start();
  });
  archive.register(UnzipInflate);
  for await (const part of bytes) {
    archive.push(part);
    yield* ready.splice(0);
  }
  archive.push(new Uint8Array(0), true);
  yield* ready.splice(0);
  if (!ended) throw new Error(files === 0 ? 'it is no zip archive' : 'the zip archive breaks off');
}

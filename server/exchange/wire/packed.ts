import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Zip, ZipDeflate } from 'fflate';
import { inPieces, withoutHaste } from './pieces.ts';

/** Lines, each with its line end, as one gzip file. */
export async function gzipped(lines: Iterable<string>): Promise<Buffer> {
  const parts: Buffer[] = [];
  await pipeline(withoutHaste(inPieces(lines)), createGzip(), async (packed: AsyncIterable<Buffer>) => {
    for await (const part of packed) parts.push(part);
  });
  return Buffer.concat(parts);
}

/** Lines as a zip archive of one file of that name, last changed at an instant (epoch ms). */
export async function zipped(name: string, lines: Iterable<string>, at: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const archive = new Zip((error, part) => {
    if (error) throw error;
    parts.push(part);
  });
  const file = new ZipDeflate(name);
  file.mtime = at;
  archive.add(file);
  for await (const piece of withoutHaste(inPieces(lines))) file.push(piece);
  file.push(new Uint8Array(0), true);
  archive.end();
  return Buffer.concat(parts);
}

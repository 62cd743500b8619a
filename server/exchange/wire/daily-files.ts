import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { Zip, ZipDeflate } from 'fflate';
import { type Clock, tradingDay } from '../../clock.ts';

/** Files that a broker makes anew each day, such as its instrument master. They may have hundreds of thousands of lines, and orders go on while they are made. */

const PIECE_CHARS = 65_536;
const PIECE_LINES = 500;

/** The text of lines in pieces, with a breath after each. The lines bring their own line ends; a row that is left out is an empty one, so that it counts. */
export async function* unhurried(lines: Iterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  let count = 0;
  for (const line of lines) {
    text += line;
    count += 1;
    if (text.length < PIECE_CHARS && count < PIECE_LINES) continue;
    if (text !== '') yield Buffer.from(text);
    await setImmediate();
    text = '';
    count = 0;
  }
  if (text !== '') yield Buffer.from(text);
}

/** Keeps each file, as it is sent, from the first time it is asked for until the day in India ends. */
export function dailyFiles(clock: Clock): (name: string, make: () => Promise<Buffer>) => Promise<Buffer> {
  const kept = new Map<string, Promise<Buffer>>();
  let keptOn = '';
  return (name, make) => {
    const today = tradingDay(clock.now());
    if (today !== keptOn) kept.clear();
    keptOn = today;
    const file = kept.get(name) ?? make();
    kept.set(name, file);
    return file;
  };
}

/** Lines, each with its line end, as one gzip file. */
export async function gzipped(lines: Iterable<string>): Promise<Buffer> {
  const parts: Buffer[] = [];
  await pipeline(unhurried(lines), createGzip(), async (packed: AsyncIterable<Buffer>) => {
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
  for await (const piece of unhurried(lines)) file.push(piece);
  file.push(new Uint8Array(0), true);
  archive.end();
  return Buffer.concat(parts);
}

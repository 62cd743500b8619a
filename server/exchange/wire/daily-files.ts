import { gzipSync } from 'node:zlib';
import { Zip, ZipDeflate } from 'fflate';
import { type Clock, tradingDay } from '../../clock.ts';

/** Files that a broker makes anew each day, such as its instrument master. They may have hundreds of thousands of lines, so no file is ever one text. */

const CHUNK_LETTERS = 65_536;

/** Keeps each file, as it is sent, from the first time it is asked for until the day in India ends. */
export function dailyFiles(clock: Clock): (name: string, make: () => Buffer) => Buffer {
  const kept = new Map<string, Buffer>();
  let keptOn = '';
  return (name, make) => {
    const today = tradingDay(clock.now());
    if (today !== keptOn) kept.clear();
    keptOn = today;
    const bytes = kept.get(name) ?? make();
    kept.set(name, bytes);
    return bytes;
  };
}

/** Lines, each with its line end, as one gzip file. */
export function gzipped(lines: Iterable<string>): Buffer {
  return gzipSync(Buffer.concat([...chunksOf(lines)]));
}

/** Lines as a zip archive of one file of that name, last changed at an instant (epoch ms). */
export function zipped(name: string, lines: Iterable<string>, at: number): Buffer {
  const parts: Uint8Array[] = [];
  const archive = new Zip((error, part) => {
    if (error) throw error;
    parts.push(part);
  });
  const file = new ZipDeflate(name);
  file.mtime = at;
  archive.add(file);
  for (const chunk of chunksOf(lines)) file.push(chunk);
  file.push(new Uint8Array(0), true);
  archive.end();
  return Buffer.concat(parts);
}

function* chunksOf(lines: Iterable<string>): Generator<Buffer> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < CHUNK_LETTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

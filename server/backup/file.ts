import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { BackupError, FIRST_LINE, TRAILER_BYTES } from './format.ts';

/** More would cost the gateway's processor for little. */
const LEVEL = 3;
const CHUNK = 1 << 20;

/**
 * Writes a backup, mode 0600, first under another name beside its own: under its own name there is a whole one, on disk and read back, or none.
 * Never replaces a file. `content` is what the gzip holds. Rejects with a BackupError for a person.
 */
export async function writeBackup(file: string, random: string, content: AsyncIterable<string | Buffer>): Promise<{ bytes: number }> {
  const partial = join(dirname(file), `.${basename(file)}.${random}.partial`);
  const handle = await open(partial, 'wx', 0o600).catch((error: unknown) => {
    throw new BackupError(`${file} cannot be written: ${reasonOf(error)}`);
  });
  try {
    await pour(handle, content);
    await handle.sync();
    await handle.close();
    const { bytes } = await verifyBackup(partial);
    await takeName(partial, file);
    return { bytes };
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error instanceof BackupError || !isOfFiles(error) ? error : new BackupError(`${file} cannot be written: ${reasonOf(error)}`);
  }
}

async function pour(handle: FileHandle, content: AsyncIterable<string | Buffer>): Promise<void> {
  const hash = createHash('sha256');
  async function put(bytes: string | Buffer): Promise<void> {
    hash.update(bytes);
    await handle.writeFile(bytes);
  }
  await put(FIRST_LINE);
  const packed = createGzip({ level: LEVEL });
  // What fails before it comes out of it again.
  pipeline(Readable.from(content), packed).catch(() => undefined);
  for await (const chunk of packed) await put(chunk);
  await handle.writeFile(`${hash.digest('hex')}\n`);
}

/** A link never replaces what is there; a rename might, and stands in only where the file system knows no links. */
async function takeName(partial: string, file: string): Promise<void> {
  try {
    await link(partial, file);
    await rm(partial);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new BackupError(`${file} is there already: a backup never replaces a file`);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))) throw error;
    await rename(partial, file);
  }
  const directory = await open(dirname(file));
  // Not every file system lets a directory be synced.
  await directory.sync().catch(() => undefined);
  await directory.close();
}

/** Reads a file from its first to its last byte and holds it against its SHA-256. Rejects with a BackupError where one of them is not as it was written. */
export async function verifyBackup(file: string): Promise<{ bytes: number }> {
  const handle = await open(file).catch((error: unknown) => {
    throw new BackupError(`${file} cannot be read: ${reasonOf(error)}`);
  });
  try {
    const { size } = await handle.stat();
    const inner = size - TRAILER_BYTES;
    if (inner <= FIRST_LINE.length || !(await read(handle, 0, FIRST_LINE.length)).equals(Buffer.from(FIRST_LINE)))
      throw new BackupError(`${file} is no backup of this gateway, or one of a newer version, or its first bytes are damaged`);
    const hash = createHash('sha256');
    for (let at = 0; at < inner; at += CHUNK) hash.update(await read(handle, at, Math.min(CHUNK, inner - at)));
    const told = await read(handle, inner, TRAILER_BYTES);
    if (!told.equals(Buffer.from(`${hash.digest('hex')}\n`)))
      throw new BackupError(`${file} is damaged: it is not as it was written, or not whole. Take another one`);
    return { bytes: size };
  } finally {
    await handle.close();
  }
}

async function read(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** What the gzip holds, piece by piece, of a file that was verified. */
export function contentOf(file: string, bytes: number): AsyncIterable<Buffer> {
  const source = createReadStream(file, { start: FIRST_LINE.length, end: bytes - TRAILER_BYTES - 1 });
  const unpacked = createGunzip();
  pipeline(source, unpacked).catch(() => undefined);
  return unpacked;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function isOfFiles(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than is allowed',
  ENOENT: 'there is no such file or directory',
  EACCES: 'this user may not',
  EROFS: 'the disk is read-only',
};

function reasonOf(error: unknown): string {
  return reasons[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}

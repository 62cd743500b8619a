import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contentOf, verifyBackup, writeBackup } from '../../server/backup/file.ts';
import { BackupError, FIRST_LINE } from '../../server/backup/format.ts';
import { Lines } from '../../server/backup/lines.ts';

const SEED = Number(process.env.SEED ?? 20);
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gateway-backup-file-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Numbers that are the same for the same seed. */
function seeded(seed: number): (below: number) => number {
  let drawn = 0;
  return (below) => createHash('sha256').update(`${seed}:${drawn++}`).digest().readUInt32BE() % below;
}

async function* text(lines: number): AsyncGenerator<string> {
  for (let n = 0; n < lines; n += 1) yield `${n}\t${createHash('sha256').update(String(n)).digest('hex')}\n`;
}

async function all(pieces: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const piece of pieces) parts.push(Buffer.from(piece));
  return Buffer.concat(parts);
}

async function read(file: string): Promise<string> {
  const { bytes } = await verifyBackup(file);
  return (await all(contentOf(file, bytes))).toString();
}

it('gives back what was written', async () => {
  const file = join(home, 'whole');
  await writeBackup(file, 'x', text(5000));
  expect(await read(file)).toBe((await all(text(5000))).toString());
  expect(await readdir(home)).toEqual(['whole']);
});

it('notices a flipped bit anywhere, a missing end and an added one', async () => {
  const file = join(home, 'flipped');
  await writeBackup(file, 'x', text(2000));
  const whole = await readFile(file);
  const draw = seeded(SEED);
  const ends = [0, FIRST_LINE.length - 1, FIRST_LINE.length, whole.length - 66, whole.length - 65, whole.length - 1];
  const places = [...ends, ...Array.from({ length: 200 }, () => draw(whole.length))];
  for (const at of places) {
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << draw(8)), at);
    await writeFile(file, damaged);
    await expect(verifyBackup(file), `seed ${SEED}, byte ${at} of ${whole.length}`).rejects.toThrow(BackupError);
  }
  for (let n = 0; n < 20; n += 1) {
    const length = draw(whole.length);
    await writeFile(file, whole.subarray(0, length));
    await expect(verifyBackup(file), `seed ${SEED}, cut at ${length}`).rejects.toThrow(BackupError);
  }
  await writeFile(file, Buffer.concat([whole, Buffer.from('\n')]));
  await expect(verifyBackup(file)).rejects.toThrow('damaged');
  await writeFile(file, whole);
  await verifyBackup(file);
});

it('leaves nothing where what is to be written fails half-way', async () => {
  async function* failing() {
    yield* text(50_000);
    throw new Error('the database went away');
  }
  await expect(writeBackup(join(home, 'failing'), 'x', failing())).rejects.toThrow('the database went away');
  expect((await readdir(home)).filter((name) => name.includes('failing'))).toEqual([]);
});

it('never replaces a file', async () => {
  const file = join(home, 'kept');
  await writeFile(file, 'mine');
  await expect(writeBackup(file, 'x', text(1))).rejects.toThrow('is there already');
  expect(await readFile(file, 'utf8')).toBe('mine');
});

it('reads lines and sections out of pieces of any size', async () => {
  const draw = seeded(SEED);
  const sections = [['a', '\\\\.', 'x\\.', '₹ é'], [], ['', '.'], Array.from({ length: 500 }, (_, n) => `row ${n}`)];
  const whole = Buffer.from(sections.map((lines, n) => `section ${n}\n${lines.map((line) => `${line}\n`).join('')}\\.\n`).join(''));
  for (let round = 0; round < 50; round += 1) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < whole.length; ) {
      const size = 1 + draw(round < 25 ? 5 : 900);
      pieces.push(whole.subarray(at, at + size));
      at += size;
    }
    const lines = new Lines(Readable.from(pieces));
    for (const [n, expected] of sections.entries()) {
      expect(await lines.next()).toBe(`section ${n}`);
      const got = (await all(lines.section())).toString();
      expect(got, `seed ${SEED}`).toBe(expected.map((line) => `${line}\n`).join(''));
    }
    await expect(lines.next()).rejects.toThrow('ends before its end');
  }
});

import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../server/clock.ts';
import { embeddedQuery } from './store.ts';

/** Room for the embedded database as it is made (some 40 MB) and a few of its logs. */
const SIZE_MB = 96;

/** A small disk in memory. */
export interface Disk {
  path: string;
  /** Not a byte is left when it returns. */
  fill(): void;
  free(): void;
  /** The database must make a new log file: on a full disk it cannot, and stops. Never rejects. */
  turnLog(): Promise<void>;
  unmount(): Promise<void>;
}

/** Mounts one at `path`; null where that is not allowed (it takes root). */
export function mountDisk(path: string): Disk | null {
  mkdirSync(path, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=0755`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return null;
  }
  const ballast = join(path, 'ballast');
  return {
    path,
    fill() {
      const file = openSync(ballast, 'a');
      for (const size of [1_048_576, 4096]) writeUntilFull(file, Buffer.alloc(size));
      closeSync(file);
    },
    free: () => rmSync(ballast, { force: true }),
    turnLog: () =>
      embeddedQuery(path, 'select pg_switch_wal()').then(
        () => undefined,
        () => undefined,
      ),
    async unmount() {
      for (let tries = 0; tries < 50; tries += 1) {
        try {
          execFileSync('umount', [path], { stdio: 'ignore' });
          return;
        } catch {
          await systemClock.sleep(100);
        }
      }
      execFileSync('umount', ['--lazy', path]);
    },
  };
}

function writeUntilFull(file: number, piece: Buffer): void {
  try {
    for (;;) writeSync(file, piece);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

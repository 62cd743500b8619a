import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from '../address.ts';

/** What PostgreSQL wrote into its data directory when it started. */
export interface Postmaster {
  pid: number;
  address: Address;
  /** dead: gone, a zombie, or the number now belongs to another program (usual in containers). */
  state: 'running' | 'dead';
}

export const clusterUser = 'gateway';
export const socketPort = 5432;

/** Address of the embedded PostgreSQL whose socket lies in `directory`. */
export function socketAddress(directory: string, port = socketPort): Address {
  return { host: directory, port, path: `${directory}/.s.PGSQL.${port}`, database: 'postgres', user: clusterUser, ssl: false, session: {} };
}

/** The server that has, or had, the data directory; null when none left its mark. */
export function findPostmaster(cluster: string): Postmaster | null {
  let lines: string[];
  try {
    lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return null;
  }
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isSafeInteger(pid) || pid < 2) return null;
  return { pid, address: socketAddress(lines[4] ?? '', Number(lines[3])), state: commandOf(pid).includes(cluster) ? 'running' : 'dead' };
}

/** The command line of a process; empty when it is gone or a zombie. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}

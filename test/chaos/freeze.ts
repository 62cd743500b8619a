import { readFileSync } from 'node:fs';
import { descendants } from '../../server/db/embedded/descendants.ts';

/** Of the draws, so many let all of PostgreSQL stand still. */
const ALL = 0.15;
/** Of the others, so many one of the connections, which orders wait for soonest. */
const CONNECTION = 0.6;

/** Lets a process of the PostgreSQL below `root` stand still (SIGSTOP), or all of them; which, `draw` (0 to 1) says. Their numbers. */
export function freezeBelow(root: number, draw: number): number[] {
  const all = descendants(root).filter((pid) => ofProcess(pid, 'comm').trim() === 'postgres');
  const connections = all.filter((pid) => ofProcess(pid, 'cmdline').includes('gateway postgres'));
  const share = (draw - ALL) / (1 - ALL);
  const chosen =
    draw < ALL ? all : share < CONNECTION ? one(connections, share / CONNECTION) : one(all, (share - CONNECTION) / (1 - CONNECTION));
  return chosen.filter((pid) => signal(pid, 'SIGSTOP'));
}

/** Lets those that are still there go on. */
export function thaw(pids: readonly number[]): void {
  for (const pid of pids) signal(pid, 'SIGCONT');
}

/** Whether a process is there and no zombie. */
export function isThere(pid: number): boolean {
  return ofProcess(pid, 'cmdline') !== '';
}

function one(pids: readonly number[], draw: number): number[] {
  return pids.slice(Math.floor(draw * pids.length)).slice(0, 1);
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

function ofProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

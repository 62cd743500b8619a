import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The numbers of the processes below `root`, parents first. */
export function descendants(root: number): number[] {
  const children = Map.groupBy(process.platform === 'linux' ? fromProc() : fromPs(), ({ parent }) => parent);
  const below: number[] = [];
  for (const queue = [root]; queue.length > 0; ) {
    const next = (children.get(queue.shift() ?? 0) ?? []).map(({ pid }) => pid);
    below.push(...next);
    queue.push(...next);
  }
  return below;
}

interface Process {
  pid: number;
  parent: number;
}

function fromProc(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name before it may hold anything.
      return [{ pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }];
    } catch {
      // Gone while it was looked at.
      return [];
    }
  });
}

function fromPs(): Process[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [pid = 0, parent = 0] = line.trim().split(/ +/).map(Number);
    return { pid, parent };
  });
}

import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Tallies, table, total, violations } from './tally.ts';

const page = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url));
const begin = '<!-- chaos: recorded by npm run chaos -- --record -->';
const end = '<!-- chaos: end -->';

export interface Run {
  tallies: Tallies;
  seed: number;
  lanes: number;
  seconds: number;
  /** Version of PostgreSQL. */
  postgres: string;
}

/** What a run came to, for people: circumstances, table, verdict. Names no host and no path. */
export function summary({ tallies, seed, lanes, seconds, postgres }: Run): string {
  const all = total(tallies);
  const machine = `${cpus().length} cores, Node ${process.versions.node}, PostgreSQL ${postgres}`;
  const pace = all.cycles === 0 ? '' : `, ${((seconds * lanes) / all.cycles).toFixed(1)} s a cycle and lane`;
  const day = new Date().toISOString().slice(0, 10);
  return [
    `${day}, seed ${seed}, ${machine}, ${lanes} lanes, ${Math.round(seconds / 60)} minutes${pace}. Violations: ${violations(all)}.`,
    '',
    table(tallies),
  ].join('\n');
}

/** Puts a summary between the two marker lines of docs/reliability.md. Throws when they are not there. */
export function record(text: string, file = page): void {
  const before = readFileSync(file, 'utf8');
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${file} has no place for the record: ${begin} … ${end}`);
  writeFileSync(file, `${before.slice(0, from + begin.length)}\n${text}\n${before.slice(to)}`);
}

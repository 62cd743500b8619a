import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * `node test/commits.ts [directory]`: reads the subjects of new commits, and fails where one is not as CONTRIBUTING.md wants it. New is what the base
 * of a pull request or the upstream branch does not have; where there is neither, what came after this rule, at most the last 30.
 * Without git, or in a clone too shallow to tell, nothing is new.
 */
const directory = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const RULE = 'test/commits.ts';
const LONGEST = 60;
const LAST = 30;

/** What may not be said of a subject, and in which words a person hears of it. */
const objections: readonly [RegExp, string][] = [
  [new RegExp(`^.{${LONGEST + 1},}$`, 'u'), `has more than ${LONGEST} characters`],
  [/^(wip|merge|fixup!|squash!|amend!)(?![a-z])/i, 'is not a finished commit'],
  [/^(?!\p{Lu})/u, 'does not begin with a capital letter'],
  [/\.$/, 'ends with a dot'],
];

/** Lines that git answers; none where it cannot. */
function git(...args: string[]): string[] {
  const { status, stdout } = spawnSync('git', args, { cwd: directory, encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter(Boolean) : [];
}

function newSubjects(): string[] {
  const base = process.env.GITHUB_BASE_REF;
  const [rule] = git('log', '--diff-filter=A', '--format=%H', '--', RULE).slice(-1);
  const ranges = [base && `origin/${base}..HEAD`, '@{upstream}..HEAD', rule && `${rule}..HEAD`];
  const found = ranges.map((range) => (range ? git('log', '--no-merges', `--max-count=${LAST}`, '--format=%s', range, '--') : []));
  return found.find((subjects) => subjects.length > 0) ?? [];
}

const subjects = newSubjects();
for (const subject of subjects) {
  for (const [words, objection] of objections) {
    if (!words.test(subject)) continue;
    console.log(`"${subject}" ${objection}`);
    process.exitCode = 1;
  }
}
console.log(`commits: ${subjects.length} new subjects read`);

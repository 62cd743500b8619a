import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseError, reasonOf } from '../error.ts';
import { copyPackage, findPrograms, type Programs } from './programs.ts';
import { chooseRunner, environment, type Runner } from './runner.ts';

/** Where one cluster lives and what runs it. */
export interface Place {
  /** The data directory of PostgreSQL. */
  cluster: string;
  programs: Programs;
  runner: Runner;
}

/** Homes of clusters whose DATA_DIR no user but root can enter. */
const elsewhere = '/var/lib/broker-gateway';

/** Finds or makes the cluster `name` of a data directory. Throws DatabaseError when no PostgreSQL fits. */
export async function preparePlace(dataDir: string, name: string): Promise<Place> {
  const cluster = clusterDirectory(dataDir, name);
  const programs = choosePrograms(findPrograms(dataDir), cluster);
  const initialised = existsSync(join(cluster, 'PG_VERSION'));
  const home = initialised ? cluster : dataDir;
  const { runner, reaches } = chooseRunner(dirname(cluster), statSync(home).uid, join(programs.bin, 'postgres'));
  const place = reaches ? { cluster, programs, runner } : moveElsewhere(dataDir, name, { cluster, programs, runner });
  if (!existsSync(join(place.cluster, 'PG_VERSION'))) await initialise(place);
  return place;
}

/** The directory of a cluster: in DATA_DIR, or where the file `<name>.location` says. */
export function clusterDirectory(dataDir: string, name: string): string {
  const record = join(dataDir, `${name}.location`);
  return existsSync(record) ? readFileSync(record, 'utf8').trim() : join(dataDir, name);
}

/** The programs that made the cluster, or the first for a new one. */
function choosePrograms(found: Iterable<Programs>, cluster: string): Programs {
  const file = join(cluster, 'PG_VERSION');
  const made = existsSync(file) ? Number(readFileSync(file, 'utf8')) : null;
  const others: number[] = [];
  for (const programs of found) {
    if (made === null || programs.major === made) return programs;
    others.push(programs.major);
  }
  if (others.length === 0)
    throw new DatabaseError(
      'No PostgreSQL was found: set DATABASE_URL to one (postgres://user:password@host:5432/database), or install the optional npm dependencies, or PostgreSQL itself',
    );
  throw new DatabaseError(
    `${cluster} was made by PostgreSQL ${made} and only ${others.join(' and ')} is here: install PostgreSQL ${made}, or move the directory away to start afresh`,
  );
}

/** As root, in a DATA_DIR that only root can enter, and without user namespaces: a directory of the other user, recorded in DATA_DIR. */
function moveElsewhere(dataDir: string, name: string, { cluster, programs, runner }: Place): Place {
  if (existsSync(cluster) && cluster.startsWith(dataDir))
    throw new DatabaseError(
      `${cluster} cannot be entered by the user PostgreSQL runs as: open the directories above it (chmod o+x), or move it away`,
    );
  const home = join(elsewhere, createHash('sha256').update(dataDir).digest('hex').slice(0, 12));
  mkdirSync(elsewhere, { recursive: true, mode: 0o711 });
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (runner.owner) chownSync(home, runner.owner.uid, runner.owner.gid);
  writeFileSync(join(dataDir, `${name}.location`), `${join(home, name)}\n`);
  const copy = programs.packageFolder === null ? programs : copyPackage(programs.packageFolder, home);
  return { cluster: join(home, name), programs: copy ?? programs, runner };
}

/** A new cluster: made beside its place and then renamed, so that a half-made one is never taken for one. */
async function initialise({ cluster, programs, runner }: Place): Promise<void> {
  removeUnfinished(cluster);
  const fresh = `${cluster}.new-${process.pid}-${randomUUID().slice(0, 8)}`;
  mkdirSync(fresh, { mode: 0o700 });
  if (runner.owner) chownSync(fresh, runner.owner.uid, runner.owner.gid);
  // A piece of WAL is filled with zeros while commits wait: 1 MB takes some 3 ms, the usual 16 some 40.
  const wal = '--wal-segsize=1';
  const options = ['-D', fresh, '-U', 'gateway', '--auth=trust', '--encoding=UTF8', '--locale=C', wal];
  const [file = '', ...args] = [...runner.prefix, join(programs.bin, 'initdb'), ...options];
  try {
    await promisify(execFile)(file, args, { ...runner.spawn, cwd: '/', env: environment });
    renameSync(fresh, cluster);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another start may have been quicker.
    if (!existsSync(join(cluster, 'PG_VERSION')))
      throw new DatabaseError(`The database in ${cluster} could not be made: ${reasonOf(error)}`);
  }
}

/** What starts that were killed half-way left behind. */
function removeUnfinished(cluster: string): void {
  const prefix = `${basename(cluster)}.new-`;
  for (const entry of readdirSync(dirname(cluster)).filter((name) => name.startsWith(prefix))) {
    if (isAnotherLiving(Number.parseInt(entry.slice(prefix.length), 10))) continue;
    rmSync(join(dirname(cluster), entry), { recursive: true, force: true, maxRetries: 3 });
  }
}

function isAnotherLiving(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch {
    return false;
  }
}

const longestSocketPath = 100;

/** The directory of the socket: the cluster's own, or a short one below /tmp when its path is too long for a socket or needs quoting. */
export function socketDirectory({ cluster, runner }: Place): string {
  if (Buffer.byteLength(cluster) <= longestSocketPath - '/.s.PGSQL.5432'.length && /^[\w./-]+$/.test(cluster)) return cluster;
  const directory = `/tmp/broker-gateway-${createHash('sha256').update(cluster).digest('hex').slice(0, 12)}`;
  const uid = runner.owner?.uid ?? process.getuid?.();
  if (!existsSync(directory)) {
    mkdirSync(directory, { mode: 0o700 });
    if (runner.owner) chownSync(directory, runner.owner.uid, runner.owner.gid);
  }
  const found = lstatSync(directory);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0)
    throw new DatabaseError(`${directory} is needed for the database's socket and belongs to someone else: remove it`);
  return directory;
}

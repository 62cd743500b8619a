import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Whom PostgreSQL runs as, since it refuses to run as root. */
export interface Runner {
  /** Who has to own its files, as seen from here; null: whoever we are. */
  owner: { uid: number; gid: number } | null;
  /** Put before the command line. */
  prefix: readonly string[];
  /** For spawn. */
  spawn: { uid?: number; gid?: number };
}

interface User {
  uid: number;
  gid: number;
}

const ourselves: Runner = { owner: null, prefix: [], spawn: {} };

/** Clean on purpose: broker credentials in our environment are no business of another user's processes. */
export const environment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

/**
 * How to run PostgreSQL here. Not as root: as we are. As root: as the owner of the directory, else postgres, else nobody,
 * if that user can enter `directory` and run `program`; else inside a user namespace, where root's own files look like that user's.
 * `reaches` is false when neither works: the files must then lie elsewhere.
 */
export function chooseRunner(directory: string, ownerUid: number, program: string): { runner: Runner; reaches: boolean } {
  if (process.getuid?.() !== 0) return { runner: ourselves, reaches: true };
  const user = unprivileged(ownerUid);
  const dropped: Runner = { owner: user, prefix: [], spawn: user };
  if (works(dropped, directory, program)) return { runner: dropped, reaches: true };
  const namespaced: Runner = {
    owner: { uid: 0, gid: 0 },
    prefix: ['unshare', '--user', `--map-user=${user.uid}`, `--map-group=${user.gid}`],
    spawn: {},
  };
  if (works(namespaced, directory, program)) return { runner: namespaced, reaches: true };
  return { runner: dropped, reaches: false };
}

function works(runner: Runner, directory: string, program: string): boolean {
  const [file = '', ...args] = [...runner.prefix, '/bin/sh', '-c', 'cd "$1" && exec "$2" -V', 'sh', directory, program];
  return spawnSync(file, args, { ...runner.spawn, stdio: 'ignore' }).status === 0;
}

/** initdb needs a user with a name, so one without is passed over. */
function unprivileged(ownerUid: number): User {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  const chosen =
    users.find(({ uid }) => uid === ownerUid && uid !== 0) ??
    users.find(({ name }) => name === 'postgres') ??
    users.find(({ name }) => name === 'nobody');
  return chosen ? { uid: chosen.uid, gid: chosen.gid } : { uid: 65_534, gid: 65_534 };
}

import { parseArgs } from 'node:util';
import { systemClock, systemRandom } from '../clock.ts';
import { ConfigError, loadCommandEnvironment, readConfig } from '../config/config.ts';
import { DatabaseError } from '../db/error.ts';
import { silentLog } from '../log.ts';
import type { Where } from './backup.ts';
import { BackupError } from './format.ts';

/** A command line that cannot be understood. */
class UsageError extends Error {}

export interface Given {
  file: string;
  /** Only hold the file against its SHA-256. */
  check: boolean;
  where(): Where;
}

/** Runs one command that takes a file, prints what it returns, and sets the exit code: 0 done, 1 refused or failed, 2 not understood. */
export async function runCommand(usage: string, work: (given: Given) => Promise<string>): Promise<void> {
  try {
    console.log(await work(given(process.argv.slice(2))));
  } catch (error) {
    const misused = error instanceof UsageError;
    const known = [BackupError, ConfigError, DatabaseError].some((kind) => error instanceof kind);
    console.error(misused ? usage : known && error instanceof Error ? error.message : error);
    process.exitCode = misused ? 2 : 1;
  }
}

function given(args: string[]): Given {
  try {
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { check: { type: 'boolean', default: false } } });
    const [file = '', ...rest] = positionals;
    if (file === '' || rest.length > 0) throw new UsageError();
    return { file, check: values.check, where };
  } catch {
    throw new UsageError();
  }
}

function where(): Where {
  const { mode, dataDir, databaseUrl } = readConfig(loadCommandEnvironment());
  const random = Buffer.from(systemRandom.bytes(4)).toString('hex');
  return { mode, dataDir, databaseUrl, log: silentLog(), clock: systemClock, random };
}

import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { systemClock } from '../clock.ts';
import { ConfigError, loadCommandEnvironment, readConfig } from '../config/config.ts';
import { openBeside } from '../db/beside.ts';
import { DatabaseError } from '../db/error.ts';
import { silentLog } from '../log.ts';
import { printable } from '../printable.ts';
import { ask, UnansweredError } from './ask.ts';
import { parseCommand, UsageError, usage } from './command-line.ts';
import { listText } from './list-text.ts';
import type { Asked } from './requests.ts';

/** What the gateway refused, in its words. */
class RefusedError extends Error {}

/** Asks the gateway that runs on the configured database. Returns what to print. */
async function run(asked: Asked): Promise<string> {
  const { mode, dataDir, databaseUrl } = readConfig(loadCommandEnvironment());
  const gateway = await openBeside({ mode, dataDir, databaseUrl, log: silentLog() });
  try {
    const answer = await ask(gateway.db, systemClock, randomUUID(), asked);
    if ('refused' in answer) throw new RefusedError(answer.refused);
    return 'told' in answer ? printable(answer.told) : listText(answer.orders);
  } finally {
    await gateway.close();
  }
}

/** Who sits at the terminal, as the audit trail names them. */
function person(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // A user number without a name, as in a container.
    return `${process.getuid?.() ?? 'somebody'}@${hostname()}`;
  }
}

/** Exit codes: 0 done, 1 refused, failed or unanswered, 2 not understood. */
try {
  console.log(await run(parseCommand(process.argv.slice(2), person())));
} catch (error) {
  const known = [RefusedError, UnansweredError, ConfigError, DatabaseError].some((kind) => error instanceof kind);
  const misused = error instanceof UsageError;
  if (misused) console.error(`${error.message && `${error.message}\n`}${usage}`);
  else console.error(known && error instanceof Error ? printable(error.message) : error);
  process.exitCode = misused ? 2 : 1;
}

import { systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { describeAddress, refused } from './address.ts';
import { DatabaseError } from './error.ts';
import type { Gate } from './gate.ts';
import { LeaseWatch, readLease } from './lease.ts';
import { type Claim, HUNG_MS, isStartingUp, type LockSession, takeLock } from './lock-session.ts';
import { leads, waitForTurn } from './turn.ts';

/** A gateway that is just stopping gets this long to let go. */
const graceMs = 1_500;
/** How long a server that is starting up or recovering is waited for. */
const startUpMs = 30_000;
/** Between two tries for a lock, or two looks at a lease. */
const pauseMs = 100;

export interface GatewayLock {
  /** Takes the lease, unless it was taken with the lock: to be called once its table is there. */
  lead(): Promise<void>;
  /** Lets the lock go, for good. */
  release(): Promise<void>;
}

interface LockOptions extends Claim {
  /** Opened while the lock is held, shut while it is not. */
  gate: Gate;
  log: Log;
  /** Given: another gateway's end is waited for, and this hears who leads meanwhile, null where nobody is known. */
  onWaiting?: ((leader: string | null) => void) | undefined;
  /** The server lives and has answered nothing for 20 s, or does not end a session of ours that holds the lock; told again after 20 s more. */
  onHung(): void;
  /** The database was lost and is ours again. */
  onBack(): void;
  /** Another gateway has the lock: this one must stop. */
  onLost(reason: string): void;
}

/**
 * Takes the lock that makes this the one gateway of its database and holds it until released, over restarts of the server.
 * Throws DatabaseError when another gateway has it or the database cannot be reached.
 */
export async function holdGatewayLock(options: LockOptions): Promise<GatewayLock> {
  const { gate, log, lease, onHung, onBack, onLost } = options;
  const stop = new AbortController();
  let session = await firstSession(options);
  gate.open(session.address);

  async function keep(): Promise<void> {
    while (!stop.signal.aborted) {
      const { reason, silentMs } = await session.ended;
      gate.shut();
      if (stop.signal.aborted) return;
      log.error({ reason }, 'Lost the database; nothing is written until it is back');
      const next = await nextSession(options, silentMs, onHung, stop.signal);
      if (next === 'stopped') return;
      if (next === 'taken') {
        lease.lose();
        return onLost('Another gateway took over the database while the connection to it was lost');
      }
      session = next;
      gate.open(session.address);
      log.info('The database is back');
      onBack();
    }
  }
  const kept = keep();
  return {
    async lead() {
      if (lease.epoch === null && !(await lease.take(session.sql, await readLease(session.sql)))) throw overtaken();
    },
    release: async () => {
      stop.abort();
      gate.shut();
      await session.giveBack();
      await kept;
    },
  };
}

function overtaken(): DatabaseError {
  return new DatabaseError('Another gateway took the database at the same moment; start this one again');
}

/** The lock, and the lease where its table is there: whoever held it is over then. */
async function firstSession(options: LockOptions): Promise<LockSession> {
  if (options.onWaiting) return await waitForTurn(options, options.onWaiting);
  const session = await lockSoon(options);
  if (!(await leads(session, options.lease, new LeaseWatch()))) throw overtaken();
  return session;
}

async function lockSoon(claim: Claim): Promise<LockSession> {
  const { address } = claim;
  const began = systemClock.mono();
  for (;;) {
    const waited = systemClock.mono() - began;
    try {
      const session = await takeLock(claim);
      if (session) return session;
      if (waited > graceMs)
        throw new DatabaseError(`Another gateway is running on ${describeAddress(address)}; stop it first or use another database`);
    } catch (error) {
      if (error instanceof DatabaseError) throw error;
      if (!isStartingUp(error) || waited > startUpMs) throw refused(address, error);
    }
    await systemClock.sleep(pauseMs);
  }
}

/** Tries until the lock is ours again, or another gateway's. */
async function nextSession(
  claim: Claim,
  silentMs: number,
  onHung: () => void,
  signal: AbortSignal,
): Promise<LockSession | 'taken' | 'stopped'> {
  let since = systemClock.mono() - silentMs;
  for (let restMs = 20; !signal.aborted; restMs = Math.min(restMs * 2, 1_000)) {
    const now = systemClock.mono();
    if (now - since >= HUNG_MS) {
      onHung();
      since = now;
    }
    try {
      const session = await takeLock(claim);
      if (!session) return 'taken';
      if (!signal.aborted && (await claim.lease.renew(session.sql))) return session;
      await session.end();
      if (!signal.aborted) return 'taken';
    } catch (error) {
      if (isStartingUp(error)) since = systemClock.mono();
      await systemClock.sleep(restMs, signal);
    }
  }
  return 'stopped';
}

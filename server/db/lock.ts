import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { describeAddress } from './address.ts';
import { DatabaseError, reasonOf } from './error.ts';
import type { Gate } from './gate.ts';
import { type Claim, HUNG_MS, type LockSession, takeLock } from './lock-session.ts';

/** A gateway that is just stopping gets this long to let go. */
const graceMs = 1_500;
/** How long a server that is starting up or recovering is waited for. */
const startUpMs = 30_000;

export interface GatewayLock {
  /** Lets the lock go, for good. */
  release(): Promise<void>;
}

interface LockOptions extends Omit<Claim, 'name'> {
  /** Opened while the lock is held, shut while it is not. */
  gate: Gate;
  log: Log;
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
export async function holdGatewayLock({ gate, log, onHung, onBack, onLost, ...asked }: LockOptions): Promise<GatewayLock> {
  const stop = new AbortController();
  const claim = { ...asked, name: `broker-gateway ${randomUUID()}` };
  let session = await firstSession(claim);
  gate.open();

  async function keep(): Promise<void> {
    while (!stop.signal.aborted) {
      const { reason, silentMs } = await session.ended;
      gate.shut();
      if (stop.signal.aborted) return;
      log.error({ reason }, 'Lost the database; nothing is written until it is back');
      const next = await nextSession(claim, silentMs, onHung, stop.signal);
      if (next === 'stopped') return;
      if (next === 'taken') return onLost('Another gateway took over the database while the connection to it was lost');
      session = next;
      gate.open();
      log.info('The database is back');
      onBack();
    }
  }
  const kept = keep();
  return {
    release: async () => {
      stop.abort();
      gate.shut();
      await session.end();
      await kept;
    },
  };
}

async function firstSession(claim: Claim): Promise<LockSession> {
  const { address } = claim;
  const began = systemClock.mono();
  for (;;) {
    const waited = systemClock.mono() - began;
    try {
      const session = await takeLock(claim);
      if (session) return session;
      if (waited > graceMs)
        throw new DatabaseError(
          `Another gateway is running on this database (${describeAddress(address)}); stop it first or use another database`,
        );
    } catch (error) {
      if (error instanceof DatabaseError) throw error;
      if (!isStartingUp(error) || waited > startUpMs)
        throw new DatabaseError(`The database at ${describeAddress(address)} cannot be used: ${reasonOf(error)}`);
    }
    await systemClock.sleep(100);
  }
}

function isStartingUp(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '57P03';
}

/** Tries until the lock is ours again, or another gateway's. */
async function nextSession(
  claim: Claim,
  silentMs: number,
  onHung: () => void,
  signal: AbortSignal,
): Promise<LockSession | 'taken' | 'stopped'> {
  let since = systemClock.mono() - silentMs;
  for (let pauseMs = 20; !signal.aborted; pauseMs = Math.min(pauseMs * 2, 1_000)) {
    const now = systemClock.mono();
    if (now - since >= HUNG_MS) {
      onHung();
      since = now;
    }
    try {
      const session = await takeLock(claim);
      if (!session) return 'taken';
      if (!signal.aborted) return session;
      await session.end();
    } catch (error) {
      if (isStartingUp(error)) since = systemClock.mono();
      await systemClock.sleep(pauseMs, signal);
    }
  }
  return 'stopped';
}

import postgres from 'postgres';
import { systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { refused } from './address.ts';
import { reasonOf } from './error.ts';
import { createGate } from './gate.ts';
import { endSessions, type Lease, LeaseWatch, readLease } from './lease.ts';
import { type Claim, holderQuery, isStartingUp, type LockSession, patienceFor, takeLock, within } from './lock-session.ts';

/** Between two looks. */
const pauseMs = 100;
/** After a look that failed. */
const retryMs = 500;

interface Waiting extends Claim {
  log: Log;
}

/**
 * Waits as a standby until this gateway leads: until nobody holds the lock and the last lease is given back or over. Who holds the lock with a lease that
 * is over stands still: its connections are ended. `onWaiting` hears who leads. Throws DatabaseError when the database cannot be used from the start; later
 * it goes on while the database is away.
 */
export async function waitForTurn(waiting: Waiting, onWaiting: (leader: string | null) => void): Promise<LockSession> {
  const { address, primary, lease, log } = waiting;
  const gate = createGate(address, { application_name: `standby ${lease.session}` });
  const sql = postgres({ ...gate.options, max: 1 });
  const watch = new LeaseWatch();
  let [reached, away] = [false, false];

  /** The look first, so that a lock that is free for a moment is not taken from a leader that reconnects. */
  async function look(): Promise<boolean> {
    const standing = await readLease(sql);
    const over = watch.over(standing);
    const locked = (await sql.unsafe(holderQuery)).length > 0;
    if (over && !locked) return true;
    onWaiting(standing && standing.hold !== 'none' ? standing.holder : null);
    if (over && standing?.hold === 'lease') await endSessions(sql, standing.session);
    return false;
  }

  async function tryTurn(): Promise<LockSession | null> {
    if (!(await within(patienceFor(address), look()))) return null;
    const session = await takeLock(waiting);
    return session && (await leads(session, lease, watch)) ? session : null;
  }

  try {
    for (;;) {
      try {
        if (away || !reached) gate.open(await primary());
        const session = await tryTurn();
        if (session) return session;
        [reached, away] = [true, false];
      } catch (error) {
        if (!reached && !isStartingUp(error)) throw refused(address, error);
        if (!away) log.warn({ reason: reasonOf(error) }, 'The standby does not reach the database; it goes on trying');
        away = true;
        // What stands may lead to a server that is none any more.
        gate.shut();
      }
      await systemClock.sleep(away ? retryMs : pauseMs);
    }
  } finally {
    await sql.end({ timeout: 0 });
    gate.shut();
  }
}

/** Whether who has the lock now has the lease too, or will have it when its table is there. Waits until the last one is over: its process may live on without its connection. */
export async function leads(session: LockSession, lease: Lease, watch: LeaseWatch): Promise<boolean> {
  try {
    let standing = await readLease(session.sql);
    for (; !watch.over(standing); standing = await readLease(session.sql)) await systemClock.sleep(pauseMs);
    if (!standing || (await lease.take(session.sql, standing))) return true;
  } catch (error) {
    await session.end();
    throw error;
  }
  await session.end();
  return false;
}

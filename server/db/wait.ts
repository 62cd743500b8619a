import postgres from 'postgres';
import { systemClock } from '../clock.ts';
import { reasonOf } from './error.ts';
import { createGate } from './gate.ts';
import { endSessions, LeaseWatch, readLease } from './lease.ts';
import { type Claim, holderQuery, within } from './lock-session.ts';

/** Between two looks. */
const pauseMs = 100;
const patienceMs = 4_000;
/** After a look that failed. */
const retryMs = 500;

interface Waiting extends Pick<Claim, 'address' | 'lease'> {
  log: { warn(detail: object, message: string): void };
}

/**
 * Waits as a standby until a gateway may lead: until nobody holds the lock and the last lease is given back or over. One that holds the lock with a lease
 * that is over stands still, and its connections are ended. `onWaiting` hears who leads. Goes on while the database is away.
 */
export async function untilFree({ address, lease, log }: Waiting, onWaiting: (leader: string | null) => void): Promise<void> {
  const gate = createGate(address, { application_name: `standby ${lease.session}`.slice(0, 63) });
  gate.open();
  const sql = postgres({ ...gate.options, max: 1 });
  const watch = new LeaseWatch();

  async function look(): Promise<boolean> {
    const before = await readLease(sql);
    const over = watch.over(before);
    const locked = (await sql.unsafe(holderQuery)).length > 0;
    if (over && !locked) return true;
    onWaiting(before && before.hold !== 'none' ? before.holder : null);
    if (over && before?.hold === 'lease') await endSessions(sql, before.session);
    return false;
  }

  try {
    for (let away = false; ; ) {
      const free = await within(patienceMs, look()).catch((error: unknown) => reasonOf(error));
      if (free === true) return;
      if (typeof free === 'string' && !away) log.warn({ reason: free }, 'The standby does not reach the database; it goes on trying');
      away = typeof free === 'string';
      await systemClock.sleep(away ? retryMs : pauseMs);
    }
  } finally {
    await sql.end({ timeout: 0 });
    gate.shut();
  }
}

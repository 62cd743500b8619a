import { systemClock } from '../../server/clock.ts';
import { openDatabase } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { Retention } from '../../server/retention/retention.ts';

const YEARS = 8;
const closed = { isOpen: () => false, next: () => null, session: () => null, sessions: () => [], lastDay: '', version: '' };

/** Deletes all but the newest day of a running gateway's database as the gateway itself would in eight years, until `stop`; `rows` tells how many. */
export async function cutBeside(dataDir: string): Promise<{ rows(): number; stop(): Promise<void> }> {
  const database = await openDatabase({ mode: 'practice', dataDir, log: silentLog(), beside: true });
  let rows = 0;
  const then = new Date(systemClock.now() - 86_400_000);
  then.setUTCFullYear(then.getUTCFullYear() + YEARS);
  const ahead = then.getTime() - systemClock.now();
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    // The half hour before the first look.
    sleep: (...[ms, signal]: Parameters<typeof systemClock.sleep>) => systemClock.sleep(Math.min(ms, 5000), signal),
  };
  const meters = { ...silent, cut };
  function cut(_: string, count: number): void {
    rows += count;
  }
  const retention = new Retention({
    clock,
    log: silentLog(),
    db: database.db,
    keep: { tradesYears: YEARS, eventsYears: YEARS },
    hours: closed,
    meters,
  });
  retention.start();
  return {
    rows: () => rows,
    async stop() {
      await retention.stop();
      await database.close();
    },
  };
}

const nothing = () => undefined;
const silent = { step: nothing, budget: nothing, placed: nothing, changed: nothing, called: nothing, storeFailed: nothing };

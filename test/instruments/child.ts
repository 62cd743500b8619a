import { systemClock } from '../../server/clock.ts';
import { openDatabase } from '../../server/db/open.ts';
import { Instruments } from '../../server/instruments/instruments.ts';
import { silentLog } from '../../server/log.ts';

/** A process that loads the file at an address into a database, whatever is there: `node child.ts <address> <databaseUrl>`. */
const [address = '', databaseUrl = ''] = process.argv.slice(2);
const { db } = await openDatabase({ mode: 'practice', dataDir: '/nowhere', databaseUrl, log: silentLog() });
const instruments = new Instruments({
  ...{ db, clock: systemClock, log: silentLog(), reachable: databaseUrl, practice: true },
  reader: () => new URL('./kite-reader.ts', import.meta.url).href,
  address: () => address,
  localAddress: () => undefined,
});
await instruments.start();
instruments.follow({ id: 'zerodha' });
instruments.refresh();

import { openDatabase } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';

/** A gateway process that only opens its database: `node child.ts <dataDir> <databaseUrl or ->`. Tells `open <where>` or `refused <why>`. */
const [dataDir = '', databaseUrl = '-'] = process.argv.slice(2);
try {
  const database = await openDatabase({
    mode: 'practice',
    dataDir,
    databaseUrl: databaseUrl === '-' ? undefined : databaseUrl,
    log: silentLog(),
  });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, async () => {
      await database.close();
      process.exit(0);
    });
  }
  process.stdout.write(`open ${database.where}\n`);
} catch (error) {
  process.stdout.write(`refused ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

import { parseArgs } from 'node:util';
import { startLanes } from './database.ts';
import { BooksDay } from './day.ts';
import { planOf } from './plan.ts';

/** `node test/books/main.ts --days N --from S --lanes L`: N random days; prints each day whose books differ from the ledger, with the line that replays it. */
const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '500' },
    from: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '3' },
    plan: { type: 'boolean', default: false },
  },
});
const [days, from] = [Number(values.days), Number(values.from)];
const { lanes, stop } = await startLanes(Math.min(Number(values.lanes), days));
const began = performance.now();
let next = from;
let wrong = 0;
let trades = 0;

async function work(lane: (typeof lanes)[number]): Promise<void> {
  for (let number = next++; number < from + days; number = next++) {
    const plan = planOf(number);
    if (values.plan) console.log(JSON.stringify(plan, null, 1));
    const day = new BooksDay(lane.db, plan, `day${number}`);
    const differences = await day
      .run()
      .catch((error: unknown) => [error instanceof Error ? (error.stack ?? error.message) : String(error)]);
    trades += day.trades;
    if (differences.length === 0) continue;
    wrong += 1;
    console.log(`day ${number}: ${differences.join('\n  ')}\n  replay: node test/books/main.ts --days 1 --from ${number}`);
  }
}

await Promise.all(lanes.map(work));
const kinds = new Map<string, number>();
for (const { sql } of lanes) {
  const rows = await sql<{ kind: string; count: number }[]>`
    select kind, count(*) as count from tsm_events group by kind
    union all select 'position ' || lower(status), count(*) from tsm_positions group by status
    union all select 'position opened by a flip', count(*) from position_details where base is not null
    union all select 'order under an id of an earlier day', count(*) - count(distinct (account, order_id)) from order_details`;
  for (const { kind, count } of rows) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
}
await stop();
console.log(
  [...kinds]
    .sort()
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', '),
);
const seconds = (performance.now() - began) / 1000;
console.log(
  `${days} days from ${from}: ${wrong} with differences, ${trades} trades, ${seconds.toFixed(0)} s (${(days / seconds).toFixed(1)} a second)`,
);
if (wrong > 0) process.exitCode = 1;

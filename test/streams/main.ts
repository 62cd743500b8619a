import { parseArgs } from 'node:util';
import { descendants } from '../../server/db/embedded/descendants.ts';
import { runHistory } from './history.ts';
import { runSoak } from './soak.ts';

/**
 * `npm run streams -- --rounds 500 --seed 1`, with `--minutes 20` at most so long: a listening client under order load, ended and cut in all ways; exits 1 when an event is missing, comes twice or out of
 * order.
 * `-- --soak 20`: so many minutes of 200 streams with 200 instruments at 1,000 ticks a second.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    minutes: { type: 'string' },
    soak: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

// Whatever was started would go on without us.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const pid of descendants(process.pid)) process.kill(pid, 'SIGKILL');
    process.exit(1);
  });

if (values.soak !== undefined) {
  await runSoak(Number(values.soak), say);
  process.exit(0);
}
say(`seed ${values.seed}`);
const began = performance.now();
const endAt = values.minutes === undefined ? undefined : began + Number(values.minutes) * 60_000;
const verdict = await runHistory({ ...(endAt !== undefined && { endAt }), rounds: Number(values.rounds), seed: Number(values.seed), say });
const { struck, events, orders, missing, twice, disordered, strange } = verdict;
for (const [kind, count] of Object.entries(struck)) say(`${kind}: ${count}`);
say(`${orders} orders answered, ${events} events in tsm_events, ${((performance.now() - began) / 1000).toFixed(0)} s`);
say(`missing ${missing.length}, twice ${twice.length}, out of order ${disordered}, not in tsm_events ${strange.length}`);
for (const [name, ids] of Object.entries({ missing, twice, strange })) if (ids.length > 0) say(`${name}: ${ids.slice(0, 50).join(', ')}`);
process.exit(missing.length + twice.length + disordered + strange.length > 0 ? 1 : 0);

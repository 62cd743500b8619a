import { parseArgs } from 'node:util';
import { Day } from './day.ts';

/** `node test/simulation/main.ts --seeds N --from S`: N random days; prints each violated seed with the line that replays it. `--log` prints the history. */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    log: { type: 'boolean', default: false },
  },
});
const [seeds, from] = [Number(values.seeds), Number(values.from)];
const began = performance.now();
let violated = 0;
let orders = 0;
for (let seed = from; seed < from + seeds; seed += 1) {
  const outcome = await new Day(seed).run();
  orders += outcome.orders;
  if (values.log) console.log(outcome.log.join('\n'));
  if (outcome.violations.length === 0) continue;
  violated += 1;
  console.log(`seed ${seed}: ${outcome.violations.join('\n  ')}`);
  console.log(`  replay: npm run simulate -- --seeds 1 --from ${seed} --log`);
}
const seconds = (performance.now() - began) / 1000;
console.log(
  `${seeds} seeds from ${from}: ${violated} with violations, ${orders} orders, ${seconds.toFixed(1)} s (${(seeds / seconds).toFixed(0)} a second)`,
);
if (violated > 0) process.exitCode = 1;

import { parseArgs } from 'node:util';
import { History } from './history.ts';

/** `npm run guard -- --histories N --from S`: plays N histories to the guard and its model; prints each that differs. `--log` prints every history. */
const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '100000' },
    from: { type: 'string', default: '1' },
    log: { type: 'boolean', default: false },
    faults: { type: 'string', default: '3' },
  },
});
const [histories, from, most] = [Number(values.histories), Number(values.from), Number(values.faults)];
const began = performance.now();
let [questions, passed, differences, played] = [0, 0, 0, 0];
for (let seed = from; seed < from + histories && differences < most; seed += 1) {
  const history = new History(seed, values.log);
  const outcome = history.run();
  played += 1;
  questions += outcome.questions;
  passed += outcome.passed;
  if (values.log) console.log(history.log.join('\n'));
  if (outcome.fault === null) continue;
  differences += 1;
  if (!values.log) console.log(logOf(seed));
  console.log(`seed ${seed}: ${outcome.fault}\n  replay: npm run guard -- --histories 1 --from ${seed} --log`);
}
const seconds = (performance.now() - began) / 1000;
console.log(
  `${played} histories from ${from}: ${questions} questions, ${passed} passed, ${differences} differences, ${seconds.toFixed(1)} s (${(played / seconds).toFixed(0)} a second)`,
);
if (differences > 0) process.exitCode = 1;

function logOf(seed: number): string {
  const history = new History(seed, true);
  history.run();
  return history.log.join('\n');
}

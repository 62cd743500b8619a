import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/*
 * Preloaded into a gateway that is measured: on SIGWINCH it writes how late its event loop was since the last time, ms, to the file LOOP_DELAY_FILE.
 * A sample says when a timer of 1 ms fired: what is beyond that 1 ms is the delay.
 */
const RESOLUTION_MS = 1;
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
histogram.enable();

process.on('SIGWINCH', () => {
  const late = (percent: number) => Math.max(0, histogram.percentile(percent) / 1e6 - RESOLUTION_MS);
  writeFileSync(
    process.env.LOOP_DELAY_FILE ?? '',
    JSON.stringify({ p50Ms: late(50), p99Ms: late(99), maxMs: histogram.max / 1e6 - RESOLUTION_MS }),
  );
  histogram.reset();
});

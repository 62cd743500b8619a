import { parseArgs } from 'node:util';
import { descendants } from '../../server/db/embedded/descendants.ts';
import { faultsOf, megabytes, runOutage } from './outage.ts';

/**
 * `npm run alerts -- --shares 8 --seconds 10`: orders in turn alone and beside alerts whose receivers hang or fail for hours of a moved clock, under a
 * storm of what is told; exits 1 when orders take longer, memory grows, too many wait, or one comes twice.
 */
const { values } = parseArgs({ options: { shares: { type: 'string', default: '8' }, seconds: { type: 'string', default: '10' } } });

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

// Whatever was started would go on without us.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const pid of descendants(process.pid)) process.kill(pid, 'SIGKILL');
    process.exit(1);
  });

const outage = await runOutage(Number(values.shares), Number(values.seconds), say);
const { hours, alone, beside, heap, most, dropped, delivered, distinct } = outage;
say(`receivers away for ${hours.toFixed(1)} h: orders p50 ${beside.p50} and p99 ${beside.p99} ms, alone ${alone.p50} and ${alone.p99} ms`);
say(
  `heap ${megabytes(heap.first)} MB after the first share, ${megabytes(heap.last)} MB after the last; at most ${most} waited, ${dropped} dropped`,
);
say(`then ${delivered} delivered, ${delivered - distinct} of them twice`);
const faults = faultsOf(outage);
for (const fault of faults) say(fault);
process.exit(faults.length > 0 ? 1 : 0);

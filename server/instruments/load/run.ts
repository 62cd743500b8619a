import { Worker } from 'node:worker_threads';
import type { LoadAnswer, LoadJob, LoadResult } from './job.ts';

/** What a worker may take: a few hundred rows at a time, and its code. A file that would need more fails, and the gateway does not. */
const LIMITS = { maxOldGenerationSizeMb: 40, maxYoungGenerationSizeMb: 4, stackSizeMb: 2 };

/** Resolves its relative imports faster, and keeps what is made of the TypeScript: server/fast-imports.js. */
const PRELOAD = new URL('../../fast-imports.js', import.meta.url).href;

/** Runs a load in a worker of its own. Rejects with its failure, and when it ends otherwise; `signal` ends it at once. */
export async function runLoad(job: LoadJob, signal: AbortSignal): Promise<LoadResult> {
  const { promise, resolve, reject } = Promise.withResolvers<LoadAnswer>();
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: job,
    resourceLimits: LIMITS,
    execArgv: ['--import', PRELOAD],
    name: 'instruments',
  });
  worker.once('message', resolve).once('error', reject);
  worker.once('exit', () => reject(new Error('The load ended before it was done')));
  const end = () => void worker.terminate();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const answer = await promise;
    if ('failure' in answer) throw new Error(answer.failure);
    return answer.result;
  } finally {
    signal.removeEventListener('abort', end);
    await worker.terminate();
  }
}

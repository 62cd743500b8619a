import { parentPort, workerData } from 'node:worker_threads';
import type { LoadAnswer, LoadJob } from './job.ts';
import { load } from './load.ts';

/** The worker of one load: says what became of it, and ends. */
const job: LoadJob = workerData;
const answer: LoadAnswer = await load(job).then(
  (result) => ({ result }),
  (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }),
);
parentPort?.postMessage(answer);

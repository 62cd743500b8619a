import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const Answer = z.union([z.object({ value: z.unknown() }), z.object({ error: z.string() })]);

/** A process of the benchmark: asked one thing at a time. */
export interface Child {
  pid: number;
  /** Rejects with what the child threw, and when it ends. */
  ask<Value>(message: object, schema: z.ZodType<Value>): Promise<Value>;
  stop(): void;
}

/** Starts a file of this folder; `flags` are for Node. */
export function startChild(file: string, flags: string[] = []): Child {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv: flags });
  return {
    pid: child.pid ?? 0,
    ask(message, schema) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const ended = (code: number | null) => reject(new Error(`${file} ended with ${code}`));
      child.once('exit', ended);
      child.once('message', (raw) => {
        child.off('exit', ended);
        const answer = Answer.parse(raw);
        if ('error' in answer) reject(new Error(answer.error));
        else resolve(answer.value);
      });
      child.send(message);
      return promise.then((value) => schema.parse(value));
    },
    stop: () => void child.kill(),
  };
}

/** The child's side: answers each message with what `work` makes of it. Ends with its parent. */
export function serve<Message>(schema: z.ZodType<Message>, work: (message: Message) => Promise<object>): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (raw) => {
    work(schema.parse(raw)).then(
      (value) => process.send?.({ value }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
}

/** CPU time of all threads of some processes so far, ms. Linux alone tells. */
export function cpuMs(pids: readonly number[]): number {
  let nanoseconds = 0;
  for (const pid of pids) {
    for (const thread of listed(`/proc/${pid}/task`)) nanoseconds += Number(text(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]);
  }
  return nanoseconds / 1e6;
}

/** Memory of some processes, MB: `shared` counts a page of several processes once, `each` once for every process. */
export function memoryMb(pids: readonly number[]): { shared: number; each: number } {
  const sum = (name: string) =>
    pids.reduce((kib, pid) => kib + Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(text(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0), 0);
  return { shared: sum('Pss') / 1024, each: sum('Rss') / 1024 };
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Empty for a process or thread that has ended. */
function text(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

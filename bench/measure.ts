import type { Stand } from './stand.ts';

/** `before`: the gateway of another checkout, where one is given. */
export type Lane = 'direct' | 'proxy' | 'journal' | 'gateway' | 'before';

export interface Condition {
  callers: number;
  delayMs: number;
  /** Orders of each caller. */
  orders: number;
  /** From the beginning of an order to that of the caller's next, ms; 0: as soon as the one before is filled. */
  everyMs: number;
}

/** What one job showed; CPU in ms for each order. */
export interface Sample {
  p50Ms: number;
  p99Ms: number;
  cpuMs: number;
  databaseCpuMs: number;
  perSecond: number;
}

const WARM_UP = 8;

/** One lane under one condition: an empty exchange, some orders to open connections, then those that count. */
export async function measure(stand: Stand, lane: Lane, condition: Condition, name: string): Promise<Sample> {
  const { callers, delayMs, orders, everyMs } = condition;
  await stand.fresh(delayMs);
  await stand.run({ lane, callers, orders: WARM_UP, everyMs: 0, name: `${name}w` });
  return sampleOf(await stand.run({ lane, callers, orders, everyMs, name }));
}

/** The stored answer of the first order of job `name`, asked for `times` times. */
export async function measureReplay(stand: Stand, name: string, times: number): Promise<Sample> {
  await stand.run({ lane: 'replay', callers: 1, orders: WARM_UP, everyMs: 0, name });
  return sampleOf(await stand.run({ lane: 'replay', callers: 1, orders: times, everyMs: 0, name }));
}

/** Places orders through a gateway; the exchange is emptied on the way, since its order book is read whole for each order. */
export async function fill(stand: Stand, lane: Lane, orders: number): Promise<number> {
  const [callers, each] = [16, 8];
  let placed = 0;
  for (let batch = 0; placed < orders; batch += 1) {
    await stand.fresh(0);
    await stand.run({ lane, callers, orders: each, everyMs: 0, name: `fill${batch}` });
    placed += callers * each;
  }
  return placed;
}

function sampleOf(done: Awaited<ReturnType<Stand['run']>>): Sample {
  const { latenciesMs, cpuMs, databaseCpuMs, wallMs } = done;
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const count = sorted.length;
  return {
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    cpuMs: cpuMs / count,
    databaseCpuMs: databaseCpuMs / count,
    perSecond: (count / wallMs) * 1000,
  };
}

/** The value that `share` of the values do not exceed. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Stand } from './stand.ts';

/** How the gateway stands at a moment. Memory in MB. */
export interface Sample {
  /** Hours since the start. */
  at: number;
  /** Before the collection, as the system shows it. */
  rss: number;
  /** What is in use after a whole collection: JavaScript's memory, and buffers outside of it; NaN where none was made. */
  heap: number;
  external: number;
  descriptors: number;
  /** The slowest hundredth of looks at the event loop since the sample before, ms late. */
  lagMs: number;
  databaseMb: number;
  streams: number;
}

/** Looks at the event loop are so far apart. */
const LOOK_MS = 20;

/** `collect`: after a whole collection. V8 lets its heap grow by half before it collects by itself: were it collected all the time, RSS would creep towards that for hours. */
export async function takeSample(stand: Stand, startedAt: number, collect: boolean): Promise<Sample> {
  const figures = await read(stand.figures);
  const rss = rssMb(stand.pid);
  const { heapUsed, external } = collect ? await stand.collect() : { heapUsed: Number.NaN, external: Number.NaN };
  const of = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(figures)?.[1] ?? Number.NaN);
  return {
    at: (Date.now() - startedAt) / 3_600_000,
    rss,
    heap: heapUsed / 1e6,
    external: external / 1e6,
    descriptors: descriptorsOf(stand.pid).length,
    lagMs: Math.max(0, of('nodejs_eventloop_lag_p99_seconds') * 1000 - LOOK_MS),
    databaseMb: of('gateway_database_size_bytes') / 1e6,
    streams: of('gateway_streams'),
  };
}

export function line({ at, rss, heap, external, descriptors, lagMs, databaseMb, streams }: Sample): string {
  const collected = Number.isNaN(heap) ? '' : `, heap ${heap.toFixed(2)} and ${external.toFixed(2)} MB`;
  const memory = `RSS ${rss.toFixed(1)} MB${collected}`;
  const database = Number.isNaN(databaseMb) ? 'not measured yet' : `${databaseMb.toFixed(1)} MB`;
  return `${(at * 60).toFixed(1)} min: ${memory}, ${descriptors} descriptors, ${streams} streams, event loop p99 ${lagMs.toFixed(1)} ms, database ${database}`;
}

/** A connection of its own each time: one that is kept may end in the moment in which it is used again. */
async function read(address: string): Promise<string> {
  return await (await fetch(address, { headers: { connection: 'close' } })).text();
}

function rssMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000;
}

/** What its descriptors are, without the numbers. */
export function descriptorsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).replace(/\d{2,}/g, 'N');
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}

/** Least squares over the samples that have it: by how much `what` grows in an hour. */
export function slope(all: readonly Sample[], what: (sample: Sample) => number): number {
  const samples = all.filter((sample) => !Number.isNaN(what(sample)));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(samples.map(({ at }) => at)), mean(samples.map(what))];
  const over = samples.reduce((sum, sample) => sum + (sample.at - x) * (what(sample) - y), 0);
  return over / samples.reduce((sum, { at }) => sum + (at - x) ** 2, 0);
}

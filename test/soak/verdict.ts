import { netOf } from '../chaos/history.ts';
import { judge } from '../chaos/judge.ts';
import type { Asked } from '../chaos/orders.ts';
import type { KeyRecord } from '../chaos/store.ts';
import { newTally, type Tallies } from '../chaos/tally.ts';
import type { VenueOrder } from '../chaos/venue.ts';
import { type Sample, slope } from './samples.ts';
import { type Cast, purposes } from './spells.ts';

/** MB an hour. */
export interface Goal {
  /** Share of the run, from its start, that does not count. */
  after: number;
  rss: number;
  heap: number;
}

/**
 * Two hours: 2 MB an hour, after the first half hour. Below that V8's compiled code and the collector's room are still on their way: in minutes 4 to 10 RSS grew by 75 and 113 MB an hour,
 * the heap by 29 and 42 (docs/reliability.md). So ten minutes find what is kept of each page or answer (two kilobytes of each page are 44 MB an hour), not what is kept of an order.
 */
export function goalFor(minutes: number): Goal {
  return minutes >= 100 ? { after: 0.25, rss: 2, heap: 2 } : { after: 0.4, rss: 200, heap: 80 };
}

/** At rest in the beginning there are none of the pools that open when a broker is slow. */
const MORE_DESCRIPTORS = 12;

export function judgeMemory(samples: readonly Sample[], { after, rss, heap }: Goal): { says: string[]; findings: string[] } {
  const counted = samples.slice(Math.floor(samples.length * after));
  const grows = {
    RSS: slope(counted, (one) => one.rss),
    heap: slope(counted, (one) => one.heap),
    descriptors: slope(counted, (one) => one.descriptors),
  };
  const says = Object.entries(grows).map(
    ([what, each]) => `${what} grows by ${each.toFixed(2)} an hour over the last ${counted.length} samples`,
  );
  const findings: string[] = [];
  if (!(grows.RSS <= rss)) findings.push(`RSS grows by ${grows.RSS.toFixed(2)} MB an hour, more than ${rss}`);
  if (!(grows.heap <= heap)) findings.push(`the heap grows by ${grows.heap.toFixed(2)} MB an hour, more than ${heap}`);
  return { says, findings };
}

/** Descriptors at rest, before the work and behind it, by what they are. */
export function judgeDescriptors(before: readonly string[], behind: readonly string[]): string[] {
  return behind.length <= before.length + MORE_DESCRIPTORS
    ? []
    : [`${before.length} descriptors at first, ${behind.length} in the end: ${kinds(behind)}`];
}

function kinds(all: readonly string[]): string {
  return [...Map.groupBy(all, (one) => one)].map(([kind, each]) => `${each.length} ${kind}`).join(', ');
}

/** A log line may come when the trouble is over: a search goes on, a try again fails first. */
const GRACE_MS = 90_000;

/** Log lines at warn or above that nothing explains which was planted around their time. */
export function unexplained(lines: readonly string[], casts: readonly Cast[]): string[] {
  return lines.filter((line) => {
    if (line.trim() === '') return false;
    const said = parse(line);
    if (!said) return true;
    if (purposes.some((one) => one.test(said.msg))) return false;
    return !casts.some(
      ({ spell, from, to }) => from <= said.time && said.time <= to + GRACE_MS && spell.explains.some((one) => one.test(said.msg)),
    );
  });
}

function parse(line: string): { time: number; msg: string } | null {
  try {
    const { time, msg } = JSON.parse(line);
    return typeof msg === 'string' ? { time: typeof time === 'number' ? time : Date.parse(time), msg } : null;
  } catch {
    return null;
  }
}

export interface Books {
  asked: readonly Asked[];
  ledger: readonly VenueOrder[];
  records: readonly KeyRecord[];
  /** Our records of orders, and of positions that are open. */
  orders: readonly { order_id: string; status: string; filled: number }[];
  open: readonly { symbol: string; qty: number }[];
}

/** Whose an order is tells its tag alone. */
export function judgeOrders({ asked, ledger, records, orders, open }: Books): string[] {
  const tagOf = new Map(records.map(({ key, tag }) => [key, tag]));
  const known = new Set(records.map(({ tag }) => tag));
  const found = (one: Asked) => ledger.filter(({ tag }) => tag !== null && tag === tagOf.get(`k:${one.key}`));
  const answered = asked.filter((one) => one.heard.length > 0 || found(one).length > 0);
  const theirs = new Set(answered.flatMap((one) => tagOf.get(`k:${one.key}`) ?? []));
  // An exit's orders have keys of its own: nobody here asked for them by one.
  const rest = ledger.filter(({ tag }) => tag === null || !known.has(tag) || theirs.has(tag));
  const tallies: Tallies = new Map([['gateway', newTally()]]);
  const findings = judge({ asked: answered, ledger: rest, records, found }, tallies);
  const twice = [...Map.groupBy(ledger, ({ tag }) => tag).values()].filter((same) => same.length > 1);
  findings.push(...twice.map((same) => `twice at the venue: ${JSON.stringify(same)}`));
  for (const [name, net] of netOf([...ledger])) if (net !== 0) findings.push(`${net} of ${name} are held in the end`);
  findings.push(...open.map((row) => `our records hold ${row.qty} of ${row.symbol} in the end`));
  const atVenue = new Map(ledger.map((order) => [order.orderId, order]));
  for (const { order_id, status, filled } of orders) {
    const order = atVenue.get(order_id);
    if (order?.filled !== filled)
      findings.push(`recorded ${order_id} as ${status}, filled ${filled}; the venue has ${JSON.stringify(order)}`);
  }
  return findings;
}

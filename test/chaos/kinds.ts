import { z } from 'zod';

/** The named moments of ORDER placing at which a gateway is killed. */
export const points = [
  'before claim',
  'after claim',
  'after SENDING',
  'bytes written',
  'accepted but unread',
  'after ACCEPTED',
  'in the poll',
  'after DONE before the reply',
] as const;
export type Point = (typeof points)[number];

/** What a cycle does to the processes while its orders are in flight. */
export const disruptions = ['gateway', 'database', 'gateway and database', 'faulty wire', 'clock jump', 'everything', 'disk full'] as const;
export type Kind = (typeof disruptions)[number] | Point;

export const kinds: readonly Kind[] = [...disruptions, ...points];

/** What the gateway of point.ts is told, as one JSON argument. */
export const Orders = z.object({
  /** Attempts whose key begins so are counted; others do not concern the point or the jump. */
  keys: z.string(),
  /** Dies there, at the nth attempt (in the poll: the nth read) that comes by. */
  point: z.enum(points).optional(),
  nth: z.int().min(1).default(1),
  /** Wall clock before true time, ms. */
  aheadMs: z.int().default(0),
  /** The wall clock moves by so much at the nth claim. */
  jumpMs: z.int().default(0),
});
export type Orders = z.input<typeof Orders>;

export function isPoint(kind: Kind): kind is Point {
  return points.some((point) => point === kind);
}

/** Points that only the wire sees: the proxy kills there. */
export function isWirePoint(kind: Kind): boolean {
  return kind === 'bytes written' || kind === 'accepted but unread';
}

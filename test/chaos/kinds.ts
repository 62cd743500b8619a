import { z } from 'zod';

/** The named moments of ORDER placing at which a gateway is killed. */
export const points = [
  'before the look-up',
  "after the guard's verdict",
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

/** When the kill switch is turned on, with orders and modifies in flight. */
const switchMoments = [...points, 'store stall'] as const;
export type SwitchMoment = (typeof switchMoments)[number];
export type SwitchKind = `kill switch: ${SwitchMoment}`;
export const switchKinds: readonly SwitchKind[] = switchMoments.map((moment) => `kill switch: ${moment}` as const);

/** A process of the gateway's own PostgreSQL stands still from that moment on. */
export type FrozenKind = `database frozen: ${Point}`;
export const frozenKinds: readonly FrozenKind[] = points.map((point) => `database frozen: ${point}` as const);

export type Kind = (typeof disruptions)[number] | Point | SwitchKind | FrozenKind;

export const kinds: readonly Kind[] = [...disruptions, ...points, ...switchKinds, ...frozenKinds];

/** What a gateway prints when it holds somebody at its point, and before the processes that it let stand still there. */
export const HELD = 'Held at the point';
export const FROZEN = 'Frozen at the point:';

/** What the gateway of gateway-at-point.ts is told, as one JSON argument. */
export const Orders = z.object({
  /** Attempts whose key begins so are counted; others do not concern the point or the jump. */
  keys: z.string(),
  /** Dies there, at the nth attempt (in the poll: the nth read) that comes by. */
  point: z.enum(points).optional(),
  /** Does not die there: from the nth attempt on they wait there until the kill switch is on. */
  holds: z.boolean().default(false),
  /** Does not die there: a process of its PostgreSQL, drawn by this number from 0 to 1, stands still from then on. */
  freezes: z.number().optional(),
  nth: z.int().min(1).default(1),
  /** Wall clock before true time, ms. */
  aheadMs: z.int().default(0),
  /** The wall clock moves by so much at the nth look-up of a key. */
  jumpMs: z.int().default(0),
});
export type Orders = z.input<typeof Orders>;

export function isPoint(kind: Kind): kind is Point {
  return points.some((point) => point === kind);
}

export function switchMoment(kind: Kind): SwitchMoment | null {
  return switchMoments.find((moment) => kind === `kill switch: ${moment}`) ?? null;
}

export function frozenPoint(kind: Kind): Point | null {
  return points.find((point) => kind === `database frozen: ${point}`) ?? null;
}

/** Points that only the wire sees: the proxy acts there. */
export function isWirePoint(kind: Kind | SwitchMoment): boolean {
  return kind === 'bytes written' || kind === 'accepted but unread';
}

import { systemClock, within } from '../../server/clock.ts';
import { call, deal, order } from './cast.ts';
import { freezeBelow, isThere, thaw } from './freeze.ts';
import { FROZEN, isWirePoint, type Kind, type Point } from './kinds.ts';
import { type Asked, ask, askAgain, type Door, noAnswer } from './orders.ts';
import { doorOf, type Scene } from './scene.ts';
import { placingLines } from './stand.ts';
import type { VenueOrder } from './venue.ts';
import { type Way, watchWay } from './way.ts';

/** Symbols of their own for entries, for positions to leave, and for resting orders to cancel. */
const EACH = 6;
/** Half of everything is asked for over this long before the process stands still, half over as long after it. */
const SPREAD_MS = 300;
/** A moment that has not come by then does not come any more. */
const MOMENT_WAIT_MS = 4000;
const FROZEN_MS = 60_000;
const RETRY_MS = 500;
/** Nothing that was asked for longer ago may still leave. */
const LEAVES_WITHIN_MS = { SELL: 8000, BUY: 10_000 };
/** The server is ended after 20 s, and is back some seconds later, on a machine with other histories. */
const EXIT_WITHIN_MS = 45_000;
const SETUP_MS = 20_000;

/** One request for an order, epoch ms. */
interface Trip {
  askedAt: number;
  answeredAt: number;
}

interface Cast {
  entries: Asked[];
  exits: Asked[];
  resting: Asked[];
}

/**
 * A process of the gateway's own PostgreSQL stands still for a minute from a moment on, among entries, exits and cancels. Those that are refused ask again.
 * False when its positions or its moment did not come.
 */
export async function frozenCycle(
  scene: Scene,
  plan: { kind: Kind; point: Point; prefix: string; nth: number; draw: number },
): Promise<boolean> {
  const { kind, point, prefix, nth, draw } = plan;
  const { random, stand } = scene;
  const door = doorOf(scene);
  const [flat = [], held = [], resting = []] = deal(random, 3, EACH);
  const cast: Cast = {
    entries: flat.map((share, index) => order(stand.broker, kind, share, { key: `${prefix}entry${index}`, side: 'BUY' })),
    exits: held.map((share, index) => order(stand.broker, kind, share, { key: `${prefix}exit${index}`, side: 'SELL' })),
    resting: resting.map((share, index) =>
      order(stand.broker, kind, share, { key: `before-${prefix}rests${index}`, side: 'BUY', price: Number(share.lowerCircuit) }),
    ),
  };
  const bought = held.map((share, index) => order(stand.broker, kind, share, { key: `before-${prefix}held${index}`, side: 'BUY' }));
  scene.asked.push(...bought, ...cast.resting, ...cast.entries, ...cast.exits);
  await Promise.all([...bought, ...cast.resting].map((one) => askAgain(door, one, Date.now() + SETUP_MS)));
  // Positions and resting orders that a busy machine did not bring about: there is nothing to leave.
  if (!bought.every((one) => isSettled(one, 'FILLED')) || !cast.resting.every((one) => isSettled(one, 'PENDING'))) return false;

  const way = watchWay(stand.wire?.port ?? 0);
  const trips = new Map<Asked, Trip[]>();
  const freezing = within(systemClock, MOMENT_WAIT_MS, isWirePoint(point) ? onWire(scene, point, nth, draw) : untilFrozen(scene));
  const early = act(scene, cast, trips, 0);
  const frozen = await freezing;
  const thawed = systemClock.sleep(FROZEN_MS).then(() => thaw(frozen ?? []));
  const late = act(scene, cast, trips, 1);
  await Promise.all([...early, ...late]);
  stand.wire?.watch(null);
  // Who was not ended wakes up: what it still does comes to light before the ledger is read.
  if (frozen?.some(isThere)) await thawed;
  await systemClock.sleep(RETRY_MS);
  judgeFrozen(scene, kind, { cast, trips, way, ledger: await stand.ledger() });
  way.stop();
  return frozen !== null && frozen.length > 0;
}

function isSettled({ heard }: Asked, fate: 'FILLED' | 'PENDING'): boolean {
  return heard.at(-1)?.text.includes(`"fill_status":"${fate}"`) === true;
}

/** Asks for every second order and cancel of the cast, from `first` on, each at a time of its own, until it is answered. */
function act({ random, gateway }: Scene, { entries, exits, resting }: Cast, trips: Map<Asked, Trip[]>, first: 0 | 1): Promise<unknown>[] {
  if (!gateway) throw new Error('no gateway runs');
  const door: Door = gateway;
  const mine = (list: readonly Asked[]) => list.filter((_, index) => index % 2 === first);
  const waits = () => systemClock.sleep(random.next() * SPREAD_MS);
  return [
    ...mine([...entries, ...exits]).map((one) => waits().then(() => insist(one, trips, () => ask(door, one, 'first').catch(noAnswer)))),
    ...mine(resting).map((one) => waits().then(() => insist(one, trips, () => cancel(door, one)))),
  ];
}

/** Asks until there is an answer, and notes when. */
async function insist(one: Asked, trips: Map<Asked, Trip[]>, asks: () => Promise<boolean>): Promise<void> {
  const own: Trip[] = [];
  trips.set(one, own);
  for (const until = Date.now() + EXIT_WITHIN_MS; Date.now() < until; await systemClock.sleep(RETRY_MS)) {
    const trip = { askedAt: Date.now(), answeredAt: Number.POSITIVE_INFINITY };
    own.push(trip);
    const answered = await asks();
    trip.answeredAt = Date.now();
    if (answered) return;
  }
}

async function cancel(door: Door, one: Asked): Promise<boolean> {
  const { order_id } = JSON.parse(one.heard.at(-1)?.text ?? '{}');
  const { success } = await call(door, 'POST', '/broker/orders/cancel', { order_id });
  return success === true;
}

/** The processes that stand still, once the gateway says that it came to its moment. */
async function untilFrozen({ gateway }: Scene): Promise<number[]> {
  for (const from = systemClock.mono(); systemClock.mono() - from < MOMENT_WAIT_MS; await systemClock.sleep(5)) {
    const told = gateway?.screen().split(FROZEN)[1];
    if (told?.includes('\n')) return (told.split('\n')[0] ?? '').trim().split(' ').filter(Boolean).map(Number);
  }
  return [];
}

function onWire({ stand, gateway }: Scene, point: Point, nth: number, draw: number): Promise<number[]> {
  const { promise, resolve } = Promise.withResolvers<number[]>();
  let left = nth;
  const comes = () => {
    left -= 1;
    if (left === 0) resolve(freezeBelow(gateway?.child.pid ?? 0, draw));
    return true;
  };
  const watch = { places: placingLines(stand.broker) };
  if (point === 'bytes written') stand.wire?.watch({ ...watch, written: async () => comes() });
  else stand.wire?.watch({ ...watch, answered: async () => void comes() });
  return promise;
}

function judgeFrozen(
  scene: Scene,
  kind: Kind,
  { cast, trips, way, ledger }: { cast: Cast; trips: Map<Asked, Trip[]>; way: Way; ledger: readonly VenueOrder[] },
): void {
  const told = (one: Asked) => `${one.key}: told ${one.waits.at(-1) ?? one.heard.at(-1)?.text}, asked ${JSON.stringify(trips.get(one))}`;
  const of = (one: Asked) =>
    ledger.find(({ exchange, symbol, side }) => exchange === one.exchange && symbol === one.symbol && side === one.side);
  for (const one of [...cast.entries, ...cast.exits]) {
    const order = of(one);
    if (!order) continue;
    const inTime = trips.get(one)?.some(({ askedAt, answeredAt }) => {
      const latest = Math.min(answeredAt, askedAt + LEAVES_WITHIN_MS[one.side]);
      return askedAt <= order.receivedAt && order.receivedAt <= latest + way.longestMs(latest, order.receivedAt);
    });
    if (!inTime) scene.misled.push({ kind, what: 'late', words: `${told(one)}; venue ${JSON.stringify(order)}` });
  }
  for (const one of cast.exits) if (of(one)?.filled !== one.quantity) scene.misled.push({ kind, what: 'keptIn', words: told(one) });
  for (const one of cast.resting) {
    const last = trips.get(one)?.at(-1);
    const cancelled = of(one)?.status === 'CANCELLED' && last !== undefined && last.answeredAt - last.askedAt <= LEAVES_WITHIN_MS.SELL;
    if (!cancelled) scene.misled.push({ kind, what: 'keptIn', words: `cancel of ${told(one)}` });
  }
}

import { systemClock, within } from '../../server/clock.ts';
import { call, deal, order } from './cast.ts';
import { HELD, isWirePoint, type Kind, type SwitchMoment } from './kinds.ts';
import { type Asked, ask, askAgain, type Door, noAnswer } from './orders.ts';
import { doorOf, type Scene } from './scene.ts';
import { placingLines } from './stand.ts';
import type { VenueOrder } from './venue.ts';
import { type Way, watchWay } from './way.ts';

/** Symbols of their own for positions to leave, resting orders to modify, and entries. */
const EACH = 10;
const GROWN = 40;
/** Half of everything is asked for over this long before the switch, half over as long after it. */
const SPREAD_MS = 400;
/** What left before the switch answered has arrived by then, and by what the way itself takes at that moment. */
const UNDER_WAY_MS = 100;
/** A moment that has not come by then does not come any more. */
const MOMENT_WAIT_MS = 4000;
const LONGEST_STALL_MS = 6000;
const EXIT_WITHIN_MS = 20_000;

interface Cast {
  entries: Asked[];
  exits: Asked[];
  /** Resting entries, and what the modify of each waits for. */
  resting: Asked[];
}

/** Turns the kill switch on in the middle of orders and modifies, and off again when all are answered. False when its moment did not come. */
export async function switchCycle(scene: Scene, plan: { kind: Kind; moment: SwitchMoment; prefix: string; nth: number }): Promise<boolean> {
  const { kind, moment, prefix, nth } = plan;
  const { random, stand } = scene;
  const door = doorOf(scene);
  const [held = [], resting = [], flat = []] = deal(random, 3, EACH);
  const cast: Cast = {
    entries: flat.map((share, index) => order(stand.broker, kind, share, { key: `${prefix}entry${index}`, side: 'BUY' })),
    exits: held.map((share, index) => order(stand.broker, kind, share, { key: `${prefix}exit${index}`, side: 'SELL' })),
    resting: resting.map((share, index) => ({
      ...order(stand.broker, kind, share, { key: `before-${prefix}rests${index}`, side: 'BUY', price: Number(share.lowerCircuit) }),
      grownTo: GROWN,
    })),
  };
  const bought = held.map((share, index) => order(stand.broker, kind, share, { key: `before-${prefix}held${index}`, side: 'BUY' }));
  scene.asked.push(...bought, ...cast.resting, ...cast.entries, ...cast.exits);
  await Promise.all([...bought, ...cast.resting].map((one) => askAgain(door, one, Date.now() + EXIT_WITHIN_MS)));

  const way = watchWay(stand.wire?.port ?? 0);
  const turned = Promise.withResolvers<number>();
  const turn = () => void turnOn(door).then(turned.resolve, turned.reject);
  const came = watchMoment(scene, { moment, nth, turn, turned: turned.promise });
  const early = act(scene, cast, 0);
  const struck = await came;
  const onAt = await turned.promise;
  const late = act(scene, cast, 1);
  await Promise.all([...early, ...late]);
  stand.wire?.watch(null);
  await Promise.all(cast.exits.map((one) => askAgain(door, one, Date.now() + EXIT_WITHIN_MS)));
  judgeSwitch(scene, kind, cast, { onAt, way, ledger: await stand.ledger() });
  way.stop();
  await callSwitch(door, false);
  return struck;
}

/** Asks for every second order of the cast and of its modifies, from `first` on, each at a time of its own. */
function act({ random, gateway }: Scene, { entries, exits, resting }: Cast, first: 0 | 1): Promise<unknown>[] {
  if (!gateway) throw new Error('no gateway runs');
  const door: Door = gateway;
  const mine = (list: readonly Asked[]) => list.filter((_, index) => index % 2 === first);
  const waits = () => systemClock.sleep(random.next() * SPREAD_MS);
  return [
    ...mine([...entries, ...exits]).map((one) => waits().then(() => ask(door, one, 'first').catch(noAnswer))),
    ...mine(resting).map((one) => waits().then(() => grow(door, one).catch(noAnswer))),
  ];
}

async function grow(door: Door, one: Asked): Promise<unknown> {
  const { order_id } = JSON.parse(one.heard.at(-1)?.text ?? '{}');
  return await call(door, 'POST', '/broker/orders/modify', { order_id, quantity: GROWN });
}

/** Calls `turn` once the moment has come, or will not come any more. */
async function watchMoment(
  scene: Scene,
  { moment, nth, turn, turned }: { moment: SwitchMoment; nth: number; turn: () => void; turned: Promise<unknown> },
): Promise<boolean> {
  const { stand, random } = scene;
  if (moment === 'store stall') {
    await systemClock.sleep(random.next() * SPREAD_MS);
    const thaw = stand.store?.freeze();
    await systemClock.sleep(random.next() * SPREAD_MS);
    turn();
    void systemClock.sleep(random.next() * LONGEST_STALL_MS).then(() => thaw?.());
    return true;
  }
  const came = isWirePoint(moment) ? onWire(scene, moment, nth, turned, turn) : untilHeld(scene);
  const inTime = (await within(systemClock, MOMENT_WAIT_MS, came)) === true;
  // Meanwhile more orders and modifies come to wait there.
  if (inTime && !isWirePoint(moment)) await systemClock.sleep(random.next() * SPREAD_MS);
  if (!inTime || !isWirePoint(moment)) turn();
  return inTime;
}

/** False when nobody is held in time. */
async function untilHeld({ gateway }: Scene): Promise<boolean> {
  for (const from = systemClock.mono(); systemClock.mono() - from < MOMENT_WAIT_MS; await systemClock.sleep(2))
    if (gateway?.screen().includes(HELD)) return true;
  return false;
}

/** Written bytes go on as the switch is turned; an answer is kept from the gateway until the switch is on. */
function onWire({ stand }: Scene, moment: SwitchMoment, nth: number, turned: Promise<unknown>, turn: () => void): Promise<true> {
  const { promise, resolve } = Promise.withResolvers<true>();
  let left = nth;
  const comes = () => {
    left -= 1;
    if (left === 0) turn();
    if (left === 0) resolve(true);
    return left <= 0;
  };
  const watch = { places: placingLines(stand.broker) };
  if (moment === 'bytes written') stand.wire?.watch({ ...watch, written: async () => comes() || true });
  else stand.wire?.watch({ ...watch, answered: async () => void (comes() && (await turned)) });
  return promise;
}

/** Turns it on over HTTP; when it answered that it is, epoch ms. With a store that stands still the turn itself is answered late. */
async function turnOn(door: Door): Promise<number> {
  const posted = callSwitch(door, true);
  for (;;) {
    const { on } = await call(door, 'GET', '/broker/kill-switch');
    if (on === true) break;
    await systemClock.sleep(2);
  }
  const onAt = Date.now();
  await posted;
  return onAt;
}

async function callSwitch(door: Door, on: boolean): Promise<void> {
  await call(door, 'POST', '/broker/kill-switch', { on });
}

function judgeSwitch(
  scene: Scene,
  kind: Kind,
  { exits }: Cast,
  { onAt, way, ledger }: { onAt: number; way: Way; ledger: readonly VenueOrder[] },
): void {
  const isExit = (order: VenueOrder) => order.side === 'SELL';
  const isLate = (at: number | null) => at !== null && at > onAt + UNDER_WAY_MS + way.longestMs(onAt, at);
  for (const order of ledger) {
    const grew = (!isExit(order) && isLate(order.receivedAt)) || (order.quantity === GROWN && isLate(order.changedAt));
    if (grew)
      scene.misled.push({
        kind,
        what: 'grew',
        words: `the switch answered at ${onAt}, the way took ${way.longestMs(onAt, Date.now())} ms; venue ${JSON.stringify(order)}`,
      });
  }
  for (const one of exits) {
    const left = ledger.some(
      (order) => isExit(order) && order.exchange === one.exchange && order.symbol === one.symbol && order.filled === one.quantity,
    );
    if (!left) scene.misled.push({ kind, what: 'keptIn', words: `${one.key}: told ${one.waits.at(-1) ?? one.heard.at(-1)?.text}` });
  }
}

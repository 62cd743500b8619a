import { type Random, systemClock, tradingDay } from '../../server/clock.ts';
import { isShortLived } from './judge.ts';
import { frozenPoint, isPoint, isWirePoint, type Kind, type Orders, switchMoment } from './kinds.ts';
import { killGateway, type Scene, untilDead } from './scene.ts';
import { placingLines } from './stand.ts';

/** The longest a cycle lets its orders run before the kill, ms: half die early, half may have come far. */
const EARLY_MS = 300;
const LONGEST_MS = 1500;
/** Through a faulty wire everything takes longer. */
const LONGEST_ON_WIRE_MS = 1500;
const LONGEST_OUTAGE_MS = 1200;
const LONGEST_FULL_MS = 3000;
/** A point that nobody has passed by then is not passed any more. */
const POINT_WAIT_MS = 10_000;
/** Everybody was answered: who has not died by then will not. */
const AFTERWARDS_MS = 500;
const JUMPS_MS = [-90_000, 90_000, -3_600_000, 3_600_000];

/** What the gateway of a cycle is told before its orders come. */
export function planOf(kind: Kind, random: Random, orders: number): Pick<Orders, 'point' | 'holds' | 'freezes' | 'nth' | 'jumpMs'> {
  if (kind === 'clock jump' && random.next() < 0.5) return { jumpMs: drawJump(random, 0), nth: draw(random, 1, orders) };
  const moment = switchMoment(kind);
  if (moment)
    return moment === 'store stall' || isWirePoint(moment)
      ? { nth: draw(random, 1, 6) }
      : { point: moment, holds: true, nth: draw(random, 1, 6) };
  const frozen = frozenPoint(kind);
  if (frozen) {
    const which = { nth: draw(random, 1, frozen === 'in the poll' ? 2 : 4), freezes: random.next() };
    return isWirePoint(frozen) ? which : { point: frozen, ...which };
  }
  if (!isPoint(kind)) return {};
  const nth = kind === 'in the poll' ? draw(random, 1, 3) : draw(random, 1, orders);
  return isWirePoint(kind) ? { nth } : { point: kind, nth };
}

/**
 * Lets `fire` run and kills what the kind says, at a moment drawn from the seed; resolves when nothing of this cycle runs any more that should not.
 * False when a point was not passed, so that the cycle shows nothing about it.
 */
export async function disrupt(scene: Scene, kind: Kind, plan: Pick<Orders, 'nth' | 'jumpMs'>, fire: () => Promise<void>): Promise<boolean> {
  if (isWirePoint(kind)) return await atWirePoint(scene, kind, plan.nth ?? 1, fire);
  const fired = fire();
  if (isPoint(kind)) return await atPoint(scene, fired);
  const work: Partial<Record<Kind, () => Promise<void>>> = {
    database: () => databaseDies(scene, fired),
    'gateway and database': () => bothDie(scene),
    'faulty wire': () => faultyWire(scene, fired),
    'clock jump': () => clockJumps(scene, plan.jumpMs ?? 0),
    'disk full': () => diskFills(scene),
  };
  await (work[kind] ?? (() => gatewayDies(scene)))();
  await fired;
  return true;
}

async function gatewayDies(scene: Scene): Promise<void> {
  await moment(scene.random);
  await killGateway(scene);
}

async function databaseDies(scene: Scene, fired: Promise<void>): Promise<void> {
  await moment(scene.random);
  scene.stand.store?.kill();
  await pause(scene.random, LONGEST_OUTAGE_MS);
  await scene.stand.store?.revive();
  await fired;
}

async function bothDie(scene: Scene): Promise<void> {
  const { random, stand } = scene;
  await moment(random);
  const databaseFirst = random.next() < 0.5;
  if (databaseFirst) stand.store?.kill();
  await pause(random, 30);
  await killGateway(scene);
  if (!databaseFirst) stand.store?.kill();
  await stand.store?.revive();
}

async function faultyWire(scene: Scene, fired: Promise<void>): Promise<void> {
  const { random, stand } = scene;
  stand.wire?.trouble(Math.floor(random.next() * 0xffff_ffff));
  // Most die in the middle; some live to see what became of it.
  if (random.next() < 0.9) {
    await pause(random, LONGEST_ON_WIRE_MS);
    await killGateway(scene);
  } else await fired;
  stand.wire?.calm();
}

async function diskFills(scene: Scene): Promise<void> {
  const { random, stand } = scene;
  await moment(random);
  stand.disk?.fill();
  if (random.next() < 0.5) await stand.disk?.turnLog();
  await pause(random, LONGEST_FULL_MS);
  // A person may restart it before there is room again.
  if (random.next() < 0.3) await killGateway(scene);
  stand.disk?.free();
}

async function clockJumps(scene: Scene, jumpedMs: number): Promise<void> {
  await moment(scene.random);
  await killGateway(scene);
  const aheadMs = jumpedMs || drawJump(scene.random, scene.aheadMs);
  scene.aheadMs = sameDay(aheadMs) ? aheadMs : 0;
  // A minute's answers do not outlive an hour.
  for (const one of scene.asked) one.heard = one.heard.filter((heard) => !isShortLived(heard));
}

async function atPoint(scene: Scene, fired: Promise<void>): Promise<boolean> {
  const told = fired.then(() => untilDead(scene, AFTERWARDS_MS));
  const struck = await Promise.race([untilDead(scene, POINT_WAIT_MS), told]);
  await killGateway(scene);
  await fired;
  return struck;
}

async function atWirePoint(scene: Scene, kind: Kind, nth: number, fire: () => Promise<void>): Promise<boolean> {
  const { random, stand } = scene;
  const goesOn = random.next() < 0.5;
  let left = nth;
  let struck: Promise<void> | null = null;
  const strike = async () => {
    left -= 1;
    if (left !== 0) return false;
    struck = killGateway(scene);
    await struck;
    return true;
  };
  const watch = { places: placingLines(stand.broker) };
  // Where the gateway died after its last byte, half of the requests arrive all the same.
  if (kind === 'bytes written') stand.wire?.watch({ ...watch, written: async () => !(await strike()) || goesOn });
  else stand.wire?.watch({ ...watch, answered: async () => void (await strike()) });
  await fire();
  await (struck ?? killGateway(scene));
  stand.wire?.watch(null);
  return struck !== null;
}

function drawJump(random: Random, aheadMs: number): number {
  const jump = JUMPS_MS[draw(random, 0, JUMPS_MS.length - 1)] ?? 0;
  return sameDay(aheadMs + jump) ? jump : -jump;
}

/** A jump into another trading day would end all that is open, rightly. */
function sameDay(aheadMs: number): boolean {
  const now = systemClock.now();
  return tradingDay(now + aheadMs) === tradingDay(now);
}

function draw(random: Random, least: number, most: number): number {
  return least + Math.floor(random.next() * (most - least + 1));
}

function moment(random: Random): Promise<void> {
  return pause(random, random.next() < 0.5 ? EARLY_MS : LONGEST_MS);
}

function pause(random: Random, longestMs: number): Promise<void> {
  return systemClock.sleep(random.next() * longestMs);
}

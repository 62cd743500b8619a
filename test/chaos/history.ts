import { seededRandom, systemClock, tradingDay, within } from '../../server/clock.ts';
import { disrupt, planOf } from './disrupt.ts';
import { frozenCycle } from './frozen.ts';
import { isShortLived, isUnknown, judge, ordersOf } from './judge.ts';
import { frozenPoint, type Kind, switchMoment } from './kinds.ts';
import { type Asked, ask, askAgain, drawOrders, noAnswer } from './orders.ts';
import { doorOf, killGateway, lastWords, noteDeath, ready, type Scene } from './scene.ts';
import type { Stand } from './stand.ts';
import type { KeyRecord } from './store.ts';
import { switchCycle } from './switch.ts';
import { type Tallies, tallyOf } from './tally.ts';
import type { VenueOrder } from './venue.ts';

/** After a restart: what is not answered by then is asked again in the end, when it may be looked up for the full 8 s. */
const VERIFY_MS = 2500;
const LOOK_EVERY_MS = 150;
/** In the end everything must be known that is at the venue. */
const FINISH_MS = 60_000;

export interface HistoryOptions {
  stand: Stand;
  seed: number;
  kinds: readonly Kind[];
  /** A cycle. */
  orders: number;
  /** No cycle begins when it is true. */
  over?(): boolean;
}

/** What a history came to, before it is judged: the last questions may be asked while the next history runs. */
export interface Finish {
  cycles: number;
  /** Asks for everything once more, holds it against the ledger, ends all processes. Returns what was found wrong. */
  judge(tallies: Tallies): Promise<string[]>;
}

/**
 * Orders in flight, processes killed, a restart, the same keys asked again: one cycle after the other on the same records.
 * Everything random about what is done comes from the seed; what the machine makes of it does not.
 */
export async function runHistory({ stand, seed, kinds, orders, over = () => false }: HistoryOptions): Promise<Finish> {
  const scene: Scene = {
    stand,
    random: seededRandom(seed),
    name: `s${seed}-`,
    asked: [],
    gateway: null,
    died: [],
    misled: [],
    kind: 'gateway',
    running: '',
    aheadMs: 0,
  };
  const began = systemClock.now();
  const done: Kind[] = [];
  for (const [index, kind] of kinds.entries()) {
    if (over()) break;
    scene.kind = kind;
    const prefix = `${scene.name}c${index + 1}-`;
    const plan = planOf(kind, scene.random, orders);
    await ready(scene, { keys: `k:${prefix}`, aheadMs: scene.aheadMs, ...plan });
    const moment = switchMoment(kind);
    if (moment) {
      if (await switchCycle(scene, { kind, moment, prefix, nth: plan.nth ?? 1 })) done.push(kind);
      await verify(scene, scene.asked);
      continue;
    }
    const point = frozenPoint(kind);
    if (point) {
      if (await frozenCycle(scene, { kind, point, prefix, nth: plan.nth ?? 1, draw: plan.freezes ?? 0 })) done.push(kind);
      await verify(scene, scene.asked);
      continue;
    }
    const [net, stuck] = [netOf(await stand.ledger()), stuckIn(scene.asked)];
    const asked = drawOrders({ random: scene.random, broker: stand.broker, kind, prefix, quantity: index + 1, count: orders, net, stuck });
    scene.asked.push(...asked);
    const struck = await disrupt(scene, kind, plan, () => fire(scene, asked));
    await verify(scene, asked);
    if (struck) done.push(kind);
  }
  // Now, because the next history may kill the database it starts on.
  await ready(scene, { keys: 'none', aheadMs: scene.aheadMs });
  return {
    cycles: done.length,
    async judge(tallies) {
      const findings = await finish(scene, tallies, tradingDay(began));
      for (const kind of done) tallyOf(tallies, kind).cycles += 1;
      return findings;
    },
  };
}

/** Places all orders at once; resolves when each was answered or cut off. */
function fire(scene: Scene, asked: readonly Asked[]): Promise<void> {
  const door = doorOf(scene);
  return Promise.all(asked.map((one) => ask(door, one, 'first').catch(noAnswer))).then(() => undefined);
}

/** Asks again for what was asked; goes on when all that is at the venue was answered. */
async function verify(scene: Scene, all: readonly Asked[]): Promise<void> {
  await ready(scene, { keys: 'none', aheadMs: scene.aheadMs });
  const asked = all.filter((one) => !placedAnew(one));
  const door = doorOf(scene);
  const until = Date.now() + FINISH_MS;
  const answered = Promise.all(asked.map((one) => askAgain(door, one, until))).then(() => 'all');
  for (const from = systemClock.mono(); systemClock.mono() - from < VERIFY_MS; ) {
    if (await within(systemClock, LOOK_EVERY_MS, answered)) return;
    const ledger = await scene.stand.ledger();
    const missing = asked.some((one) => isUnknown(again(one)) && ordersOf(one, ledger).length > 0);
    if (!missing && systemClock.mono() - from > 3 * LOOK_EVERY_MS) return;
  }
}

/** Whether asking once more may place it anew: such a refusal is kept for a minute only. */
function placedAnew(one: Asked): boolean {
  const last = one.heard.at(-1);
  return last !== undefined && isShortLived(last) && again(one) !== undefined;
}

function again(one: Asked) {
  return one.heard.findLast((heard) => heard.phase === 'again');
}

async function finish(scene: Scene, tallies: Tallies, day: string): Promise<string[]> {
  const { stand } = scene;
  const door = doorOf(scene);
  const until = Date.now() + FINISH_MS;
  await Promise.all(
    scene.asked.map(async (one) => {
      if (placedAnew(one)) return;
      await askAgain(door, one, until);
      while (isUnknown(again(one)) && Date.now() < until && ordersOf(one, await stand.ledger()).length > 0)
        await askAgain(door, one, until);
    }),
  );
  let [ledger, records]: [VenueOrder[], KeyRecord[]] = [[], []];
  try {
    [ledger, records] = [await stand.ledger(), await stand.records()];
  } catch (error) {
    throw new Error(`what was written could not be read; ${lastWords(scene)}`, { cause: error });
  } finally {
    noteDeath(scene);
    await killGateway(scene);
    await stand.close();
  }
  // Yesterday's orders are in nobody's order book: such a history proves nothing.
  if (tradingDay(Date.now()) !== day) return [];
  for (const { kind } of scene.died) tallyOf(tallies, kind).died += 1;
  for (const { kind, what } of scene.misled) tallyOf(tallies, kind)[what] += 1;
  const deaths = scene.died.map(({ kind, words }) => `${kind}: the gateway died by itself: ${words}`);
  const misled = scene.misled.map(({ kind, what, words }) => `${kind}: ${what}: ${words}`);
  return [...deaths, ...misled, ...judge({ asked: scene.asked, ledger, records }, tallies)];
}

/** Net quantity by `exchange:symbol`. */
export function netOf(ledger: readonly VenueOrder[]): Map<string, number> {
  const net = new Map<string, number>();
  for (const { exchange, symbol, side, filled } of ledger) {
    const name = `${exchange}:${symbol}`;
    net.set(name, (net.get(name) ?? 0) + (side === 'BUY' ? filled : -filled));
  }
  return net;
}

/** Symbols of orders whose fate is not known, by `exchange:symbol`. */
export function stuckIn(asked: readonly Asked[]): Set<string> {
  return new Set(asked.filter((one) => isUnknown(one.heard.at(-1))).map((one) => `${one.exchange}:${one.symbol}`));
}

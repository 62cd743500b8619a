import '../../server/fast-imports.js';
import type { BrokerDefinition } from '../../server/brokers/broker.ts';
import type { Clock } from '../../server/clock.ts';
import type { Journal } from '../../server/journal/journal.ts';
import { freezeBelow } from './freeze.ts';
import { FROZEN, HELD, Orders } from './kinds.ts';

const { systemClock } = await import('../../server/clock.ts');
const { loadEnvironment, readConfig } = await import('../../server/config/config.ts');
const { brokers } = await import('../../server/brokers/index.ts');
const { createContext } = await import('../../server/context.ts');
const { firstScreen } = await import('../../server/first-screen.ts');
const { listen } = await import('../../server/http/listen.ts');
const { createLog } = await import('../../server/log.ts');

/*
 * The real gateway, wired as server/start.ts wires it, that kills itself with -9 at one named step of its journal or poll, or whose wall clock
 * is wrong or jumps; or that holds its orders at that step until the kill switch is on, or lets a process of its PostgreSQL stand still there. `node gateway-at-point.ts '{"keys":"k:c1-","point":"after SENDING","nth":3}'`
 */

/** Far longer than what is under way may still take to arrive. */
const PAST_SWITCH_MS = 1000;

const orders = Orders.parse(JSON.parse(process.argv[2] ?? '{}'));
let left = orders.nth;
let aheadMs = orders.aheadMs;
/** Of the attempts that count. */
const tags = new Set<string>();
let accepted = false;

async function passBy(at: string): Promise<void> {
  if (at !== orders.point) return;
  left -= 1;
  if (orders.freezes !== undefined) {
    if (left === 0) process.stdout.write(`${FROZEN} ${freezeBelow(process.pid, orders.freezes).join(' ')}\n`);
  } else if (orders.holds && left <= 0) await untilSwitched();
  else if (left === 0) process.kill(process.pid, 'SIGKILL');
}

let switched = false;
/** Tells that somebody waits here, and lets nobody go on before the kill switch has been on for a while. */
async function untilSwitched(): Promise<void> {
  process.stdout.write(`${HELD}\n`);
  while (!switched && !context.killSwitch.on) await systemClock.sleep(2);
  if (switched) return;
  await systemClock.sleep(PAST_SWITCH_MS);
  switched = true;
}

let lookUps = 0;
function jump(): void {
  lookUps += 1;
  if (lookUps === orders.nth) aheadMs += orders.jumpMs;
}

const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };

const journal = (real: Journal): Journal => {
  const find = real.find.bind(real);
  const begin = real.begin.bind(real);
  const move = real.move.bind(real);
  const note = real.note.bind(real);
  const concerns = (key: string) => key.startsWith(orders.keys);
  real.find = async (key, now) => {
    if (concerns(key)) jump();
    if (concerns(key)) await passBy('before the look-up');
    return await find(key, now);
  };
  real.begin = async (attempt, ...rest) => {
    const ours = concerns(attempt.key) && attempt.state === 'SENDING';
    if (ours) await passBy("after the guard's verdict");
    if (ours) tags.add(attempt.tag);
    const standing = await begin(attempt, ...rest);
    if (ours && standing === null) await passBy('after SENDING');
    return standing;
  };
  real.move = async (attempt, to, ...rest) => {
    const moved = await move(attempt, to, ...rest);
    if (!concerns(attempt.key)) return moved;
    if (to === 'ACCEPTED') await passBy('after ACCEPTED');
    if (to === 'DONE') await passBy('after DONE before the reply');
    return moved;
  };
  // A modify is judged and written down likewise; where gateways die, only orders count.
  real.note = async (event) => {
    const modifies = orders.holds && event.kind === 'modify.sending';
    if (modifies) await passBy("after the guard's verdict");
    await note(event);
    if (modifies) await passBy('after SENDING');
  };
  return real;
};

/** An order book read begun after an order was accepted is a poll; the gateway dies with the answer in its hands. */
function pollWatched(definition: BrokerDefinition): BrokerDefinition {
  return {
    ...definition,
    create(env) {
      const broker = definition.create(env);
      const place = broker.placeOrder.bind(broker);
      broker.placeOrder = async (order, tag) => {
        const sent = await place(order, tag);
        if (sent.fate === 'accepted' && tags.has(tag)) accepted = true;
        return sent;
      };
      const read = broker.orders.bind(broker);
      broker.orders = async () => {
        const polls = accepted;
        const book = await read();
        if (polls) await passBy('in the poll');
        return book;
      };
      return broker;
    },
  };
}

const config = readConfig(loadEnvironment());
const log = createLog(config.logLevel, false);
const watched = Object.fromEntries(Object.entries(brokers).map(([id, definition]) => [id, pollWatched(definition)]));
const onLost = (reason: string) => {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
};
const context = await createContext(config, log, { clock, journal, brokers: watched, onLost });
const listening = await listen(context.app, config);
await context.autoConnect();
process.stdout.write(firstScreen(config, context, listening.port));

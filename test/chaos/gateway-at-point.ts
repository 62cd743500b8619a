import '../../server/fast-imports.js';
import type { BrokerDefinition } from '../../server/brokers/broker.ts';
import type { Clock } from '../../server/clock.ts';
import type { Journal } from '../../server/orders/attempt.ts';
import { Orders } from './kinds.ts';

const { systemClock } = await import('../../server/clock.ts');
const { loadEnvironment, readConfig } = await import('../../server/config.ts');
const { brokers } = await import('../../server/brokers/index.ts');
const { createContext } = await import('../../server/context.ts');
const { firstScreen } = await import('../../server/first-screen.ts');
const { listen } = await import('../../server/http/listen.ts');
const { createLog } = await import('../../server/log.ts');

/*
 * The real gateway, wired as server/start.ts wires it, that kills itself with -9 at one named step of its journal or poll, or whose wall clock
 * is wrong or jumps. `node gateway-at-point.ts '{"keys":"k:c1-","point":"after SENDING","nth":3}'`
 */

const orders = Orders.parse(JSON.parse(process.argv[2] ?? '{}'));
let left = orders.nth;
let aheadMs = orders.aheadMs;
let accepted = false;

function passBy(at: string): void {
  if (at !== orders.point) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

let claims = 0;
function jump(): void {
  claims += 1;
  if (claims === orders.nth) aheadMs += orders.jumpMs;
}

const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };

const journal = (real: Journal): Journal => {
  const claim = real.claim.bind(real);
  const move = real.move.bind(real);
  real.claim = async (attempt, now) => {
    const concerns = attempt.key.startsWith(orders.keys);
    if (concerns) jump();
    if (concerns) passBy('before claim');
    const found = await claim(attempt, now);
    if (concerns && found.standing === null) passBy('after claim');
    return found;
  };
  real.move = async (attempt, to, ...rest) => {
    const moved = await move(attempt, to, ...rest);
    if (!attempt.key.startsWith(orders.keys)) return moved;
    if (to === 'SENDING' || to === 'ACCEPTED') passBy(`after ${to}`);
    if (to === 'ACCEPTED') accepted = true;
    if (to === 'DONE') passBy('after DONE before the reply');
    return moved;
  };
  return real;
};

/** An order book read begun after an order was accepted is a poll; the gateway dies with the answer in its hands. */
function pollWatched(definition: BrokerDefinition): BrokerDefinition {
  return {
    ...definition,
    create(env) {
      const broker = definition.create(env);
      const read = broker.orders.bind(broker);
      broker.orders = async () => {
        const polls = accepted;
        const book = await read();
        if (polls) passBy('in the poll');
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

import type { BrokerId } from '../../contract/words.ts';
import type { Gateway } from '../api/gateway.ts';
import type { Broker, BrokerDefinition } from '../brokers/broker.ts';
import type { Clock } from '../clock.ts';
import type { AttemptState } from '../journal/attempt.ts';
import type { Journal } from '../journal/journal.ts';
import { type CallOutcome, type Meters, type OrderFate, type OrderStep, orderFates, timed } from '../meters.ts';
import type { PlaceReply } from '../orders/answer.ts';
import { brokerCalls } from './tables.ts';

/** With no meters each of these gives back what it was given. Definitions whose instances count each call of theirs. */
export function meteredBrokers(
  definitions: Partial<Record<BrokerId, BrokerDefinition>>,
  meters: Meters | undefined,
  clock: Clock,
): typeof definitions {
  if (!meters) return definitions;
  const entries = Object.entries(definitions).map(([id, definition]) => {
    const create: BrokerDefinition['create'] = (env) => meteredBroker(definition.create(env), meters, clock);
    return [id, { ...definition, create }];
  });
  return Object.fromEntries(entries);
}

function meteredBroker(broker: Broker, meters: Meters, clock: Clock): Broker {
  for (const [method, name] of Object.entries(brokerCalls)) {
    const call: unknown = Reflect.get(broker, method);
    if (typeof call !== 'function') continue;
    async function counted(...args: unknown[]): Promise<unknown> {
      const began = clock.mono();
      let outcome: CallOutcome = 'error';
      try {
        const answer: unknown = await Reflect.apply(call as () => unknown, broker, args);
        outcome = outcomeOf(answer);
        return answer;
      } finally {
        meters.called(broker.id, name, outcome, clock.mono() - began);
      }
    }
    Object.assign(broker, { [method]: counted });
  }
  return broker;
}

function outcomeOf(answer: unknown): CallOutcome {
  if (typeof answer !== 'object' || answer === null) return 'ok';
  if ('fate' in answer) return answer.fate as CallOutcome;
  return 'success' in answer && answer.success === false ? 'failed' : 'ok';
}

/** A state that an order is moved to, as a step of it; what comes later is on nobody's way. */
const stepOf: Partial<Record<AttemptState, OrderStep>> = { ACCEPTED: 'accepted', AMBIGUOUS: 'accepted', DONE: 'done', NOT_SENT: 'done' };

/** The journal itself; what an order waits for in it is timed from now on. */
export function meteredJournal(journal: Journal, given: Meters | undefined, clock: Clock): Journal {
  if (!given) return journal;
  const meters = given;
  function told<Result>(step: OrderStep, work: Promise<Result>): Promise<Result> {
    work.catch(() => meters.storeFailed(step));
    return timed(clock, work, (ms) => meters.step(step, ms));
  }
  const [find, begin, move] = [journal.find.bind(journal), journal.begin.bind(journal), journal.move.bind(journal)];
  return Object.assign(journal, {
    find: (...args: Parameters<Journal['find']>) => told('look_up', find(...args)),
    begin: (...args: Parameters<Journal['begin']>) => told('sending', begin(...args)),
    move(...args: Parameters<Journal['move']>) {
      const step = stepOf[args[1]];
      const work = move(...args);
      return step ? told(step, work) : work;
    },
  });
}

/** The same operations; what becomes of orders is counted. */
export function meteredOrders<Operations extends Pick<Gateway, 'place' | 'modify' | 'cancel'>>(
  operations: Operations,
  given: Meters | undefined,
  clock: Clock,
): Operations {
  if (!given) return operations;
  const meters = given;
  async function place(...args: Parameters<Gateway['place']>): Promise<PlaceReply> {
    const began = clock.mono();
    let fate: OrderFate = 'failed';
    try {
      const reply = await operations.place(...args);
      fate = fateOf(reply);
      return reply;
    } finally {
      meters.placed(fate, clock.mono() - began);
    }
  }
  function change<Asked>(name: 'modify' | 'cancel', operation: (asked: Asked) => ReturnType<Gateway['modify']>) {
    return async (asked: Asked) => {
      const began = clock.mono();
      let outcome: 'ok' | 'failed' = 'failed';
      try {
        const answer = await operation(asked);
        outcome = answer.success ? 'ok' : 'failed';
        return answer;
      } finally {
        meters.changed(name, outcome, clock.mono() - began);
      }
    };
  }
  return { ...operations, place, modify: change('modify', operations.modify), cancel: change('cancel', operations.cancel) };
}

/** What a caller was told of its order, in one word. */
export function fateOf({ headers, body }: PlaceReply): OrderFate {
  if (headers['Idempotency-Replayed']) return 'replayed';
  if ('status' in body && body.status === 'BLOCKED') return 'blocked';
  // What the broker said no to, and nobody else, has an order id, be it an empty one.
  if (!('order_id' in body)) return 'refused';
  const told = String(body.fill_status).toLowerCase();
  return orderFates.find((fate) => fate === told) ?? 'refused';
}

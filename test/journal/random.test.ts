import { expect, it } from 'vitest';
import { type Random, seededRandom } from '../../server/clock.ts';
import { type Attempt, type AttemptChange, type OrderTruth, SupersededError } from '../../server/journal/attempt.ts';
import type { Journal } from '../../server/journal/journal.ts';
import { PostgresJournal } from '../../server/journal/postgres-journal.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { attempt, empty, FINAL, keysOf, OPEN, ownDatabase, START } from './parts.ts';

const HISTORIES = Number(process.env.HISTORIES ?? 15);
const STEPS = 80;
/** Each account has its own symbols: what books do with another account's position is told by a test of records. */
const PLACES = [
  { account: 'AB1234', symbol: 'SBIN' },
  { account: 'AB1234', symbol: 'INFY' },
  { account: 'ZZ', symbol: 'TCS' },
] as const;

const database = ownDatabase();

/** One call, to be made of both journals. */
type Call = (journal: Journal) => Promise<unknown>;

/** A history: calls that make sense after each other, and some that do not. */
class History {
  readonly random: Random;
  readonly known: Attempt[] = [];
  now = START;
  #made = 0;

  constructor(random: Random) {
    this.random = random;
  }

  pick<Value>(list: readonly [Value, ...Value[]]): Value {
    return list[Math.floor(this.random.next() * list.length)] ?? list[0];
  }

  maybe<Value extends object>(value: Value, share = 0.5): Value | object {
    return this.random.next() < share ? value : {};
  }

  /** Attempts under few keys, the answers of some over soon. */
  fresh(): Attempt {
    this.#made += 1;
    const state = this.pick(['SENDING', 'SENDING', 'NOT_SENT'] as const);
    const response = this.pick(['{}', '{"status":"BLOCKED"}', 'none']);
    const one = attempt({
      ...{ key: this.pick(['k:1', 'k:2', 'k:3', 'f:4', 'f:5']), tag: `t${this.#made}`, state, side: this.pick(['BUY', 'SELL']) },
      ...this.pick<Partial<Attempt>>(PLACES),
      ...{ startedAt: this.now, updatedAt: this.now },
      ...(state === 'NOT_SENT' && { response, expiresAt: this.now + this.pick([1, 10, 1000]) }),
    });
    this.known.push(one);
    return one;
  }

  /** An attempt as it was at some time, or as nobody knows it. */
  old(): Attempt {
    // Mostly as it was lately.
    const from = this.random.next() < 0.7 ? Math.max(0, this.known.length - 5) : 0;
    const one = this.known[from + Math.floor(this.random.next() * (this.known.length - from))] ?? this.fresh();
    return this.random.next() < 0.9
      ? one
      : { ...one, ...this.pick<Partial<Attempt>>([{ tag: 'x' }, { owner: 'x' }, { epoch: 9 }, { key: 'k:9' }]) };
  }

  change(one: Attempt): AttemptChange {
    return {
      ...this.maybe({ orderId: this.pick([`o-${one.tag}`, 'taken']) }),
      ...this.maybe({ filledQuantity: this.pick([0, 3, 10]), fillStatus: this.pick(['FILLED', 'PENDING'] as const) }),
      ...this.maybe({ clockOffsetMs: this.random.next() * 1000 - 500, netBefore: this.pick([-1, 0, 7]) }, 0.3),
      ...this.maybe({ response: '{"b": 1,"a":2}', brokerAnswer: '{}', resolvedAt: this.now }, 0.3),
      ...this.maybe({ expiresAt: this.now + this.pick([-1, 0, 5, 500]) }),
    };
  }

  truth({ tag }: Attempt): OrderTruth | undefined {
    if (this.random.next() < 0.4) return undefined;
    const status = this.pick(['PLACED', 'PLACED', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'UNKNOWN'] as const);
    const filledQuantity = this.pick([0, 0, 4, 10]);
    return {
      orderId: `o-${tag}`,
      status,
      filledQuantity,
      averagePrice: this.pick([null, 100, 101.5]),
      ...this.maybe({ token: '99' }, 0.2),
    };
  }

  next(): { name: string; call: Call } {
    this.now += this.pick([0, 1, 5, 50]);
    const { now } = this;
    const event = { kind: 'order.test' };
    const calls: [[string, () => Call], ...[string, () => Call][]] = [
      [
        'begin',
        () =>
          (
            (one) => (journal) =>
              journal.begin(one, event, now)
          )(this.fresh()),
      ],
      [
        'find',
        () =>
          (
            (one) => (journal) =>
              journal.find(one.key, now)
          )(this.old()),
      ],
      [
        'withdraw',
        () =>
          (
            (one) => (journal) =>
              journal.withdraw(one, event)
          )(this.old()),
      ],
      ['move', () => this.#move(now)],
      ['move', () => this.#move(now)],
      ['move', () => this.#move(now)],
      [
        'takeOver',
        () =>
          (
            (one) => (journal) =>
              journal.takeOver(one, 'process-2')
          )(this.old()),
      ],
      ['open', () => (journal) => journal.open()],
      [
        'unresolved',
        () =>
          (
            (since) => (journal) =>
              journal.unresolved(since)
          )(now - this.pick([0, 100])),
      ],
      [
        'changedSince',
        () =>
          (
            (since) => (journal) =>
              journal.changedSince(since)
          )(now - this.pick([0, 100])),
      ],
      [
        'livingKeys',
        () =>
          (
            (limit) => async (journal) =>
              (await journal.livingKeys(now, limit))?.toSorted() ?? null
          )(this.pick([2, 3, 9])),
      ],
      ['blocked', () => (journal) => journal.blocked(now)],
      [
        'end',
        () =>
          (
            (answers) => (journal) =>
              journal.end(answers, now, event)
          )([this.old(), this.old()]),
      ],
      ['openRecords', () => sortedRecords],
      [
        'owners',
        () =>
          (
            (one) => (journal) =>
              journal.owners(one.broker, one.account, one.tradingDay, [`o-${one.tag}`, 'taken'])
          )(this.old()),
      ],
      ['expire', () => (journal) => journal.expire(now)],
    ];
    const [name, make] = this.pick(calls);
    return { name, call: make() };
  }

  #move(now: number): Call {
    const one = this.old();
    const to = this.pick([...OPEN, ...FINAL]);
    const [change, truth] = [this.change(one), this.truth(one)];
    return (journal) => journal.move(one, to, change, { kind: `order.${to}` }, now, truth);
  }
}

async function sortedRecords(journal: Journal): Promise<unknown> {
  const { orders, positions } = await journal.openRecords();
  const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(Object.entries(row).toSorted())).toSorted();
  return { orders: sorted(orders), positions: sorted(positions) };
}

/** What a call answers, or how it fails. */
function answerOf(call: Call, journal: Journal): Promise<unknown> {
  return call(journal).then(
    (answer) => (answer === undefined ? 'done' : answer),
    (error: unknown) => (error instanceof SupersededError ? 'superseded' : 'refused'),
  );
}

it(`${HISTORIES} random histories get the same answers from both journals`, async () => {
  const seen = new Map<string, number>();
  for (let round = 0; round < HISTORIES; round += 1) {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000));
    const history = new History(seededRandom(seed));
    await empty(database());
    const memory = new MemoryJournal();
    const durable = new PostgresJournal(database().db, 'practice', database().orders);
    for (let step = 0; step < STEPS; step += 1) {
      const { name, call } = history.next();
      const [told, expected] = [await answerOf(call, durable), await answerOf(call, memory)];
      expect(told, `seed ${seed}, step ${step}: ${name}`).toEqual(expected);
      if (isAttempt(expected)) history.known.push(expected);
      const kind = typeof expected === 'string' ? `${name} ${expected}` : name;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    const events = await database().db.$client`select kind, key from tsm_events where kind like 'order.%' order by id`;
    expect(events.map(({ kind, key }) => `${kind} ${key}`)).toEqual(memory.events.map(({ kind, key }) => `${kind} ${key}`));
    expect(keysOf(await durable.open()), `seed ${seed}`).toEqual(keysOf(await memory.open()));
  }
  for (const kind of ['begin', 'move', 'move superseded', 'withdraw done']) expect(seen.get(kind), kind).toBeGreaterThan(0);
}, 120_000);

function isAttempt(answer: unknown): answer is Attempt {
  return typeof answer === 'object' && answer !== null && 'tag' in answer;
}

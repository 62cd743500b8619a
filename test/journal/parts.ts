import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { type Database, openDatabase } from '../../server/db/open.ts';
import type { Attempt, AttemptState } from '../../server/journal/attempt.ts';
import type { Journal } from '../../server/journal/journal.ts';
import { PostgresJournal } from '../../server/journal/postgres-journal.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { MemoryJournal } from '../support/memory-journal.ts';

/** When every attempt of these tests begins, and a second later. */
export const START = Date.parse('2026-11-20T10:00:00+05:30');
export const NOW = START + 1000;
export const DAY_MS = 86_400_000;
export const event = { kind: 'order.test' };
export const OPEN = ['SENDING', 'ACCEPTED', 'AMBIGUOUS'] as const;
export const FINAL = ['DONE', 'NOT_SENT', 'UNRESOLVED'] as const;

export interface Written {
  kind: string;
  key: string | null;
}

/** A journal without a record, and the events it has written, oldest first. */
export interface Bench {
  journal: Journal;
  events(): Promise<Written[]>;
}

export function attempt(change: Partial<Attempt> = {}): Attempt {
  return {
    ...{ key: 'k:one', tag: 'k3v9c0m2p7q1x8za', state: 'SENDING', owner: 'process-1', epoch: 1, requestHash: 'hash' },
    ...{ broker: 'zerodha', account: 'AB1234', tradingDay: '2026-11-20', symbol: 'SBIN', token: '779521', exchange: 'NSE' },
    ...{
      side: 'BUY',
      orderType: 'MARKET',
      product: 'INTRADAY',
      quantity: 10,
      price: '0.0000',
      strategy: 'breakout',
      aiConfidence: '0.7200',
      startedAt: START,
    },
    ...{ clockOffsetMs: null, netBefore: -5, orderId: '', brokerAnswer: null, fillStatus: null, filledQuantity: 0 },
    ...{ response: null, resolvedAt: null, expiresAt: null, updatedAt: START },
    ...change,
  };
}

/** An attempt brought to a state the usual way. */
export async function inState(journal: Journal, state: AttemptState, change: Partial<Attempt> = {}): Promise<Attempt> {
  const { expiresAt, response = '{"a":1}', ...facts } = change;
  const end = { response: response ?? '', ...(typeof expiresAt === 'number' && { expiresAt }) };
  const one = attempt(facts);
  if (state === 'NOT_SENT') {
    const refused = { ...one, ...end, state };
    await journal.begin(refused, event, START);
    return refused;
  }
  await journal.begin(one, event, START);
  if (state === 'SENDING') return one;
  const orderId = state === 'AMBIGUOUS' || state === 'UNRESOLVED' ? '' : `o-${one.key}`;
  const middle = await journal.move(one, orderId ? 'ACCEPTED' : 'AMBIGUOUS', { orderId }, event, NOW);
  return state === middle.state ? middle : await journal.move(middle, state, end, event, NOW);
}

/** A database of its own for the tests of a file or a `describe`, open while they run. */
export function ownDatabase(): () => Database {
  let place: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    place = await createTestDatabase();
    database = await openDatabase({ mode: 'practice', dataDir: 'unused', databaseUrl: place.url, log: silentLog() });
  });
  afterAll(async () => {
    await database.close();
    await place.drop();
  });
  return () => database;
}

/** What both journals must do alike: the simulation's findings hold for PostgreSQL because of these. */
export function onBoth(promises: (bench: () => Bench) => void): void {
  describe('the journal in memory', () => {
    let journal: MemoryJournal;
    beforeEach(() => {
      journal = new MemoryJournal();
    });
    const events = async () => journal.events.map(({ kind, key }) => ({ kind, key: key ?? null }));
    promises(() => ({ journal, events }));
  });
  describe('the journal in PostgreSQL', () => {
    const database = ownDatabase();
    let journal: Journal;
    beforeEach(async () => {
      await empty(database());
      journal = new PostgresJournal(database().db, 'practice', database().orders);
    });
    const events = async () => [...(await database().db.$client<Written[]>`select kind, key from tsm_events order by id`)];
    promises(() => ({ journal, events }));
  });
}

export async function empty({ db }: Pick<Database, 'db'>): Promise<void> {
  await db.$client`truncate idempotency_records, tsm_orders, tsm_positions, tsm_events, trade_history, trade_learning cascade`;
}

export function keysOf(attempts: readonly Attempt[]): string[] {
  return attempts.map(({ key }) => key);
}

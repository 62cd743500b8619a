import { beforeEach, describe, expect, it } from 'vitest';
import { type Ask, asking } from '../../server/db/statement.ts';
import { begin } from '../../server/journal/begin.ts';
import { PostgresJournal } from '../../server/journal/postgres-journal.ts';
import { until } from '../db/support.ts';
import { attempt, empty, event, inState, NOW, ownDatabase, START } from './parts.ts';

const database = ownDatabase();
beforeEach(async () => await empty(database()));

const given = { now: NOW, term: null, watch: () => undefined };
const journalOn = (ask: Ask) => new PostgresJournal(database().db, 'practice', ask);

/** Somebody else's record of an order in a transaction that has not ended; `end` ends it. */
async function takenMeanwhile(key: string): Promise<{ end: () => Promise<void> }> {
  const held = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const over = database().db.$client.begin(async (tx) => {
    await tx`insert into idempotency_records (key, state, owner, request_hash, broker, account, trading_day, tag, symbol, exchange, side, order_type, product,
      quantity, price, started_at) values (${key}, 'SENDING', 'process-2', '', '', '', '', 'other', '', '', '', '', '', 1, 0, now())`;
    held.resolve();
    await go.promise;
  });
  await held.promise;
  return {
    async end() {
      go.resolve();
      await over;
    },
  };
}

/** A beginning that waits for a record which another commits in this moment. */
async function beatenTo(ask: Ask): Promise<Awaited<ReturnType<PostgresJournal['begin']>>> {
  const other = await takenMeanwhile('k:one');
  const begun = journalOn(ask).begin(attempt(), event, NOW);
  await until(
    async () =>
      (await database().db.$client`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length >
      0,
    5000,
  );
  const [answer] = await Promise.all([begun, other.end()]);
  return answer;
}

describe('a beginning', () => {
  it('tells whether the attempt stands, and what stood before it', async () => {
    const ask = asking(database().db.$client, database().db.unanswered);
    expect(await begin(ask, attempt(), event, given)).toEqual({ begun: true, standing: null });
    expect(await begin(ask, attempt({ tag: 'again' }), event, given)).toEqual({ begun: false, standing: attempt() });
  });

  it('that an expired record made room for tells of none', async () => {
    const ask = asking(database().db.$client, database().db.unanswered);
    await inState(journalOn(ask), 'DONE', { expiresAt: NOW });
    expect(await begin(ask, attempt({ tag: 'again' }), event, given)).toEqual({ begun: true, standing: null });
  });

  it('that the store says nothing of is not taken for one', async () => {
    const silent = async () => [];
    await expect(begin(silent, attempt(), event, given)).rejects.toThrow('The journal did not say whether an attempt stands');
  });

  it('in the moment another one commits gets the record of that one, and leaves no event', async () => {
    const ask = asking(database().db.$client, database().db.unanswered);
    expect(await beatenTo(ask)).toMatchObject({ key: 'k:one', tag: 'other', owner: 'process-2', state: 'SENDING' });
    expect(await database().db.$client`select kind from tsm_events`).toEqual([]);
  });

  it('after which the record that refused it is gone again is not taken for one', async () => {
    const plain = asking(database().db.$client, database().db.unanswered);
    const ask: Ask = async (text, parameters, watch) => {
      if (text.startsWith('select')) await database().db.$client`delete from idempotency_records`;
      return await plain(text, parameters, watch);
    };
    await expect(beatenTo(ask)).rejects.toThrow('The standing record of a key vanished while it was read');
  });
});

it('an event keeps what its words say, without the characters a database refuses', async () => {
  const detail = { text: 'a\0b', half: 'c\ud800', list: ['\0'] };
  await journalOn(asking(database().db.$client, database().db.unanswered)).begin(attempt(), { ...event, detail }, START);
  const [row] = await database().db.$client`select detail from tsm_events`;
  expect(row?.detail).toEqual({ text: 'ab', half: 'c\ufffd', list: [''] });
});

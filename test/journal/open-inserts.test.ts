import postgres from 'postgres';
import { expect, it } from 'vitest';
import { handleOn } from '../../server/db/handle.ts';
import type { Underway } from '../../server/db/statement.ts';
import { SupersededError } from '../../server/journal/attempt.ts';
import { OpenInserts, WithdrawnError } from '../../server/journal/withdraw.ts';
import { attempt, event, inState, NOW, onBoth, ownDatabase } from './parts.ts';

const database = ownDatabase();
/** Connects to nothing until it is asked, and nothing here asks it. */
const db = handleOn(postgres({ host: '127.0.0.1', port: 1 }));
const one = attempt();
/** Written to a session whose number nobody told. */
const written: Underway = { session: () => null, replace: () => false };
const unwritten: Underway = { session: () => null, replace: () => true };

/** Inserts of which one ended in this error. */
async function failedBy(error: Error, underway = written): Promise<OpenInserts> {
  const inserts = new OpenInserts();
  const run = inserts.run(one, async (watch) => {
    watch(underway);
    throw error;
  });
  await expect(run).rejects.toBe(error);
  return inserts;
}

function said(severity: string): postgres.PostgresError {
  return Object.assign(new postgres.PostgresError('from the server'), { severity });
}

it('an insert that the server refused can be committed no more: its session need not be known', async () => {
  expect(await (await failedBy(said('ERROR'))).close(db, one)).toBe(true);
});

it.each([
  ['the end of its session', said('FATAL')],
  ['a lost connection', new Error('CONNECTION_CLOSED')],
  ['an error that only looks like the server’s', Object.assign(new Error('no'), { severity: 'ERROR' })],
])('an insert that ended in %s may still be committed, and is not taken for gone while nobody knows where', async (_, error) => {
  const inserts = await failedBy(error);
  for (let times = 0; times < 2; times += 1) {
    await expect(inserts.close(db, one)).rejects.toThrow('The database session that may still write an order is not known');
  }
});

it('an insert that was never written is forgotten once that is known', async () => {
  const inserts = await failedBy(new Error('CONNECTION_CLOSED'), unwritten);
  expect(await inserts.close(db, one)).toBe(false);
  // As of one that was answered: nothing is known of it.
  expect(await inserts.close(db, one)).toBe(true);
});

it('an insert that was answered is known no more: its session need not be ended', async () => {
  const inserts = new OpenInserts();
  const run = inserts.run(one, async (watch) => {
    watch(written);
    return 'stands';
  });
  expect(await run).toBe('stands');
  expect(await inserts.close(db, one)).toBe(true);
});

it('an insert that was written may stand, also once its session is over', async () => {
  // No process has this number.
  const over: Underway = { session: () => 999_999_999, replace: () => false };
  const inserts = await failedBy(new Error('CONNECTION_CLOSED'), over);
  expect(await inserts.close(database().db, one)).toBe(true);
});

it('an insert of another attempt is left alone', async () => {
  const inserts = await failedBy(new Error('CONNECTION_CLOSED'));
  expect(await inserts.close(db, attempt({ tag: 'other' }))).toBe(true);
});

it('an answer that comes after the withdrawal was asked for says which attempt it was', async () => {
  const inserts = new OpenInserts();
  const answer = Promise.withResolvers<void>();
  const run = inserts.run(one, () => answer.promise);
  expect(await inserts.close(db, one)).toBe(false);
  answer.resolve();
  await expect(run).rejects.toThrow(new WithdrawnError(one));
  await expect(run).rejects.toThrow('Attempt k:one was withdrawn while it was being written');
});

onBoth((bench) => {
  it('a step that comes too late says which attempt has moved on, and from where', async () => {
    const { journal } = bench();
    const sending = await inState(journal, 'SENDING');
    await journal.move(sending, 'ACCEPTED', { orderId: '7' }, event, NOW);
    const words = 'Attempt k:one is no longer in state SENDING for this process';
    await expect(journal.move(sending, 'DONE', {}, event, NOW)).rejects.toThrow(words);
    const taken = await journal.takeOver(sending, 'process-2');
    expect(taken).toMatchObject({ owner: 'process-2', epoch: 2 });
    await expect(journal.takeOver(sending, 'process-3')).rejects.toThrow(words);
    expect(new SupersededError(taken).message).toBe('Attempt k:one is no longer in state ACCEPTED for this process');
  });
});

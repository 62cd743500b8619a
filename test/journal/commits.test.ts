import { beforeEach, describe, expect, it } from 'vitest';
import { PostgresJournal } from '../../server/journal/postgres-journal.ts';
import { attempt, empty, event, inState, NOW, ownDatabase, START } from './parts.ts';

const database = ownDatabase();
beforeEach(async () => await empty(database()));

const journalOf = (term: number | null = null) => new PostgresJournal(database().db, 'practice', database().orders, () => term);

describe('who reads events as they come', () => {
  it('is told of every commit that holds some, and of no read', async () => {
    let told = 0;
    const { commits } = database().db;
    const tell = commits.tell.bind(commits);
    commits.tell = () => {
      told += 1;
      tell();
    };
    const since = async (work: Promise<unknown>) => {
      const before = told;
      await work;
      return told - before;
    };
    const journal = journalOf();
    const one = attempt();
    expect(await since(journal.begin(one, event, START))).toBe(1);
    expect(await since(journal.begin(one, event, START))).toBe(0);
    expect(await since(journal.find(one.key, NOW))).toBe(0);
    expect(await since(journal.note({ kind: 'order.test' }))).toBe(1);
    expect(await since(journal.withdraw(one, event))).toBe(1);
    const placed = await inState(journal, 'ACCEPTED', { key: 'k:two', tag: 'two' });
    const done = journal.move(placed, 'DONE', { response: '{}' }, event, NOW);
    expect(await since(done)).toBe(1);
    expect(await since(journal.end([await done], NOW, event))).toBe(1);
    commits.tell = tell;
  });
});

describe('a process that leads by a lease', () => {
  const led = (epoch: number) => database().db.$client`
    insert into gateway_lease (epoch, hold, holder, session) values (${epoch}, 'lease', 'here', 'one') on conflict (id) do update set epoch = ${epoch}`;
  it('begins while it is its own, and writes nothing once another has led', async () => {
    await led(3);
    expect(await journalOf(3).begin(attempt(), event, START)).toBeNull();
    await led(4);
    const second = attempt({ key: 'k:two', tag: 'two' });
    await expect(journalOf(3).begin(second, event, START)).rejects.toThrow('Another gateway leads this database');
    expect(await journalOf(4).find('k:two', NOW)).toBeNull();
    expect(await database().db.$client`select key from tsm_events`).toEqual([{ key: 'k:one' }]);
    expect(await journalOf(4).begin(second, event, START)).toBeNull();
  });
});

it('an answer that is final as it is written keeps the moment of its end', async () => {
  const refused = attempt({ state: 'NOT_SENT', response: '{}', resolvedAt: NOW, expiresAt: NOW + 1000 });
  await journalOf().begin(refused, event, START);
  expect(await journalOf().find(refused.key, NOW)).toMatchObject({ resolvedAt: NOW, expiresAt: NOW + 1000 });
});

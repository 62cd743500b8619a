import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../server/auth/users.ts';
import { standingClock, userTable } from './user-table.ts';

test('a token is opaque, its own, and kept as SHA-256 only', async () => {
  const { users, sql } = await userTable();
  const tokens = [await users.add('alice'), await users.add('bob')];
  for (const token of tokens) expect(token).toMatch(/^bgw_[A-Za-z0-9_-]{43}$/);
  expect(new Set(tokens).size).toBe(2);
  const rows = await sql<{ text: string; token_hash: string }[]>`select users::text as text, token_hash from users order by name`;
  expect(rows.map((row) => row.token_hash)).toEqual(tokens.map((token) => createHash('sha256').update(token).digest('hex')));
  for (const row of rows) for (const token of tokens) expect(row.text).not.toContain(token.slice(4));
});

test('a token names its user; anything else names nobody', async () => {
  const { users } = await userTable();
  const token = await users.add('alice');
  expect(await users.authenticate(token)).toBe('alice');
  for (const wrong of ['', 'bgw_', `${token} `, token.toUpperCase(), token.slice(0, -1), '\u0000', 'é'.repeat(40)])
    expect(await users.authenticate(wrong)).toBeNull();
});

test('a user is added once; a revoked one gets a new token', async () => {
  const { users } = await userTable();
  const first = await users.add('alice');
  await expect(users.add('alice')).rejects.toThrow(UserError);
  expect(await users.authenticate(first)).toBe('alice');
  expect(await users.revoke('alice')).toBe(true);
  expect(await users.authenticate(first)).toBeNull();
  expect(await users.revoke('alice')).toBe(false);
  expect(await users.revoke('nobody')).toBe(false);
  const second = await users.add('alice');
  expect(await users.authenticate(first)).toBeNull();
  expect(await users.authenticate(second)).toBe('alice');
});

test('a name has 1 to 64 plain characters', async () => {
  const { users } = await userTable();
  for (const name of ['', 'Alice', 'a b', '-a', 'a'.repeat(65), 'a\n', "a';--"]) await expect(users.add(name)).rejects.toThrow(UserError);
  for (const name of ['a', 'a'.repeat(64), '0.strategy_one-b']) expect(await users.authenticate(await users.add(name))).toBe(name);
});

test('list tells names and times, and no hash', async () => {
  const { users } = await userTable();
  await users.add('bob');
  await users.add('alice');
  await users.revoke('bob');
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(await users.list()).toEqual([
    { name: 'alice', createdAt: time, revokedAt: null },
    { name: 'bob', createdAt: time, revokedAt: time },
  ]);
});

test('an assigned token is the only one of its user and of no other', async () => {
  const { users } = await userTable();
  await users.assign('owner', 'first-token');
  await users.assign('owner', 'second-token');
  expect(await users.authenticate('first-token')).toBeNull();
  expect(await users.authenticate('second-token')).toBe('owner');
  await expect(users.assign('alice', 'second-token')).rejects.toThrow('belongs to user "owner"');
});

describe('what another process changes', () => {
  test('a revocation is known within 3 s, until then no read is made', async () => {
    const clock = standingClock();
    const { users, elsewhere } = await userTable(clock);
    const token = await users.add('alice');
    expect(await users.authenticate(token)).toBe('alice');
    await elsewhere().revoke('alice');
    clock.pass(2_999);
    expect(await users.authenticate(token)).toBe('alice');
    clock.pass(1);
    expect(await users.authenticate(token)).toBeNull();
  });

  test('a new token is known within 0.2 s', async () => {
    const clock = standingClock();
    const { users, elsewhere } = await userTable(clock);
    expect(await users.authenticate('too early')).toBeNull();
    const token = await elsewhere().add('alice');
    clock.pass(200);
    expect(await users.authenticate(token)).toBe('alice');
  });
});

test('a flood of tokens, known and wrong, costs one read at a time', async () => {
  const clock = standingClock();
  const { users, statements } = await userTable(clock);
  const token = await users.add('alice');
  const before = statements();
  for (const reads of [1, 1, 2]) {
    const calls = Array.from({ length: 1000 }, (_, number) => users.authenticate(number % 2 ? token : `wrong ${number}`));
    expect((await Promise.all(calls)).filter((name) => name === 'alice')).toHaveLength(500);
    expect(statements() - before).toBe(reads);
    clock.pass(150);
  }
});

test('a wrong token is nobody while users are added one after another', async () => {
  const { users } = await userTable(standingClock());
  const answers: Promise<string | null>[] = [];
  const asking = setInterval(() => answers.push(users.authenticate('wrong')), 1);
  for (let number = 0; number < 100; number++) await users.add(`user-${number}`);
  clearInterval(asking);
  expect(answers.length).toBeGreaterThan(20);
  expect(new Set(await Promise.all(answers))).toEqual(new Set([null]));
});

describe('while the database is away', () => {
  test('a token that was valid stays valid and is checked again when it is back', async () => {
    const clock = standingClock();
    const { users, sql } = await userTable(clock);
    const token = await users.add('alice');
    expect(await users.authenticate(token)).toBe('alice');
    await sql`alter table users rename to users_away`;
    for (let minute = 0; minute < 60; minute++) {
      clock.pass(60_000);
      expect(await users.authenticate(token)).toBe('alice');
      expect(await users.authenticate('wrong')).toBeNull();
    }
    await sql`update users_away set revoked_at = now()`;
    await sql`alter table users_away rename to users`;
    clock.pass(1_000);
    expect(await users.authenticate(token)).toBeNull();
  });

  test('a table that does not answer holds a request for 1 s at most', async () => {
    const clock = standingClock();
    const { users, sql } = await userTable(clock);
    const token = await users.add('alice');
    expect(await users.authenticate(token)).toBe('alice');
    clock.pass(60_000);
    await sql.begin(async (transaction) => {
      await transaction`lock table users in access exclusive mode`;
      const start = performance.now();
      expect(await Promise.all([users.authenticate(token), users.authenticate(token)])).toEqual(['alice', 'alice']);
      expect(performance.now() - start).toBeLessThan(2_000);
    });
  });

  test('a gateway that could never read the table says so instead of calling a token wrong', async () => {
    const { users, sql } = await userTable();
    await sql`alter table users rename to users_away`;
    await expect(users.authenticate('any')).rejects.toThrow();
    await sql`alter table users_away rename to users`;
    expect(await users.authenticate('any')).toBeNull();
  });
});

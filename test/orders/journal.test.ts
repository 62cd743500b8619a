import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresJournal } from '../../server/db/journal.ts';
import { type Database, openDatabase } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { type Attempt, type AttemptState, type Journal, SupersededError } from '../../server/orders/attempt.ts';
import { MemoryJournal } from '../../server/orders/memory-journal.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { attempt, START } from './parts.ts';

const NOW = START + 1000;
const DAY_MS = 86_400_000;
const event = { kind: 'order.test' };
const where = { broker: 'zerodha', account: 'AB1234', exchange: 'NSE', symbol: 'SBIN' };
const OPEN: AttemptState[] = ['SENDING', 'ACCEPTED', 'AMBIGUOUS'];
const FINAL: AttemptState[] = ['DONE', 'NOT_SENT', 'UNRESOLVED'];

/** What both journals must do alike: the simulation's findings hold for PostgreSQL because of these. */
function promises(open: () => Journal): void {
  let made = 0;
  function fresh(change: Partial<Attempt> = {}): Attempt {
    made += 1;
    return attempt({ key: `k:${made}`, tag: `t${made}`, symbol: `S${made}`, ...change });
  }
  /** The standing record; null when the claim won. */
  async function claim(one: Attempt, now: number): Promise<Attempt | null> {
    return (await open().claim(one, now)).standing;
  }
  async function claimed(change: Partial<Attempt> = {}): Promise<Attempt> {
    const one = fresh(change);
    expect(await claim(one, NOW)).toBeNull();
    return one;
  }
  /** An attempt brought to a state the usual way. */
  async function inState(state: AttemptState, change: Partial<Attempt> = {}, expiresAt?: number): Promise<Attempt> {
    const one = await claimed(change);
    if (state === 'CLAIMED') return one;
    if (state === 'NOT_SENT') return await open().move(one, 'NOT_SENT', { response: '{}', ...(expiresAt && { expiresAt }) }, event, NOW);
    const sending = await open().move(one, 'SENDING', { netBefore: -5 }, event, NOW);
    if (state === 'SENDING') return sending;
    const orderId = state === 'AMBIGUOUS' || state === 'UNRESOLVED' ? '' : `o-${one.key}`;
    const middle = await open().move(sending, orderId ? 'ACCEPTED' : 'AMBIGUOUS', { orderId }, event, NOW);
    return OPEN.includes(state)
      ? middle
      : await open().move(middle, state, { response: '{"a":1}', ...(expiresAt && { expiresAt }) }, event, NOW);
  }
  /** The standing record; its price as the attempt spells it when it is the same number. */
  async function find(one: Attempt, now = NOW): Promise<Attempt | null> {
    const found = await open().find(one.key, now);
    return found && { ...found, price: Number(found.price) === Number(one.price) ? one.price : found.price };
  }

  it('one of many claims at once wins, the others get the standing record', async () => {
    const one = fresh();
    const claims = Array.from({ length: 20 }, (_, index) => claim({ ...one, tag: `c${index}` }, NOW));
    const answers = await Promise.all(claims);
    const winner = answers.indexOf(null);
    expect(answers.filter((answer) => answer === null)).toHaveLength(1);
    for (const answer of answers.filter((other) => other !== null))
      expect(answer).toMatchObject({ key: one.key, tag: `c${winner}`, state: 'CLAIMED' });
    expect(await find(one)).toEqual({ ...one, tag: `c${winner}` });
  });

  it.each(['CLAIMED', ...OPEN, ...FINAL] as const)('a record in %s stands against a claim', async (state) => {
    const one = await inState(state);
    const standing = await claim({ ...one, tag: 'other', state: 'CLAIMED' }, NOW + 365 * DAY_MS);
    expect(standing).toMatchObject({ state, tag: one.tag });
  });

  it.each(['DONE', 'NOT_SENT'] as const)(
    'an expired %s record is replaced whole by a claim, at its very millisecond and not before',
    async (state) => {
      const one = await inState(state, {}, NOW + 60_000);
      expect(await find(one, NOW + 59_999)).toMatchObject({ state });
      expect(await claim({ ...one, state: 'CLAIMED', tag: 'new' }, NOW + 59_999)).toMatchObject({ state, tag: one.tag });
      expect(await find(one, NOW + 60_000)).toBeNull();
      const again = fresh({ key: one.key, symbol: 'OTHER', startedAt: NOW + 60_000, updatedAt: NOW + 60_000 });
      expect(await claim(again, NOW + 60_000)).toBeNull();
      expect(await find(again, NOW + 60_000)).toEqual(again);
    },
  );

  it('an expired record is won by one of many claims at once', async () => {
    const one = await inState('DONE', {}, NOW + 10);
    const claims = Array.from({ length: 10 }, (_, index) => claim({ ...one, state: 'CLAIMED', tag: `r${index}` }, NOW + 10));
    expect((await Promise.all(claims)).filter((answer) => answer === null)).toHaveLength(1);
  });

  it('a move changes what it names and leaves the rest', async () => {
    const sending = await inState('SENDING', { price: '812.35' });
    const offset = await open().move(sending, 'AMBIGUOUS', { clockOffsetMs: -250, brokerAnswer: '{"message":"é\\u0000"}' }, event, NOW + 5);
    expect(offset).toMatchObject({ state: 'AMBIGUOUS', clockOffsetMs: -250, netBefore: -5, updatedAt: NOW + 5 });
    const change = {
      orderId: `x${made}`,
      response: '{"b": 1, "a": 2}',
      fillStatus: 'FILLED',
      filledQuantity: 7,
      resolvedAt: NOW + 9,
      expiresAt: NOW + DAY_MS,
    } as const;
    const done = await open().move(offset, 'DONE', change, event, NOW + 9);
    expect(await find(done)).toEqual(done);
  });

  it('a step made from an older view of the same state takes back nothing that another wrote', async () => {
    const older = await inState('AMBIGUOUS');
    const found = {
      orderId: `y${made}`,
      brokerAnswer: '{"message":"late"}',
      clockOffsetMs: 40,
      netBefore: 3,
      response: '{"c":3}',
      fillStatus: 'PENDING',
      filledQuantity: 2,
      resolvedAt: NOW + 1,
      expiresAt: NOW + DAY_MS,
    } as const;
    await open().move(older, 'AMBIGUOUS', found, event, NOW + 1);
    await open().move(older, 'AMBIGUOUS', {}, event, NOW + 2);
    expect(await find(older)).toMatchObject({ ...found, updatedAt: NOW + 2 });
    await open().move(older, 'DONE', { fillStatus: 'FILLED', filledQuantity: 0 }, event, NOW + 3);
    expect(await find(older)).toMatchObject({ ...found, state: 'DONE', fillStatus: 'FILLED', filledQuantity: 0 });
  });

  it.each([
    ['state', { state: 'SENDING' }],
    ['owner', { owner: 'process-2' }],
    ['epoch', { epoch: 2 }],
    ['key', { key: 'k:none' }],
  ] as const)('a move from another %s changes nothing', async (_, wrong) => {
    const one = await inState('CLAIMED');
    await expect(open().move({ ...one, ...wrong }, 'ACCEPTED', { orderId: 'zz' }, event, NOW)).rejects.toThrow(SupersededError);
    expect(await find(one)).toEqual(one);
  });

  it('one of many moves at once wins, the others are superseded', async () => {
    const one = await inState('CLAIMED');
    const moves = Array.from({ length: 10 }, () =>
      open()
        .move(one, 'SENDING', {}, event, NOW)
        .catch((error: unknown) => error),
    );
    const answers = await Promise.all(moves);
    expect(answers.filter((answer) => answer instanceof SupersededError)).toHaveLength(9);
  });

  it.each([
    ['a new order', { status: 'PLACED', filledQuantity: 0, averagePrice: null }],
    ['a fill', { status: 'FILLED', filledQuantity: 10, averagePrice: 100 }],
  ] as const)('a superseded move leaves no trace of %s', async (_, truth) => {
    const one = await inState('SENDING');
    await expect(open().move({ ...one, epoch: 9 }, 'ACCEPTED', {}, event, NOW, { ...truth, orderId: 'ghost' })).rejects.toThrow(
      SupersededError,
    );
    expect(await open().recordedNet({ ...where, symbol: one.symbol })).toBe(0);
    expect(await open().owners(one.broker, one.account, ['ghost'])).toEqual(new Map());
    expect(await find(one)).toMatchObject({ state: 'SENDING' });
  });

  it('a record that is taken over obeys its new owner alone', async () => {
    const one = await inState('ACCEPTED');
    const taken = await open().takeOver(one, 'process-2');
    expect(taken).toEqual({ ...one, owner: 'process-2', epoch: 2 });
    await expect(open().move(one, 'DONE', {}, event, NOW)).rejects.toThrow(SupersededError);
    await expect(open().takeOver(one, 'process-3')).rejects.toThrow(SupersededError);
    expect(await open().move(taken, 'DONE', { response: '{}' }, event, NOW)).toMatchObject({ state: 'DONE', owner: 'process-2', epoch: 2 });
  });

  it('open attempts are those sent and not final, oldest first; a claim tells the others of its symbol', async () => {
    const mine = { ...where, symbol: `open-${made}` };
    const all: Attempt[] = [];
    for (const [index, state] of (['CLAIMED', ...OPEN, ...FINAL] as const).entries())
      all.push(await inState(state, { symbol: mine.symbol, startedAt: START - index * 1000 }));
    await inState('SENDING', { symbol: mine.symbol, account: 'ZZ' });
    await inState('SENDING', { symbol: mine.symbol, exchange: 'BSE' });
    const expected = all.filter((one) => OPEN.includes(one.state)).map((one) => one.key);
    const exposure = await open().exposure(mine);
    expect(exposure.map((one) => one.key)).toEqual(expected.toReversed());
    expect((await open().open()).filter((one) => one.symbol === mine.symbol)).toHaveLength(expected.length + 2);
    const newer = await open().claim(fresh({ symbol: mine.symbol }), NOW);
    expect(newer).toEqual({ standing: null, open: exposure });
    for (const one of all.filter(({ state }) => OPEN.includes(state)))
      expect(await open().claim(one, NOW)).toEqual({
        standing: await open().find(one.key, NOW),
        open: exposure.filter(({ key }) => key !== one.key),
      });
    expect(await open().claim(fresh({ symbol: `${mine.symbol}-other` }), NOW)).toEqual({ standing: null, open: [] });
  });

  it('a release takes back a claim or an unsent send of this very attempt, and nothing else', async () => {
    for (const state of ['CLAIMED', 'SENDING'] as const) {
      const one = await inState(state);
      for (const other of [{ owner: 'process-2' }, { epoch: 2 }, { startedAt: START + 1 }])
        await open().release({ ...one, ...other }, event);
      expect(await find(one)).toMatchObject({ state });
      await open().release(one, event);
      expect(await find(one)).toBeNull();
    }
    for (const state of ['ACCEPTED', 'AMBIGUOUS', ...FINAL] as const) {
      const one = await inState(state);
      await open().release(one, event);
      expect(await find(one)).toMatchObject({ state });
    }
  });

  it('expiry deletes final records that are over, and never one whose truth is not known', async () => {
    const kept = await Promise.all([
      ...(['CLAIMED', ...OPEN, 'UNRESOLVED'] as const).map((state) => inState(state, {}, NOW - 1)),
      inState('DONE', {}, NOW + 1),
      inState('NOT_SENT'),
    ]);
    const gone = [await inState('DONE', {}, NOW), await inState('NOT_SENT', {}, NOW - DAY_MS)];
    // UNRESOLVED with an expiry must stay as well: a person has to look at it.
    expect(await open().expire(NOW)).toBeGreaterThanOrEqual(gone.length);
    for (const one of gone) expect(await claim({ ...one, state: 'CLAIMED' }, 0)).toBeNull();
    for (const one of kept) expect(await claim({ ...one, state: 'CLAIMED' }, 0)).toMatchObject({ state: one.state });
  });

  it('dropping claims leaves everything that may have been sent', async () => {
    const [claim, sending] = [await inState('CLAIMED'), await inState('SENDING')];
    expect(await open().dropClaims()).toBeGreaterThanOrEqual(1);
    expect(await find(claim)).toBeNull();
    expect(await find(sending)).toMatchObject({ state: 'SENDING' });
  });

  it('one order id belongs to one attempt of an account and day', async () => {
    const [one, two] = [await inState('SENDING'), await inState('SENDING')];
    const orderId = `twice-${made}`;
    await open().move(one, 'ACCEPTED', { orderId }, event, NOW);
    await expect(open().move(two, 'ACCEPTED', { orderId }, event, NOW)).rejects.not.toThrow(SupersededError);
    expect(await find(two)).toMatchObject({ state: 'SENDING', orderId: '' });
    for (const apart of [{ account: 'ZZ' }, { tradingDay: '2026-11-21' }]) {
      const other = await inState('SENDING', apart);
      expect(await open().move(other, 'ACCEPTED', { orderId }, event, NOW)).toMatchObject({ orderId });
    }
  });

  it('knows whose an order is, also when the attempt that placed it is gone', async () => {
    const one = await inState('SENDING');
    const truth = { orderId: `mine-${made}`, status: 'PLACED' as const, filledQuantity: 0, averagePrice: null };
    const accepted = await open().move(one, 'ACCEPTED', { orderId: truth.orderId }, event, NOW, truth);
    const owners = (account = one.account) => open().owners(one.broker, account, ['stranger', truth.orderId]);
    expect(await owners()).toEqual(new Map([[truth.orderId, one.key]]));
    expect(await owners('ZZ')).toEqual(new Map());
    expect(await open().owners(one.broker, one.account, [])).toEqual(new Map());
    await open().move(accepted, 'DONE', { expiresAt: NOW }, event, NOW);
    await open().expire(NOW);
    expect(await owners()).toEqual(new Map([[truth.orderId, '']]));
  });

  it('adds up what our own orders hold', async () => {
    const symbol = `net-${made}`;
    const fill = async (side: string, steps: number[]) => {
      let one = await inState('SENDING', { symbol, side, quantity: 100 });
      for (const filledQuantity of steps) {
        const truth = { orderId: `n${one.key}`, status: 'PARTIALLY_FILLED' as const, filledQuantity, averagePrice: 100 };
        one = await open().move(one, 'ACCEPTED', { orderId: truth.orderId }, event, NOW, truth);
      }
    };
    const net = (account = where.account) => open().recordedNet({ ...where, symbol, account });
    await fill('BUY', [0, 30, 70]);
    expect(await net()).toBe(70);
    await fill('SELL', [100]);
    expect(await net()).toBe(-30);
    expect(await net('ZZ')).toBe(0);
  });

  it('remembers what filled lately', async () => {
    const at = START + 3_600_000;
    const filled = await inState('ACCEPTED');
    await open().move(filled, 'DONE', { filledQuantity: 3 }, event, at);
    await open().move(await inState('ACCEPTED'), 'DONE', { filledQuantity: 0 }, event, at);
    const since = async (from: number) => (await open().changedSince(from)).map((one) => one.key);
    expect(await since(at)).toEqual([filled.key]);
    expect(await since(at + 1)).toEqual([]);
  });

  it('tells what was given up since an instant, and nothing else', async () => {
    const startedAt = START + 2 * 3_600_000;
    const givenUp = await inState('UNRESOLVED', { startedAt });
    for (const state of [...OPEN, 'DONE', 'NOT_SENT'] as const) await inState(state, { startedAt });
    const since = async (from: number) => (await open().unresolved(from)).map((one) => one.key);
    expect(await since(startedAt)).toEqual([givenUp.key]);
    expect(await since(startedAt + 1)).toEqual([]);
  });

  it('takes notes with anything in them', async () => {
    await open().note({ kind: 'test', key: 'k', detail: { text: 'a\0b', nested: { list: [1, null] } } });
  });
}

describe('the journal in memory', () => {
  const journal = new MemoryJournal();
  promises(() => journal);
});

describe('the journal in PostgreSQL', () => {
  let test: TestDatabase;
  let database: Database;
  let journal: Journal;
  beforeAll(async () => {
    test = await createTestDatabase();
    database = await openDatabase({ mode: 'practice', dataDir: 'unused', databaseUrl: test.url, log: silentLog() });
    journal = new PostgresJournal(database.sql, 'practice');
  });
  afterAll(async () => {
    await database.close();
    await test.drop();
  });
  promises(() => journal);

  it('rejects when the store cannot be reached', async () => {
    const away = new PostgresJournal(postgres('postgres://nobody@127.0.0.1:1/none', { connect_timeout: 1 }), 'practice');
    await expect(away.find('k', NOW)).rejects.toThrow();
    await expect(away.claim(attempt(), NOW)).rejects.toThrow();
  });
});

import { expect, it } from 'vitest';
import { type Attempt, type AttemptState, SupersededError } from '../../server/journal/attempt.ts';
import { UNRESOLVED_KEPT_MS } from '../../server/journal/end.ts';
import { attempt, DAY_MS, event, FINAL, inState, keysOf, NOW, OPEN, onBoth, START } from './parts.ts';

const ALL = [...OPEN, ...FINAL] as const;

onBoth((bench) => {
  const journal = () => bench().journal;
  let made = 0;
  /** A key and a tag of its own. */
  function fresh(change: Partial<Attempt> = {}): Partial<Attempt> {
    made += 1;
    return { key: `k:${made}`, tag: `t${made}`, ...change };
  }
  const brought = (state: AttemptState, change: Partial<Attempt> = {}) => inState(journal(), state, fresh(change));
  const find = (one: Attempt, now = NOW) => journal().find(one.key, now);

  it('an attempt begins whole as SENDING, or as NOT_SENT with its answer, each with its event', async () => {
    const sending = attempt(fresh({ price: '812.3500', clockOffsetMs: -250, token: null }));
    const refused = attempt(fresh({ state: 'NOT_SENT', response: '{"b": 1,"a":"é"}', netBefore: null, expiresAt: NOW + 60_000 }));
    expect(await journal().begin(sending, { kind: 'order.sending', detail: { text: 'a\0b' } }, NOW)).toBeNull();
    expect(await journal().begin(refused, { kind: 'order.refused' }, NOW)).toBeNull();
    expect(await find(sending)).toEqual(sending);
    expect(await find(refused)).toEqual(refused);
    expect(await bench().events()).toEqual([
      { kind: 'order.sending', key: sending.key },
      { kind: 'order.refused', key: refused.key },
    ]);
  });

  it('one of many that begin at once under a key stands, the others get its record and leave no event', async () => {
    const one = attempt(fresh());
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => journal().begin({ ...one, tag: `c${n}` }, event, NOW)));
    const winner = answers.indexOf(null);
    expect(answers.filter((answer) => answer === null)).toHaveLength(1);
    for (const answer of answers) if (answer) expect(answer).toEqual({ ...one, tag: `c${winner}` });
    expect(await bench().events()).toHaveLength(1);
  });

  it.each(ALL)('a living record in %s stands against another', async (state) => {
    const one = await brought(state);
    expect(await journal().begin({ ...one, state: 'SENDING', tag: 'other' }, event, NOW + 365 * DAY_MS)).toEqual(await find(one));
    expect(await find(one)).toMatchObject({ state, tag: one.tag });
  });

  it.each(FINAL)('an expired record in %s is replaced whole, at its very millisecond and not before', async (state) => {
    const one = await brought(state, { expiresAt: NOW + 60_000, clockOffsetMs: 5 });
    expect(await find(one, NOW + 59_999)).toMatchObject({ state });
    const again = attempt({ key: one.key, tag: 'new', symbol: 'OTHER', token: null, startedAt: NOW + 60_000, updatedAt: NOW + 60_000 });
    expect(await journal().begin(again, event, NOW + 59_999)).toMatchObject({ state, tag: one.tag });
    expect(await find(one, NOW + 60_000)).toBeNull();
    expect(await journal().begin(again, event, NOW + 60_000)).toBeNull();
    expect(await find(again, NOW + 60_000)).toEqual(again);
  });

  it('an expired record is replaced by one of many at once', async () => {
    const one = await brought('DONE', { expiresAt: NOW + 10 });
    const begins = Array.from({ length: 10 }, (_, n) => journal().begin(attempt({ key: one.key, tag: `r${n}` }), event, NOW + 10));
    expect((await Promise.all(begins)).filter((answer) => answer === null)).toHaveLength(1);
  });

  it.each(OPEN)('an instant of expiry means nothing in %s', async (state) => {
    const one = await brought('SENDING');
    const late = await journal().move(one, state, { expiresAt: NOW }, event, NOW);
    expect(await find(late, NOW + DAY_MS)).toEqual(late);
    expect(await journal().begin(attempt({ key: one.key, tag: 'other' }), event, NOW + DAY_MS)).toEqual(late);
    expect(await journal().expire(NOW + DAY_MS)).toBe(0);
    expect(await journal().livingKeys(NOW + DAY_MS, 10)).toEqual([one.key]);
  });

  it('a move changes what it names and leaves the rest', async () => {
    const one = await brought('SENDING', { price: '812.3500' });
    const answer = { clockOffsetMs: -250, brokerAnswer: '{"message":"é\\u0000"}' };
    const doubt = await journal().move(one, 'AMBIGUOUS', answer, event, NOW + 5);
    expect(doubt).toEqual({ ...one, ...answer, state: 'AMBIGUOUS', updatedAt: NOW + 5 });
    const truth = { orderId: 'x', response: '{"b": 1, "a": 2}', fillStatus: 'FILLED', filledQuantity: 7 } as const;
    const done = await journal().move(doubt, 'DONE', { ...truth, resolvedAt: NOW + 9, expiresAt: NOW + DAY_MS }, event, NOW + 9);
    expect(await find(done)).toEqual(done);
  });

  it('a step made from an older view of the same state takes back nothing that another wrote', async () => {
    const older = await brought('AMBIGUOUS');
    const found = {
      orderId: 'y',
      brokerAnswer: '{}',
      clockOffsetMs: 40,
      netBefore: 3,
      response: '{"c":3}',
      fillStatus: 'PENDING',
    } as const;
    const more = { filledQuantity: 2, resolvedAt: NOW + 1, expiresAt: NOW + DAY_MS };
    await journal().move(older, 'AMBIGUOUS', { ...found, ...more }, event, NOW + 1);
    await journal().move(older, 'AMBIGUOUS', {}, event, NOW + 2);
    expect(await find(older)).toEqual({ ...older, ...found, ...more, updatedAt: NOW + 2 });
    await journal().move(older, 'DONE', { filledQuantity: 0 }, event, NOW + 3);
    expect(await find(older)).toMatchObject({ ...found, filledQuantity: 0 });
  });

  it.each([
    ['key', { key: 'k:none' }],
    ['tag', { tag: 'other' }],
    ['state', { state: 'ACCEPTED' }],
    ['owner', { owner: 'process-2' }],
    ['epoch', { epoch: 2 }],
  ] as const)('a step from another %s changes nothing: neither a move nor a withdrawal', async (name, wrong) => {
    const one = await brought('SENDING');
    const before = await bench().events();
    await expect(journal().move({ ...one, ...wrong }, 'DONE', { orderId: 'zz' }, event, NOW)).rejects.toThrow(SupersededError);
    if (name !== 'state') await journal().withdraw({ ...one, ...wrong }, event);
    expect(await find(one)).toEqual(one);
    expect(await bench().events()).toEqual(before);
  });

  it('one of many moves at once wins, the others are superseded', async () => {
    const one = await brought('SENDING');
    const step = () => journal().move(one, 'ACCEPTED', {}, event, NOW);
    const answers = await Promise.allSettled(Array.from({ length: 10 }, step));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(SupersededError);
  });

  it('a record that is taken over obeys its new owner alone', async () => {
    const one = await brought('ACCEPTED');
    const taken = await journal().takeOver(one, 'process-2');
    expect(taken).toEqual({ ...one, owner: 'process-2', epoch: 2 });
    await expect(journal().move(one, 'DONE', {}, event, NOW)).rejects.toThrow(SupersededError);
    await expect(journal().takeOver(one, 'process-3')).rejects.toThrow(SupersededError);
    await expect(journal().takeOver({ ...taken, tag: 'other' }, 'process-3')).rejects.toThrow(SupersededError);
    expect(await journal().move(taken, 'DONE', { response: '{}' }, event, NOW)).toMatchObject({
      state: 'DONE',
      owner: 'process-2',
      epoch: 2,
    });
  });

  it('a withdrawal takes back a send that never left, with one event however often it is asked', async () => {
    const one = await brought('SENDING');
    for (let times = 0; times < 3; times += 1) await journal().withdraw(one, { kind: 'order.withdrawn' });
    expect(await find(one)).toBeNull();
    expect((await bench().events()).filter(({ kind }) => kind === 'order.withdrawn')).toEqual([{ kind: 'order.withdrawn', key: one.key }]);
    const again = attempt({ key: one.key, tag: 'again' });
    expect(await journal().begin(again, event, NOW)).toBeNull();
    await journal().withdraw(one, event);
    expect(await find(again)).toEqual(again);
  });

  it.each(['ACCEPTED', 'AMBIGUOUS', ...FINAL] as const)('nothing in %s is ever withdrawn', async (state) => {
    const one = await brought(state);
    await journal().withdraw(one, event);
    await journal().withdraw({ ...one, state: 'SENDING' }, event);
    expect(await find(one)).toEqual(one);
  });

  it('tells what is open and what was given up since an instant, oldest first', async () => {
    const all: Attempt[] = [];
    for (const [index, state] of ALL.entries()) all.push(await brought(state, { startedAt: START - index * 1000 }));
    const open = all.slice(0, OPEN.length).toReversed();
    expect(await journal().open()).toEqual(open);
    const givenUp = all.at(-1)?.startedAt ?? 0;
    expect(keysOf(await journal().unresolved(givenUp))).toEqual([all.at(-1)?.key]);
    expect(await journal().unresolved(givenUp + 1)).toEqual([]);
  });

  it('expiry deletes what is final and over, and nothing else', async () => {
    for (const state of ALL) {
      await brought(state, { expiresAt: NOW });
      await brought(state, { expiresAt: NOW + 1 });
      await brought(state);
    }
    const living = await journal().livingKeys(NOW, 100);
    expect(living).toHaveLength(3 * ALL.length - FINAL.length);
    expect(await journal().expire(NOW)).toBe(FINAL.length - 1);
    expect(await journal().expire(NOW)).toBe(0);
    expect(await journal().unresolved(0), 'for a person to settle').toHaveLength(3);
    expect(await journal().expire(NOW + UNRESOLVED_KEPT_MS - 1)).toBe(2);
    expect(await journal().unresolved(0)).toHaveLength(3);
    expect(await journal().expire(NOW + UNRESOLVED_KEPT_MS)).toBe(1);
  });

  it('tells the living keys while there are not more than asked for', async () => {
    expect(await journal().livingKeys(NOW, 0)).toEqual([]);
    await brought('SENDING');
    await brought('DONE', { expiresAt: NOW + 1 });
    expect(await journal().livingKeys(NOW, 2)).toHaveLength(2);
    expect(await journal().livingKeys(NOW, 1)).toBeNull();
    expect(await journal().livingKeys(NOW + 1, 1)).toHaveLength(1);
  });

  it('tells the living refusals of the position guard by their answer', async () => {
    const response = '{"success":false,"status":"BLOCKED","message":"status BLOCKED"}';
    const blocked = await brought('NOT_SENT', { response, expiresAt: NOW + 1 });
    await brought('NOT_SENT', { response: '{"success":false,"message":"\\"status\\":\\"BLOCKED\\""}' });
    await brought('NOT_SENT', { response: 'no JSON' });
    await brought('NOT_SENT', { response: '["BLOCKED"]' });
    await brought('DONE', { response });
    expect(await journal().blocked(NOW)).toEqual([blocked]);
    expect(await journal().blocked(NOW + 1)).toEqual([]);
  });

  it('ends stored answers by key and tag, each once and with its event', async () => {
    const ended = [await brought('DONE', { expiresAt: NOW + DAY_MS }), await brought('NOT_SENT')];
    const over = await brought('DONE', { expiresAt: NOW - 1 });
    const kept = await Promise.all([...OPEN, 'UNRESOLVED' as const].map((state) => brought(state)));
    const stranger = await brought('DONE');
    const names = [...ended, ...ended, over, ...kept, { ...stranger, tag: 'other' }, attempt({ key: 'k:none' })];
    const before = (await bench().events()).length;
    await journal().end(names, NOW, { kind: 'order.ended' });
    await journal().end([], NOW, { kind: 'order.ended' });
    expect((await bench().events()).slice(before).map(({ key }) => key)).toEqual(expect.arrayContaining(keysOf(ended)));
    expect(await bench().events()).toHaveLength(before + ended.length);
    for (const one of ended) {
      expect(await find(one)).toBeNull();
      expect(await find(one, NOW - 1)).toEqual({ ...one, expiresAt: NOW });
      expect(await journal().begin(attempt({ key: one.key, tag: `again-${one.tag}` }), event, NOW)).toBeNull();
    }
    for (const one of [...kept, stranger]) expect(await find(one)).toEqual(one);
    expect(await find(over, NOW - 2)).toEqual(over);
  });

  it('an answer that was replaced is not ended under its old name', async () => {
    const one = await brought('DONE', { expiresAt: NOW });
    const next = attempt({ key: one.key, tag: 'next' });
    expect(await journal().begin(next, event, NOW)).toBeNull();
    const done = await journal().move(next, 'DONE', { response: '{}' }, event, NOW);
    await journal().end([one], NOW + 1, event);
    expect(await find(done, NOW + 1)).toEqual(done);
  });

  it('one order id belongs to one attempt of an account and day', async () => {
    const [one, two] = [await brought('SENDING'), await brought('SENDING')];
    await journal().move(one, 'ACCEPTED', { orderId: 'twice' }, event, NOW);
    await expect(journal().move(two, 'ACCEPTED', { orderId: 'twice' }, event, NOW)).rejects.not.toThrow(SupersededError);
    expect(await find(two)).toEqual(two);
    for (const apart of [{ account: 'ZZ' }, { tradingDay: '2026-11-21' }, { broker: 'dhan' }]) {
      const other = await brought('SENDING', apart);
      expect(await journal().move(other, 'ACCEPTED', { orderId: 'twice' }, event, NOW)).toMatchObject({ orderId: 'twice' });
    }
  });

  it.each([DAY_MS, -DAY_MS, 12.345, -0.4, 86_399_999.9])('a clock offset of %s ms is taken, in whole ms', async (clockOffsetMs) => {
    const one = await brought('SENDING');
    const moved = await journal().move(one, 'AMBIGUOUS', { clockOffsetMs }, event, NOW);
    expect(Math.abs((moved.clockOffsetMs ?? 0) - clockOffsetMs)).toBeLessThanOrEqual(0.5);
    expect(await find(moved)).toEqual(moved);
    const begun = attempt(fresh({ clockOffsetMs }));
    await journal().begin(begun, event, NOW);
    expect(await find(begun)).toEqual({ ...begun, clockOffsetMs: moved.clockOffsetMs });
  });

  it('takes notes with anything in them', async () => {
    await journal().note({ kind: 'test', key: 'k', detail: { text: 'a\0b', nested: { list: [1, null, '\\u0000 \ud800'] } } });
    expect(await bench().events()).toEqual([{ kind: 'test', key: 'k' }]);
  });
});

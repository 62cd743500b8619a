import { describe, expect, it } from 'vitest';
import type { AnswerName } from '../../server/journal/journal.ts';
import { stand } from './answer-stand.ts';

/** The same, in front of a store that is away; `ends` are the tries to write an end. */
function away() {
  const stood = stand();
  const { journal } = stood;
  const end = journal.end.bind(journal);
  const ends: (readonly AnswerName[])[] = [];
  journal.end = (names) => {
    ends.push(names);
    return Promise.reject(new Error('The store is away'));
  };
  const back = () => {
    journal.end = end;
  };
  return { ...stood, ends, back };
}

describe('an end that is being written', () => {
  it('is an event with its reason', async () => {
    const { clock, journal, order, blocked, filled } = stand();
    await order('k:blocked');
    blocked('k:blocked');
    filled(await order('k:other'));
    await clock.pass(0);
    const detail = { reason: 'an order of ours filled' };
    expect(journal.events.at(-1)).toMatchObject({ kind: 'order.answer_ended', key: 'k:blocked', detail });
  });
  it('is waited for by its key, and tried again until it stands', async () => {
    const { clock, journal, endings, order, blocked, filled, waiting, back } = away();
    await order('k:blocked');
    blocked('k:blocked');
    filled(await order('k:other'));
    const wait = waiting('k:blocked');
    await endings.over('k:stranger');
    await clock.pass(3000);
    expect(wait.over).toBe(false);
    back();
    await clock.pass(500);
    expect([wait.over, await journal.find('k:blocked', clock.now())]).toEqual([true, null]);
  });
  it('is tried twice a second, each failure told, and given up when the answer has ended by itself', async () => {
    const { clock, logged, order, blocked, filled, ends } = away();
    blocked('k:blocked', 5000);
    filled(await order('k:other'));
    await clock.pass(60_000);
    expect(ends).toEqual(Array(10).fill([{ key: 'k:blocked', tag: 'tagk:blocked' }]));
    expect(logged).toHaveLength(10);
    const msg = 'The end of a stored answer could not be written; it is tried again';
    expect(logged[0]).toMatchObject({ level: 40, error: 'Error: The store is away', msg });
  });
  it('of several is tried for as long as one of them lives', async () => {
    const { clock, order, stands, blocked, filled, back } = away();
    await order('k:long');
    blocked('k:short', 2000);
    blocked('k:long', 10_000);
    filled(await order('k:other'));
    await clock.pass(6000);
    back();
    await clock.pass(500);
    expect(await stands('k:long')).toBe(false);
  });
  it('is given up when the gateway stops', async () => {
    const { clock, order, blocked, filled, ends, stop } = away();
    blocked('k:blocked');
    filled(await order('k:other'));
    await clock.pass(0);
    stop();
    await clock.pass(10_000);
    expect(ends).toHaveLength(1);
  });
  it('twice at once is waited for until both stand', async () => {
    const { clock, journal, order, blocked, filled, waiting } = stand();
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writes = [first.promise, second.promise];
    journal.end = () => writes.shift() ?? Promise.resolve();
    // A fill comes while the answer is being stored, and ends it again once it stands.
    const stored = blocked('k:blocked');
    filled(await order('k:other'));
    stored();
    const wait = waiting('k:blocked');
    first.resolve();
    await clock.pass(10);
    const late = waiting('k:blocked');
    await clock.pass(10);
    expect([wait.over, late.over]).toEqual([false, false]);
    second.resolve();
    await clock.pass(10);
    expect([wait.over, late.over]).toEqual([true, true]);
  });
});

describe('what a fill ends', () => {
  it('is nothing that has ended by itself, to the millisecond', async () => {
    const { clock, order, blocked, filled, ends } = away();
    blocked('k:over', 1000);
    blocked('k:lives', 1001);
    await clock.pass(1000);
    filled(await order('k:other'));
    await clock.pass(0);
    expect(ends).toEqual([[{ key: 'k:lives', tag: 'tagk:lives' }]]);
  });
  it('is ended once: the next fill ends nothing', async () => {
    const { clock, order, blocked, filled, ends } = away();
    blocked('k:blocked', 400);
    filled(await order('k:one'));
    filled(await order('k:two'));
    await clock.pass(1000);
    expect(ends).toHaveLength(1);
  });
  it('is the newest answer under a key alone', async () => {
    const { clock, order, blocked, filled, ends } = away();
    blocked('k:blocked', 400, 'older');
    blocked('k:blocked', 400, 'newer');
    filled(await order('k:other'));
    await clock.pass(1000);
    expect(ends).toEqual([[{ key: 'k:blocked', tag: 'newer' }]]);
  });
  it('stays where its answer stands and nothing has filled', async () => {
    const { clock, journal, order, blocked, stands } = stand();
    await order('k:blocked');
    blocked('k:blocked')();
    await clock.pass(10);
    expect(await stands('k:blocked')).toBe(true);
    expect(journal.events.map(({ kind }) => kind)).toEqual(['order.done']);
  });
});

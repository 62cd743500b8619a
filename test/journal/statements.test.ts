import { beforeEach, describe, expect, it } from 'vitest';
import { type Ask, asking } from '../../server/db/statement.ts';
import type { OrderTruth } from '../../server/journal/attempt.ts';
import { end } from '../../server/journal/end.ts';
import { PostgresJournal } from '../../server/journal/postgres-journal.ts';
import { owners } from '../../server/journal/read.ts';
import { attempt, empty, event, inState, NOW, ownDatabase, START } from './parts.ts';

const database = ownDatabase();
/** How often the store was asked. */
let asked = 0;
let journal: PostgresJournal;
beforeEach(async () => {
  await empty(database());
  const plain = asking(database().db.$client, database().db.unanswered);
  const ask: Ask = (text, parameters, watch) => {
    asked += 1;
    return plain(text, parameters, watch);
  };
  journal = new PostgresJournal(database().db, 'practice', ask);
});

async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = asked;
  await work();
  return asked - before;
}

describe('on its way from send to fill an order waits for the store', () => {
  const placed: OrderTruth = { orderId: '1001', status: 'PLACED', filledQuantity: 0, averagePrice: null };
  const filled: OrderTruth = { orderId: '1001', status: 'FILLED', filledQuantity: 10, averagePrice: 100.5 };

  it('once a step: the fill of an order that was just recorded is booked without a read before', async () => {
    const sending = attempt();
    expect(await costOf(() => journal.begin(sending, event, START))).toBe(1);
    let accepted = sending;
    const accept = async () => {
      accepted = await journal.move(sending, 'ACCEPTED', { orderId: '1001' }, event, NOW, placed);
    };
    expect(await costOf(accept)).toBe(1);
    expect(await costOf(() => journal.move(accepted, 'DONE', { filledQuantity: 10 }, event, NOW, filled))).toBe(1);
    expect((await journal.openRecords()).positions).toMatchObject([{ symbol: 'SBIN', net: 10 }]);
  });

  it('twice where another step came between: what stood before that is believed no longer', async () => {
    const sending = await inState(journal, 'SENDING');
    const accepted = await journal.move(sending, 'ACCEPTED', { orderId: '1001' }, event, NOW, placed);
    const later = await journal.move(accepted, 'ACCEPTED', {}, event, NOW);
    expect(await costOf(() => journal.move(later, 'DONE', { filledQuantity: 10 }, event, NOW, filled))).toBe(2);
  });

  it('twice where nothing was recorded before its fill: what stands is read first', async () => {
    const doubt = await inState(journal, 'AMBIGUOUS');
    expect(await costOf(() => journal.move(doubt, 'DONE', { orderId: '1001', filledQuantity: 10 }, event, NOW, filled))).toBe(2);
  });
});

it('an order that meets the record of another under its key learns of that in one question', async () => {
  await journal.begin(attempt(), event, START);
  expect(await costOf(() => journal.begin(attempt({ tag: 'again' }), event, START))).toBe(1);
});

describe('the store is not asked', () => {
  const away = () => Promise.reject(new Error('The store is away'));
  it('to end no answers', async () => {
    await end(away, [], NOW, event);
    await expect(end(away, [attempt()], NOW, event)).rejects.toThrow('away');
  });
  it('who owns no orders', async () => {
    const { db } = database();
    const select = db.select;
    db.select = () => {
      throw new Error('The store is asked');
    };
    try {
      expect(await owners(db, { broker: 'zerodha', account: 'AB1234' }, '2026-11-20', [])).toEqual(new Map());
    } finally {
      db.select = select;
    }
  });
});

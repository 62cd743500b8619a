import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { trialsOf } from '../support/proven.ts';
import { type Lane, openLane } from './database.ts';
import { BooksDay } from './day.ts';
import { day, planOf } from './plan.ts';

let database: TestDatabase;
let lane: Lane;
let played = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  lane = await openLane(database.url);
});
afterAll(async () => {
  await lane.close();
  await database.drop();
});

describe('the books of random days equal the ledger of the exchange to the paisa', () => {
  it('whatever day it is', { timeout: 120_000 }, async () => {
    // Prints its seed when it fails. `node test/books/main.ts` plays thousands of days.
    await fc.assert(
      fc.asyncProperty(day, async (plan) => {
        played += 1;
        expect(await new BooksDay(lane.db, plan, `random${played}`).run()).toEqual([]);
      }),
      { numRuns: trialsOf(8, 25), endOnFailure: true },
    );
  });
  it.each(Array.from({ length: trialsOf(5, 15) }, (_, index) => index + 1))('day %i', async (number) => {
    expect(await new BooksDay(lane.db, planOf(number), `day${number}`).run()).toEqual([]);
  });
});

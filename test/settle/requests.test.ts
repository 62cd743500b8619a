import postgres from 'postgres';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Bell, systemClock } from '../../server/clock.ts';
import { handleOn } from '../../server/db/handle.ts';
import { KNOCK } from '../../server/db/knock.ts';
import { types } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';
import { type Outcome, UnknownKeyError } from '../../server/orders/outcome.ts';
import { ask, UnansweredError } from '../../server/settle/ask.ts';
import { type Asked, readRequest, takeRequest, writeRequest } from '../../server/settle/requests.ts';
import { PersonRequests, type ServeParts } from '../../server/settle/serve.ts';
import { attempt } from '../orders/parts.ts';
import { createTestDatabase } from '../support/database.ts';
import { adminOptions } from '../support/global-setup.ts';
import { scaledClock } from '../support/scaled-clock.ts';

const absent = (key: string): Asked => ({ command: 'absent', key, reason: 'not in the book', by: 'me@here' });

let sql: postgres.Sql;
let url: string;

beforeEach(async () => {
  const database = await createTestDatabase();
  url = database.url;
  sql = postgres({ ...adminOptions(url), types });
  onTestFinished(async () => {
    await sql.end({ timeout: 1 });
    await database.drop();
  });
});

/** A gateway that knows orders under these keys, and what it was told of them. */
function serve(keys: readonly string[], owner = 'process-1', through = sql) {
  const told: [string, Outcome][] = [];
  const orders: ServeParts['orders'] = {
    unresolved: () => keys.map((key) => attempt({ key, state: 'AMBIGUOUS' })),
    candidates: async () => ['1001', '1002'],
    async resolve(key, outcome) {
      if (!keys.includes(key)) throw new UnknownKeyError(key);
      told.push([key, outcome]);
      return attempt({ key, state: 'DONE', fillStatus: 'REJECTED' });
    },
  };
  const knocked = new Bell();
  const ring = () => knocked.ring();
  sql.listen(KNOCK, ring, ring).catch(() => undefined);
  const requests = new PersonRequests({ db: handleOn(through), clock: systemClock, log: silentLog(), knocked, owner, orders });
  requests.start();
  onTestFinished(() => requests.stop());
  return { told, requests };
}

describe('a request', () => {
  it('is carried out once and leaves nothing behind', async () => {
    const { told } = serve(['k:one']);
    const began = performance.now();
    expect(await ask(handleOn(sql), systemClock, 'r1', absent('one'))).toEqual({ told: expect.stringContaining('under k:one') });
    // Heard, and not found by the look that comes every 10 s.
    expect(performance.now() - began).toBeLessThan(5000);
    expect(told).toEqual([['k:one', { kind: 'absent', reason: 'not in the book', by: 'me@here' }]]);
    expect(await sql`select * from order_requests`).toEqual([]);
  });

  it('of a list holds more than a notification could', async () => {
    serve(Array.from({ length: 200 }, (_, index) => `k:${index}`));
    const answer = await ask(handleOn(sql), systemClock, 'r1', { command: 'list' });
    expect(JSON.stringify(answer).length).toBeGreaterThan(8000);
    expect('orders' in answer && answer.orders[7]).toMatchObject({ key: 'k:7', candidates: ['1001', '1002'], state: 'AMBIGUOUS' });
  });

  it('names an order as listed, or by the caller own key where that is unambiguous', async () => {
    const { told } = serve(['k:one', 'k:k:one', 'f:abc', 'k:two']);
    expect(await ask(handleOn(sql), systemClock, 'r1', absent('k:one'))).toEqual({
      refused: expect.stringContaining('Both k:one and k:k:one'),
    });
    expect(await ask(handleOn(sql), systemClock, 'r2', absent('nobody'))).toEqual({ refused: 'No order is known under nobody' });
    expect(told).toEqual([]);
    for (const key of ['one', 'k:k:one', 'f:abc', 'two']) await ask(handleOn(sql), systemClock, `by ${key}`, absent(key));
    expect(told.map(([key]) => key)).toEqual(['k:one', 'k:k:one', 'f:abc', 'k:two']);
  });

  it('that nobody takes in time says so, and is never carried out afterwards', async () => {
    await expect(ask(handleOn(sql), systemClock, 'r1', absent('one'))).rejects.toThrow('nothing was changed');
    const { told } = serve(['k:one']);
    await ask(handleOn(sql), systemClock, 'r2', { command: 'list' });
    expect(told).toEqual([]);
  }, 30_000);

  it('that a gateway took and never answered is not carried out by the next one, and said to be unanswered', async () => {
    await writeRequest(handleOn(sql), 'r1', absent('one'));
    expect(await takeRequest(handleOn(sql), 'process-0')).toMatchObject({ id: 'r1' });
    const { told } = serve(['k:one']);
    const asking = ask(handleOn(sql), scaledClock(10), 'r1', absent('one'));
    await expect(asking).rejects.toThrow(UnansweredError);
    await expect(asking).rejects.toThrow('list the orders again');
    expect(told).toEqual([]);
  });

  it('whose taking was not acknowledged is still carried out, by the same gateway', async () => {
    await writeRequest(handleOn(sql), 'r1', absent('one'));
    await takeRequest(handleOn(sql), 'process-1');
    const { told } = serve(['k:one']);
    await expect.poll(() => readRequest(handleOn(sql), 'r1')).toMatchObject({ answer: { told: expect.any(String) } });
    expect(told).toHaveLength(1);
  });

  it('survives connections that are cut: the answer is written when the database is back', async () => {
    const through = postgres({ ...adminOptions(url), types, max: 1, connection: { application_name: 'cut me' } });
    onTestFinished(() => through.end({ timeout: 1 }));
    const { told } = serve(['k:one'], 'process-1', through);
    const cut = () => sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut me'`;
    for (let round = 0; round < 10; round += 1) {
      const [answer] = await Promise.all([ask(handleOn(sql), systemClock, `r${round}`, absent('one')), cut()]);
      expect(answer).toHaveProperty('told');
    }
    expect(told).toHaveLength(10);
  }, 60_000);

  it('that makes no sense is refused', async () => {
    const { told } = serve(['k:one']);
    await sql`insert into order_requests (id, asked, expires_at) values ('odd', '{"command":"absent","key":"k:one"}', now() + interval '1 minute')`;
    await expect.poll(() => readRequest(handleOn(sql), 'odd')).toMatchObject({ answer: { refused: expect.any(String) } });
    expect(told).toEqual([]);
  });
});

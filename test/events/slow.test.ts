import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type Follower, follow, until } from './sse.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ connect: false });
});
afterAll(() => gateway?.stop());

/** Large ones, so that a reader that takes nothing fills what lies between. */
const write = (count: number) => gateway.context.sql`
  insert into tsm_events (kind, detail) select 'order.any', jsonb_build_object('text', repeat('x', 2000)) from generate_series(1, ${count}::int)`;
const numbers = async (after: number) =>
  (await gateway.context.sql<{ id: number }[]>`select id from tsm_events where id > ${after} order by id`).map(({ id }) => id);

async function started(): Promise<{ stream: Follower; from: number }> {
  const stream = await follow(gateway);
  await until('its place', () => stream.lastId !== null);
  return { stream, from: stream.lastId ?? 0 };
}

test('a reader that stops for 9,500 events loses none of them, though not all are kept in memory', { timeout: 120_000 }, async () => {
  const { stream, from } = await started();
  const beside = await started();
  stream.pause();
  // The other one sees that they were told meanwhile.
  await write(9500);
  const all = await numbers(from);
  await until('the reader beside it', () => beside.stream.lastId === all.at(-1));
  stream.resume();
  await until('all of them', () => stream.lastId === all.at(-1));
  await write(200);
  const more = await numbers(from);
  await until('all of them', () => stream.lastId === more.at(-1));
  expect(stream.ids()).toEqual(more);
  expect(beside.stream.ids().length).toBeGreaterThanOrEqual(all.length);
  stream.destroy();
  beside.stream.destroy();
});

test('10,000 events behind it is told so without a number, cut, and goes on behind its last one', { timeout: 120_000 }, async () => {
  const { stream, from } = await started();
  stream.pause();
  for (let index = 0; index < 14; index += 1) await write(1000);
  const all = await numbers(from);
  const beside = await follow({ ...gateway, lastId: from });
  await until('the reader beside it', () => beside.lastId === all.at(-1));
  stream.resume();
  await stream.over;
  expect(stream.messages.at(-1)).toMatchObject({
    id: null,
    event: 'notice',
    data: { id: 0, kind: 'stream.behind', detail: { message: expect.stringContaining('10000 events behind') } },
  });
  expect(stream.ids().length).toBeLessThan(all.length);
  const rest = await follow({ ...gateway, lastId: stream.lastId });
  await until('the rest', () => rest.lastId === all.at(-1));
  expect([...stream.ids(), ...rest.ids()]).toEqual(all);
  rest.destroy();
  beside.destroy();
});

test('who comes back from far behind is not cut for what it missed', { timeout: 120_000 }, async () => {
  const all = await numbers(0);
  expect(all.length).toBeGreaterThan(10_000);
  const stream = await follow({ ...gateway, lastId: 0 });
  await until('all there is', () => stream.lastId === all.at(-1));
  expect(stream.ids()).toEqual(all);
  stream.destroy();
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  for (const symbol of ['SBIN', 'INFY', 'TCS']) await gateway.place({ ...sbin, symbol });
});
afterAll(() => gateway?.stop());

const list = async (query: string) => (await gateway.call('GET', `/broker/events?${query}`)).body;
const all = async () => (await list('limit=1000')).events;
const ids = (events: { id: number }[]) => events.map(({ id }) => id);

test('newest first, page after page, none left out and none twice', async () => {
  const known = ids(await all()).toReversed();
  const seen: number[] = [];
  // What happens meanwhile comes after what was known.
  for (let before: number | null = (known[0] ?? 0) + 1; before !== null; ) {
    const page = await list(`before=${before}&limit=4`);
    expect(page.events.length).toBeLessThanOrEqual(4);
    seen.push(...ids(page.events));
    before = page.before;
  }
  expect(seen).toEqual(known);
});

test('by kind, symbol, order and time, in either direction', async () => {
  const events = await all();
  const last = events.at(-1).id;
  const [first] = events.filter(
    ({ symbol, order_id }: { symbol: string; order_id: string | null }) => symbol === 'INFY' && order_id !== null,
  );
  const fits = async (query: string, fit: (event: typeof first) => boolean) => {
    expect(ids((await list(`${query}&before=${last + 1}&limit=1000`)).events), query).toEqual(ids(events.filter(fit)).toReversed());
    const up = await list(`${query}&after=0&limit=1000`);
    expect(
      ids(up.events).filter((id) => id <= last),
      query,
    ).toEqual(ids(events.filter(fit)));
    expect(up.next).toBeGreaterThanOrEqual(up.events.at(-1).id);
  };
  await fits('kind=order.', ({ kind }) => kind.startsWith('order.'));
  await fits('kind=session.connected', ({ kind }) => kind === 'session.connected');
  await fits('symbol=INFY', ({ symbol }) => symbol === 'INFY');
  await fits(`order_id=${first.order_id}`, ({ order_id }) => order_id === first.order_id);
  await fits('kind=order.done&symbol=TCS', ({ kind, symbol }) => kind === 'order.done' && symbol === 'TCS');
  // Moments of answers have whole milliseconds: one more is beyond all that was stamped within them.
  const after = new Date(Date.parse(first.at) + 1).toISOString();
  await fits(`from=${after}`, ({ at }) => at >= after);
  await fits(`to=${after}`, ({ at }) => at < after);
  expect((await list('from=2031-01-01T00:00:00Z')).events).toEqual([]);
  expect((await list('to=2021-01-01T00:00:00Z')).events).toEqual([]);
});

test('what cannot be meant is refused', async () => {
  const noDays = ['from=2026-02-30T00:00:00Z', 'to=0000-01-01T00:00:00Z', 'from=2026-13-01T00:00:00Z'];
  for (const query of ['from=yesterday', 'before=0', 'to=2026-11-20', ...noDays])
    expect((await gateway.call('GET', `/broker/events?${query}`)).status, query).toBe(422);
});

test('a moment at the end of the years is one', async () => {
  expect(await list('from=0001-01-01T00:00:00%2B23:59&limit=1')).toMatchObject({ success: true, events: [{}] });
  expect(await list('to=9999-12-31T23:59:59.999999999-23:59&limit=1')).toMatchObject({ success: true, events: [{}] });
  expect(await list('from=9999-12-31T23:59:59-23:59')).toMatchObject({ success: true, events: [] });
});

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { rawRequest, sendRaw } from '../http/stand-in.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { type Follower, follow, until } from './sse.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

/** A test that fails must not keep the places of the next ones. */
const opened: Follower[] = [];
afterEach(() => {
  for (const stream of opened.splice(0)) stream.destroy();
});
async function open(more: { lastId?: number | string; instruments?: string; token?: string } = {}): Promise<Follower> {
  const stream = await follow({ ...gateway, ...more });
  opened.push(stream);
  return stream;
}
const numbers = async () => (await gateway.context.sql<{ id: number }[]>`select id from tsm_events order by id`).map(({ id }) => id);
const newest = async () => (await numbers()).at(-1) ?? 0;
const caughtUp = (follower: Follower, id: number) => until(`event ${id}`, () => (follower.lastId ?? 0) >= id);

describe('the form of a stream', () => {
  test('begins now, with the place where it stands before any event', async () => {
    const { body } = await gateway.call('GET', '/broker/events?limit=1000');
    const stream = await open();
    expect(stream).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    });
    await until('the first line', () => stream.text !== '');
    expect(stream.text).toBe(`retry: 1000\nid: ${body.next}\n\n`);
    stream.destroy();
  });

  test('tells an order as its lines in the audit trail, one line of JSON each, and no secrets', async () => {
    const stream = await open();
    await until('the first line', () => stream.text !== '');
    // What it stands at: what came between may be told, too.
    const before = Number(/^retry: 1000\nid: (\d+)\n/.exec(stream.text)?.[1]);
    expect((await gateway.place({ ...sbin, idempotency_key: 'planted-key' })).body).toMatchObject({ fill_status: 'FILLED' });
    await caughtUp(stream, await newest());
    const told = stream.messages.filter((one) => one.id !== null);
    expect(told.map((one) => [one.event, one.data.kind])).toEqual(
      expect.arrayContaining([
        ['order', 'order.sending'],
        ['order', 'order.accepted'],
        ['order', 'order.done'],
      ]),
    );
    expect(told.every((one) => one.id === one.data.id && one.event === one.data.topic && one.data.id > before)).toBe(true);
    const done = told.find((one) => one.data.kind === 'order.done')?.data;
    expect(done).toEqual({
      id: expect.any(Number),
      topic: 'order',
      kind: 'order.done',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      broker: 'zerodha',
      symbol: 'SBIN',
      order_id: expect.stringMatching(/^\d+$/),
      detail: { fill_status: 'FILLED', filled: 10 },
    });
    expect(stream.text).toMatch(/\n\nid: \d+\nevent: order\ndata: \{[^\n]*\}\n\n/);
    expect(stream.text).not.toMatch(/planted-key|PR0001/);
    stream.destroy();
  });

  test('names the topics of sessions and the kill switch', async () => {
    const stream = await open();
    await gateway.call('POST', '/broker/kill-switch', { on: true });
    await gateway.call('POST', '/broker/kill-switch', { on: false });
    await gateway.call('POST', '/broker/disconnect');
    await gateway.call('POST', '/broker/connect?broker=zerodha');
    await caughtUp(stream, await newest());
    const told = stream.events().map(({ topic, kind, broker, detail }) => ({ topic, kind, broker, detail }));
    expect(told).toEqual(
      expect.arrayContaining([
        { topic: 'notice', kind: 'kill_switch', broker: null, detail: { on: true, by: 'owner' } },
        { topic: 'notice', kind: 'kill_switch', broker: null, detail: { on: false, by: 'owner' } },
        { topic: 'session', kind: 'session.disconnected', broker: 'zerodha', detail: {} },
        { topic: 'session', kind: 'session.connected', broker: 'zerodha', detail: {} },
      ]),
    );
    stream.destroy();
  });
});

describe('what is refused', () => {
  test.each<[string, { lastId?: string; instruments?: string }, string]>([
    ['a last id that is no number', { lastId: 'x7' }, 'Last-Event-ID: must be the number of an event, or 0 for all of them'],
    ['one below 0', { lastId: '-1' }, 'Last-Event-ID: must be the number of an event, or 0 for all of them'],
    ['one that nobody was given', { lastId: '999999999' }, 'Last-Event-ID: must be the number of an event'],
    ['a name without its exchange', { instruments: 'SBIN' }, 'instruments: must be names such as NSE:SBIN; "SBIN" is none'],
    ['an empty name', { instruments: 'NSE:SBIN,' }, 'instruments: must be names such as NSE:SBIN; "" is none'],
    [
      'too many names',
      { instruments: Array.from({ length: 201 }, (_, index) => `NSE:S${index}`).join() },
      'instruments: must be at most 200 names',
    ],
  ])('%s: 422 that names it', async (_, { lastId, instruments }, message) => {
    const query = instruments === undefined ? '' : `?instruments=${encodeURIComponent(instruments)}`;
    const answer = await gateway.call('GET', `/broker/stream${query}`, undefined, lastId === undefined ? {} : { 'Last-Event-ID': lastId });
    expect(answer).toMatchObject({ status: 422, body: { success: false, message, issues: [{ path: message.split(':')[0] }] } });
  });

  test('who has no token, another method, and a member nobody knows', async () => {
    expect((await fetch(`${gateway.url}/broker/stream`)).status).toBe(401);
    expect(await gateway.call('POST', '/broker/stream')).toMatchObject({ status: 405 });
    expect((await gateway.call('GET', '/broker/stream?instruments=')).status).toBe(422);
  });

  test('HEAD is answered with the head alone, and holds no place', async () => {
    const port = Number(new URL(gateway.url).port);
    const text = await sendRaw(port, rawRequest('HEAD /broker/stream').replace(/Bearer \S+/, `Bearer ${gateway.token}`));
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*text\/event-stream[\s\S]*\r\n\r\n$/);
  });

  test('the 201st stream: 503 with Retry-After, until one of the 200 ends', { timeout: 60_000 }, async () => {
    const streams = await Promise.all(Array.from({ length: 200 }, () => open()));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    expect(await gateway.call('GET', '/broker/stream')).toMatchObject({
      status: 503,
      headers: expect.objectContaining({}),
      body: { success: false, message: expect.stringContaining('200 streams') },
    });
    expect((await open()).headers['retry-after']).toBe('5');
    // Something may have been told while they were opened.
    const before = await newest();
    const last = (await gateway.place({ ...sbin, transaction_type: 'SELL' })).body;
    expect(last).toMatchObject({ success: true });
    const id = await newest();
    await Promise.all(streams.map((stream) => caughtUp(stream, id)));
    expect(
      new Set(
        streams.map((stream) =>
          stream
            .ids()
            .filter((one) => one > before)
            .join(),
        ),
      ).size,
    ).toBe(1);
    streams.pop()?.destroy();
    await until('a place', async () => {
      const next = await open();
      if (next.status === 200) streams.push(next);
      return next.status === 200;
    });
    for (const stream of streams) stream.destroy();
  });
});

describe('resuming', () => {
  test('from 0 everything there is, once and in order; from an id what is behind it', async () => {
    const all = await numbers();
    const whole = await open({ lastId: 0 });
    await caughtUp(whole, all.at(-1) ?? 0);
    expect(whole.ids()).toEqual(await numbers());
    whole.destroy();
    const middle = all[Math.floor(all.length / 2)] ?? 0;
    const rest = await open({ lastId: middle });
    await caughtUp(rest, all.at(-1) ?? 0);
    expect(rest.ids()).toEqual((await numbers()).filter((id) => id > middle));
    rest.destroy();
  });

  test('what another process writes comes, too, within the look of the hub', async () => {
    const stream = await open();
    await gateway.context
      .sql`insert into tsm_events (kind, broker, detail) values ('books.checked', 'zerodha', '{"token": "x", "note": 1}')`;
    await caughtUp(stream, await newest());
    expect(stream.messages.find((one) => one.data.kind === 'books.checked')).toMatchObject({
      event: 'notice',
      data: { detail: { note: 1 } },
    });
    stream.destroy();
  });

  test('the list of events pages through the same numbers', async () => {
    const all = await numbers();
    let [after, pages]: [number, number[]] = [0, []];
    for (;;) {
      const { body } = await gateway.call('GET', `/broker/events?after=${after}&limit=3`);
      pages = [...pages, ...body.events.map(({ id }: { id: number }) => id)];
      if (body.next === after) break;
      after = body.next;
    }
    expect(pages).toEqual(all);
    expect((await gateway.call('GET', '/broker/events?limit=0')).body.message).toBe('limit: must be a whole number from 1 to 1000');
    expect((await gateway.call('GET', '/broker/events?after=-1')).status).toBe(422);
  });
});

describe('the end of a stream', () => {
  test('a caller that leaves is forgotten', async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.write(`GET /broker/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`);
    await once(socket, 'data');
    socket.destroy();
    const { status } = await gateway.call('GET', '/broker/events');
    expect(status).toBe(200);
  });

  test("a user's streams end when the token is revoked by another process, the others go on", { timeout: 60_000 }, async () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, ['server/auth/cli.ts', ...args], {
        encoding: 'utf8',
        env: { ...process.env, DATABASE_URL: gateway.databaseUrl, DATA_DIR: gateway.dataDir },
      });
    const token = run('add', 'strategy').stdout.trim();
    const [theirs, ours] = [await open({ token }), await open()];
    expect(theirs.status).toBe(200);
    expect(run('revoke', 'strategy').status).toBe(0);
    const revokedAt = performance.now();
    await theirs.over;
    expect(performance.now() - revokedAt).toBeLessThan(10_000);
    expect(theirs.messages.at(-1)).toMatchObject({ id: null, event: 'notice', data: { id: 0, kind: 'stream.revoked' } });
    expect(ours.isOver).toBe(false);
    ours.destroy();
  });

  test('stopping ends it at once with a word, and the next gateway goes on behind it', async () => {
    const stream = await open();
    await gateway.call('POST', '/broker/disconnect');
    await caughtUp(stream, await newest());
    const from = performance.now();
    await gateway.halt();
    await stream.over;
    expect(performance.now() - from).toBeLessThan(5000);
    expect(stream.messages.at(-1)).toMatchObject({ id: null, event: 'notice', data: { kind: 'stream.stopping' } });
    const { databaseUrl, dataDir } = gateway;
    const next = await startGateway({ from: { databaseUrl, dataDir } });
    const resumed = await follow({ ...next, lastId: stream.lastId });
    const ids = (await next.context.sql<{ id: number }[]>`select id from tsm_events where id > ${stream.lastId ?? 0} order by id`).map(
      ({ id }) => id,
    );
    expect(ids.length).toBeGreaterThan(0);
    await caughtUp(resumed, ids.at(-1) ?? 0);
    expect(resumed.ids().slice(0, ids.length)).toEqual(ids);
    resumed.destroy();
    await next.halt();
  });
});

import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { NOT_DOTS_ALONE } from '../../contract/common.ts';
import { RequestError } from '../../contract/index.ts';
import { order, rawRequest, type Served, sendRaw, serve, TOKEN } from './stand-in.ts';

const Placed = z.object({ data: z.object({ request: z.unknown() }) });

let served: Served;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served.close());

const place = (body: unknown, headers?: Record<string, string>) =>
  served.call('/broker/orders/place', { method: 'POST', body, ...(headers && { headers }) });

/** The order as JSON text with one member written as given, as no JSON.stringify would write it. */
const withMember = (text: string) => `${JSON.stringify(order).slice(0, -1)},${text}}`;

describe('bodies', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'application/json; charset=latin1', ''])(
    'refuses the content type "%s"',
    async (type) => {
      const answer = await place(JSON.stringify(order), { 'content-type': type });
      expect(answer.status).toBe(415);
      expect(await answer.json()).toEqual({ success: false, message: 'The body must be application/json in UTF-8' });
    },
  );

  it.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset="UTF-8"'])('reads %s', async (type) => {
    expect((await place(order, { 'content-type': type })).status).toBe(200);
  });

  it('refuses compressed bodies', async () => {
    const answer = await fetch(`${served.url}/broker/orders/place`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync(JSON.stringify(order))),
    });
    expect(answer.status).toBe(415);
  });

  it.each(['', '{', '{"a":1,}', "{'a':1}", 'NaN', '\u{feff}{}x', '{"quantity":01}'])('refuses the broken JSON %j', async (text) => {
    const answer = await place(text);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ success: false, message: 'The body is not valid JSON' });
  });

  it('refuses bytes that are not UTF-8', async () => {
    const body = '{"symbol":"\xff"}';
    const head = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    expect(await sendRaw(served.port, rawRequest('POST /broker/orders/place', head) + body)).toMatch(/^HTTP\/1.1 400 /);
  });

  it('takes 64 KiB and not one byte more, declared or not', async () => {
    const fill = (size: number) => withMember(`"quantity":5${' '.repeat(size - withMember('"quantity":5').length)}`);
    expect((await place(fill(65_536))).status).toBe(200);
    const answer = await place(fill(65_537));
    expect(answer.status).toBe(413);
    expect(await answer.json()).toEqual({ success: false, message: 'The body is larger than 64 KiB' });
    const chunk = `${(70_000).toString(16)}\r\n${'a'.repeat(70_000)}\r\n0\r\n\r\n`;
    const head = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
    expect(await sendRaw(served.port, rawRequest('POST /broker/orders/place', head) + chunk)).toMatch(/^HTTP\/1.1 413 /);
  });

  it.each(['/broker/connect?broker=dhan', '/broker/disconnect', '/broker/test', '/broker/test/dhan'])(
    'needs none for %s and ignores one within the limit',
    async (path) => {
      expect((await served.call(path, { method: 'POST' })).status).toBe(200);
      const headers = { 'content-type': 'text/plain' };
      expect((await served.call(path, { method: 'POST', body: '{broken', headers })).status).toBe(200);
      expect((await served.call(path, { method: 'POST', body: 'a'.repeat(65_537), headers })).status).toBe(413);
    },
  );

  it.each(['[]', '7', '"text"', 'null', 'true'])('asks for an object instead of %s', async (text) => {
    const answer = await place(text);
    expect(answer.status).toBe(422);
    expect(await answer.json()).toEqual({
      success: false,
      message: 'body: must be a JSON object',
      issues: [{ path: 'body', message: 'must be a JSON object' }],
    });
  });

  it('lets the last of two equal keys count', async () => {
    const answer = await place(withMember('"quantity":3'));
    expect(Placed.parse(await answer.json()).data.request).toEqual({
      ...order,
      quantity: 3,
      price: 0,
      trigger_price: 0,
      variety: 'NORMAL',
      reduce_only: false,
    });
  });
});

describe('input', () => {
  const integer = 'must be an integer of at least 1';
  const number = 'must be a number of at least 0';
  const boolean = 'must be true or false';
  const bad: [field: string, text: string, message: string][] = [
    ['quantity', 'null', integer],
    ['quantity', '""', integer],
    ['quantity', 'true', integer],
    ['quantity', '"5"', integer],
    ['quantity', '[7]', integer],
    ['quantity', '{}', integer],
    ['quantity', '1.5', integer],
    ['quantity', '0', integer],
    ['quantity', '-1', integer],
    ['quantity', '2147483648', 'must be at most 2147483647'],
    ['quantity', '1e999', integer],
    ['price', '-1', number],
    ['price', '1e999', number],
    ['price', '"1"', number],
    ['price', 'null', number],
    ['price', '1000000000.5', 'must be at most 1000000000'],
    ['trigger_price', 'true', number],
    ['symbol', '""', 'must be text of 1 to 200 characters'],
    ['symbol', '5', 'must be text of 1 to 200 characters'],
    ['variety', 'null', 'must be text of at most 40 characters'],
    ['idempotency_key', '5', 'must be text of at most 4096 characters, or null'],
    ['reduce_only', '"true"', boolean],
    ['reduce_only', '1', boolean],
    ['reduce_only', '0', boolean],
    ['reduce_only', '""', boolean],
    ['reduce_only', 'null', boolean],
    ['reduce_only', '[true]', boolean],
  ];

  it('says what each bad field must be, and goes on saying it', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (const [field, text, message] of bad) {
        const answer = await place(withMember(`"${field}":${text}`));
        expect([field, text, answer.status]).toEqual([field, text, 422]);
        expect(await answer.json()).toEqual({
          success: false,
          message: `${field}: ${message}`,
          issues: [{ path: field, message }],
        });
      }
      expect((await place(order)).status).toBe(200);
    }
  });

  it('takes reduce_only as true, false or absent', async () => {
    for (const [text, expected] of [
      ['"reduce_only":true', true],
      ['"reduce_only":false', false],
      ['"price":1', false],
    ] as const) {
      expect(Placed.parse(await (await place(withMember(text))).json()).data.request).toMatchObject({ reduce_only: expected });
    }
  });

  it.each(['modify', 'cancel'])('%s takes no dot segment for an order, and any other id as it is', async (change) => {
    const send = (order_id: string) => served.call(`/broker/orders/${change}`, { method: 'POST', body: { order_id } });
    const documented = new RegExp(NOT_DOTS_ALONE);
    for (const id of ['.', '..', '...']) {
      expect(documented.test(id)).toBe(false);
      const answer = await send(id);
      const message = 'must be the id of an order';
      expect([answer.status, await answer.json()]).toEqual([
        422,
        { success: false, message: `order_id: ${message}`, issues: [{ path: 'order_id', message }] },
      ]);
    }
    for (const id of ['.a', 'a.b', 'a/../b', '%2e%2e']) {
      expect(documented.test(id)).toBe(true);
      expect(await (await send(id)).json()).toMatchObject({ success: true, data: { order_id: id } });
    }
  });

  it('turns the kill switch by true and false alone, and says who did', async () => {
    const turn = (body: unknown) => served.call('/broker/kill-switch', { method: 'POST', body });
    for (const on of [true, false]) expect(await (await turn({ on })).json()).toMatchObject({ success: true, on, by: 'first' });
    for (const on of ['true', 'on', 1, 0, null, '', [true]]) {
      const answer = await turn({ on });
      expect([on, answer.status, RequestError.parse(await answer.json()).message]).toEqual([on, 422, `on: ${boolean}`]);
    }
    expect(RequestError.parse(await (await turn({})).json()).message).toBe('on: is required');
    expect((await turn('on')).status).toBe(400);
  });

  it('names every missing field', async () => {
    const { message, issues } = RequestError.parse(await (await place({})).json());
    expect(message).toBe(
      Object.keys(order)
        .map((field) => `${field}: is required`)
        .join('; '),
    );
    expect(issues).toHaveLength(7);
  });

  it('stays strict on modify, where null leaves a value as it is', async () => {
    const modify = (change: object) => served.call('/broker/orders/modify', { method: 'POST', body: { order_id: '1', ...change } });
    expect(await (await modify({ quantity: null, price: null })).json()).toEqual({
      success: true,
      data: { order_id: '1', variety: 'NORMAL', quantity: null, price: null },
    });
    for (const change of [{ quantity: '5' }, { quantity: true }, { price: '' }, { trigger_price: [7] }]) {
      expect((await modify(change)).status).toBe(422);
    }
    expect(await (await modify({ quantity: 0 })).json()).toMatchObject({ message: 'quantity: must be an integer of at least 1, or null' });
  });

  it('reads the broker from the query, once', async () => {
    const connect = async (query: string, body?: unknown) => {
      const answer = await served.call(`/broker/connect${query}`, { method: 'POST', body });
      return [answer.status, z.object({ message: z.string() }).parse(await answer.json()).message];
    };
    expect(await connect('?broker=dhan')).toEqual([200, 'Connected to dhan']);
    expect(await connect('?broker=a+b%26')).toEqual([200, 'Connected to a b&']);
    expect(await connect('?broker=dhan&broker=fyers')).toEqual([422, 'broker: must be given once']);
    expect(await connect('?broker=')).toEqual([422, 'broker: must be text of 1 to 100 characters']);
    expect(await connect('', { broker: 'dhan' })).toEqual([422, 'broker: is required']);
    const guess = 'is not a member of this request; did you mean broker?';
    expect(await connect('?Broker=dhan')).toEqual([422, `broker: is required; Broker: ${guess}`]);
  });
});

it('reads members of a list as strictly at the second request as at the first', async () => {
  const named = { exchange: 'NSE', symbol: 'SBIN', product_type: 'DELIVERY' };
  const exit = (holding: unknown) => served.call('/broker/exits', { method: 'POST', body: { positions: [{ ...named, holding }] } });
  expect((await exit(true)).status).toBe(200);
  for (const holding of [null, 'no', '', 0, 1]) expect([holding, (await exit(holding)).status]).toEqual([holding, 422]);
});

import { describe, expect, test } from 'vitest';
import { failureOf, filled, order, type Step, scriptedGateway } from './scripted-gateway.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4/;

function keysOf(seen: { body: unknown }[]): unknown[] {
  return seen.map(({ body }) => (typeof body === 'object' && body ? Reflect.get(body, 'idempotency_key') : undefined));
}

test('a placed order carries a fresh key, its fill and the bearer token', async () => {
  const { gateway, seen } = await scriptedGateway([{ json: filled }]);
  const placed = await gateway.place(order);
  expect(placed).toMatchObject({ ...filled, replayed: false, idempotencyKey: expect.stringMatching(uuid) });
  expect(seen[0]).toMatchObject({
    method: 'POST',
    url: '/broker/orders/place',
    headers: { authorization: 'Bearer bgw_test' },
    body: { ...order, idempotency_key: placed.idempotencyKey },
  });
  const again = await gateway.place(order);
  expect(again.idempotencyKey).not.toBe(placed.idempotencyKey);
});

test.each<[string, Step]>([
  ['a connection cut before the answer', { silent: 'reset' }],
  ['a connection cut within the answer', { json: filled, silent: 'reset in the body' }],
  ['a 502 of something in between', { status: 502, text: '<html>' }],
  ['a 200 of something in between', { text: '<html>' }],
  ['an empty 200', { text: '' }],
  ['a 409', { status: 409, json: { success: false, message: 'still at work' } }],
  ['a 429', { status: 429, headers: { 'Retry-After': '0' }, json: { success: false, message: 'slower' } }],
  [
    'a refusal that says when to come back',
    { headers: { 'Retry-After': '0' }, json: { success: false, message: 'Order store unavailable' } },
  ],
])('%s is retried with the same key and body', async (_, first) => {
  const { gateway, seen } = await scriptedGateway([first, { headers: { 'Idempotency-Replayed': 'true' }, json: filled }]);
  const given = { ...order };
  const placing = gateway.place(given);
  given.quantity = 9999;
  expect(await placing).toMatchObject({ order_id: '1001', replayed: true });
  expect(seen).toHaveLength(2);
  expect(seen[1]?.body).toEqual(seen[0]?.body);
  expect(keysOf(seen)[0]).toMatch(uuid);
});

test("the caller's key is used, an empty one is replaced", async () => {
  const { gateway, seen } = await scriptedGateway([{ json: filled }]);
  await gateway.place({ ...order, idempotency_key: 'mine' });
  await gateway.place({ ...order, idempotency_key: '' });
  await gateway.place({ ...order, idempotency_key: null });
  expect(keysOf(seen)).toEqual(['mine', expect.stringMatching(uuid), expect.stringMatching(uuid)]);
});

describe('what an answer means', () => {
  const rejected = { success: false, order_id: '', message: 'Insufficient margin', fill_status: 'REJECTED' };
  test.each<[string, Step, object]>([
    ['rejected by the broker', { json: rejected }, { code: 'rejected', message: 'Insufficient margin', order_id: undefined }],
    [
      'accepted, then rejected by the risk system',
      { json: { ...rejected, success: true, order_id: '7' } },
      { code: 'rejected', order_id: '7' },
    ],
    ['blocked by the position guard', { json: { ...rejected, status: 'BLOCKED' } }, { code: 'blocked' }],
    ['no broker', { json: { success: false, message: 'Broker Not Connected', fill_status: 'REJECTED' } }, { code: 'not_connected' }],
    ['not settled', { json: { success: false, order_id: '', message: 'timed out', fill_status: 'UNKNOWN' } }, { code: 'unknown' }],
    ['accepted without an order to follow', { json: { success: true, order_id: '', fill_status: 'UNKNOWN' } }, { code: 'unknown' }],
    [
      'the key of another order',
      { headers: { 'Idempotency-Key-Mismatch': 'true' }, json: filled },
      { code: 'key_mismatch', order_id: '1001' },
    ],
    [
      'bad fields',
      { status: 422, json: { success: false, message: 'quantity: too small', issues: [{ path: 'quantity', message: 'too small' }] } },
      { code: 'invalid', status: 422, issues: [{ path: 'quantity', message: 'too small' }] },
    ],
    ['no user', { status: 401, json: { success: false, message: 'Not authenticated' } }, { code: 'unauthenticated', status: 401 }],
    [
      'too many wrong tokens',
      { status: 429, headers: { 'Retry-After': '48' }, json: { success: false, message: 'Too many' } },
      { code: 'rate_limited', retryAfterMs: 48_000 },
    ],
  ])('%s', async (_, step, expected) => {
    const { gateway, seen } = await scriptedGateway([step]);
    const error = await failureOf(gateway.place({ ...order, idempotency_key: 'k1' }));
    expect(error).toMatchObject({ ...expected, idempotencyKey: 'k1', answer: step.json });
    expect(seen).toHaveLength(1);
  });

  test.each(['FILLED', 'PARTIALLY_FILLED', 'PENDING', 'UNKNOWN'])('accepted with an order id and %s resolves', async (fill_status) => {
    const { gateway } = await scriptedGateway([{ json: { ...filled, fill_status } }]);
    expect(await gateway.place(order)).toMatchObject({ order_id: '1001', fill_status });
  });
});

describe('when the retries are used up', () => {
  test('silence is unknown and names the key', async () => {
    const { gateway, seen } = await scriptedGateway([{ silent: 'hang' }], { timeoutMs: 50, retries: 1 });
    const error = await failureOf(gateway.place({ ...order, idempotency_key: 'k2' }));
    expect(error).toMatchObject({ code: 'unknown', idempotencyKey: 'k2' });
    expect(error.message).toContain('k2');
    expect(seen).toHaveLength(2);
  });

  test('an order still at work is unknown', async () => {
    const { gateway } = await scriptedGateway([{ status: 409, json: { success: false, message: 'at work' } }], { retries: 0 });
    expect((await failureOf(gateway.place(order))).code).toBe('unknown');
  });

  test('a refusal after silence does not hide the doubt', async () => {
    const refusal = { headers: { 'Retry-After': '0' }, json: { success: false, message: 'Order store unavailable' } };
    const { gateway } = await scriptedGateway([{ silent: 'reset' }, refusal], { retries: 1 });
    expect((await failureOf(gateway.place(order))).code).toBe('unknown');
  });

  test('a lost login after silence does not hide the doubt', async () => {
    const { gateway } = await scriptedGateway([
      { silent: 'reset' },
      { status: 401, json: { success: false, message: 'Not authenticated' } },
    ]);
    expect((await failureOf(gateway.place(order))).code).toBe('unknown');
  });

  test('a verdict after silence is the verdict', async () => {
    const { gateway } = await scriptedGateway([{ silent: 'reset' }, { json: { success: false, message: 'no', fill_status: 'REJECTED' } }]);
    expect((await failureOf(gateway.place(order))).code).toBe('rejected');
  });

  test('a refusal alone is busy, with the time to wait', async () => {
    const refusal = { headers: { 'Retry-After': '1' }, json: { success: false, message: 'Kill switch is on' } };
    const { gateway } = await scriptedGateway([refusal], { retries: 0 });
    expect(await failureOf(gateway.place(order))).toMatchObject({ code: 'busy', message: 'Kill switch is on', retryAfterMs: 1000 });
  });

  test('a gateway that cannot be reached leaves doubt: a runtime does not say why a fetch failed', async () => {
    const { gateway } = await scriptedGateway([], { baseUrl: 'http://127.0.0.1:1', retries: 0 });
    expect((await failureOf(gateway.place(order))).code).toBe('unknown');
  });
});

describe('abort', () => {
  test('before the send places nothing', async () => {
    const { gateway, seen } = await scriptedGateway([{ json: filled }]);
    expect((await failureOf(gateway.place(order, { signal: AbortSignal.abort('enough') }))).code).toBe('aborted');
    expect(seen).toHaveLength(0);
  });

  test('while it waits stops the retries and keeps the doubt', async () => {
    const { gateway, seen } = await scriptedGateway([{ silent: 'hang' }]);
    const controller = new AbortController();
    const placing = failureOf(gateway.place(order, { signal: controller.signal }));
    setTimeout(() => controller.abort('enough'), 50);
    expect((await placing).code).toBe('unknown');
    expect(seen).toHaveLength(1);
  });
});

describe('lookup', () => {
  test('asks without placing and gives the stored answer, whatever it says', async () => {
    const stored = { success: false, order_id: '', message: 'timed out', fill_status: 'UNKNOWN' };
    const headers = { 'Idempotency-Replayed': 'true', 'Idempotency-Key-Mismatch': 'true' };
    const { gateway, seen } = await scriptedGateway([{ headers, json: stored }]);
    expect(await gateway.lookup('k3')).toEqual(stored);
    expect(seen[0]).toMatchObject({
      headers: { 'idempotency-replay-only': 'true' },
      body: { idempotency_key: 'k3', transaction_type: '-' },
    });
  });

  test('an unknown key is null', async () => {
    const { gateway } = await scriptedGateway([
      { headers: { 'Idempotency-Key-Known': 'false' }, json: { success: false, message: 'This key is not known' } },
    ]);
    expect(await gateway.lookup('k4')).toBeNull();
  });

  test.each<[string, Step, string]>([
    ['a store that is away', { headers: { 'Retry-After': '0' }, json: { success: false, message: 'Order store unavailable' } }, 'busy'],
    ['an order at work', { status: 409, json: { success: false, message: 'at work' } }, 'busy'],
    ['silence', { silent: 'reset' }, 'unavailable'],
    ['something that is not the gateway', { json: {} }, 'unavailable'],
  ])('%s is not taken for an unknown key', async (_, step, code) => {
    const { gateway } = await scriptedGateway([step], { retries: 1 });
    expect((await failureOf(gateway.lookup('k5'))).code).toBe(code);
  });
});

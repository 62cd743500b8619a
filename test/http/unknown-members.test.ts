import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract, RequestError } from '../../contract/index.ts';
import type { Route } from '../../contract/route.ts';
import { unknownMembers } from '../../server/http/unknown-members.ts';
import { order, type Served, serve } from './stand-in.ts';

const asked: string[] = [];
let served: Served;
beforeAll(async () => {
  served = await serve({
    gateway: {
      place: async ({ symbol }) => {
        asked.push(symbol);
        return { status: 200, headers: {}, body: { success: true, order_id: '1', fill_status: 'FILLED' } };
      },
    },
  });
});
afterAll(() => served.close());

const refused = 'is not a member of this request';

async function refusalOf(path: string, method: string, body?: unknown): Promise<[status: number, message: string]> {
  const answer = await served.call(path, { method, body });
  return [answer.status, answer.status === 200 ? '' : RequestError.parse(await answer.json()).message];
}
const place = (body: unknown, query = '') => refusalOf(`/broker/orders/place${query}`, 'POST', body);

describe('members a request does not have', () => {
  it('are refused by name with the nearest one it has, and nothing is placed', async () => {
    const answer = await served.call('/broker/orders/place', { method: 'POST', body: { ...order, trigger_pirce: 810 } });
    const message = `${refused}; did you mean trigger_price?`;
    expect([answer.status, await answer.json()]).toEqual([
      422,
      { success: false, message: `trigger_pirce: ${message}`, issues: [{ path: 'trigger_pirce', message }] },
    ]);
    const headers = { 'Idempotency-Replay-Only': 'true' };
    const replayed = await served.call('/broker/orders/place', { method: 'POST', body: { ...order, stop_loss: 1 }, headers });
    expect(replayed.status).toBe(422);
    expect(asked).toEqual([]);
  });

  it('stand beside all else that is wrong', async () => {
    expect(await place({ ...order, quantity: '5', idempotencyKey: 'a', validity: 'DAY' })).toEqual([
      422,
      `quantity: must be an integer of at least 1; idempotencyKey: ${refused}; did you mean idempotency_key?; validity: ${refused}`,
    ]);
  });

  it('are refused by the names every object has, and change none', async () => {
    const text = `${JSON.stringify(order).slice(0, -1)},"__proto__":{"price":9},"constructor":1,"toString":2}`;
    expect(await place(text)).toEqual([422, ['__proto__', 'constructor', 'toString'].map((name) => `${name}: ${refused}`).join('; ')]);
    expect(Object.prototype).not.toHaveProperty('price');
  });

  it('are refused in the query of a route that has a body, or nothing', async () => {
    expect(await place(order, '?reduce_only=true')).toEqual([422, 'reduce_only: is not taken from the query']);
    expect(await place(order, '?dry_run=true')).toEqual([422, `dry_run: ${refused}`]);
    expect(await refusalOf('/broker/orders/7?order_id=8', 'GET')).toEqual([422, 'order_id: is not taken from the query']);
    expect(await refusalOf('/broker/orders?status=OPEN&constructor=1', 'GET')).toEqual([
      422,
      `status: ${refused}; constructor: ${refused}`,
    ]);
  });

  it('are refused by every route of the contract', async () => {
    for (const route of Object.values<Route>(contract)) {
      const [status, message] = await refusalOf(
        `${route.path.replaceAll(/\{.*?\}/g, 'x')}?no_such=1`,
        route.method,
        route.method === 'POST' ? {} : undefined,
      );
      expect([route.path, status, message.includes(`no_such: ${refused}`)]).toEqual([route.path, 422, true]);
      const parsed = route.input.safeParse({ no_such: 1 });
      expect([route.path, parsed.error?.issues.some(({ code }) => code === 'unrecognized_keys')]).toEqual([route.path, true]);
    }
  });

  it('are left where a route reads no body', async () => {
    expect(await refusalOf('/broker/disconnect', 'POST', { broker: 'zerodha' })).toEqual([200, '']);
  });
});

describe('the nearest name', () => {
  const known = ['symbol', 'transaction_type', 'order_type', 'product_type', 'quantity', 'price', 'trigger_price', 'on'];
  it.each([
    ['triggerPrice', 'trigger_price'],
    ['Trigger-Price', 'trigger_price'],
    ['prise', 'price'],
    ['qantity', 'quantity'],
    ['ordertype', 'order_type'],
    ['trigger_price_', 'trigger_price'],
    ['stop_loss', undefined],
    ['tag', undefined],
    ['x', undefined],
    ['', undefined],
    ['₹', undefined],
  ])('of %j is %s', (name, near) => {
    expect(unknownMembers([name], known)[0]?.message).toBe(`${refused}${near ? `; did you mean ${near}?` : ''}`);
  });

  it('is looked for in names of a sensible length and number', () => {
    const many = Array.from({ length: 5000 }, (_, index) => `${index}${'a'.repeat(5000)}`);
    const issues = unknownMembers(many, known);
    expect(issues).toHaveLength(20);
    expect(Math.max(...issues.map(({ path }) => path.length))).toBe(100);
  });
});

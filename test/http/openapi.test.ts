import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { streamRoute } from '../../contract/events.ts';
import { contract, text } from '../../contract/index.ts';
import type { Route } from '../../contract/route.ts';
import { GatewayStatus } from '../../contract/status.ts';
import { openApiDocument } from '../../server/api/openapi.ts';
import { order, type Served, serve } from './stand-in.ts';

const Schema = z.looseObject({ $ref: z.string().optional() });
const Operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).default([]),
  requestBody: z.object({ required: z.literal(true), content: z.object({ 'application/json': z.object({ schema: Schema }) }) }).optional(),
  responses: z.record(z.string(), z.looseObject({})),
});
const Document = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), Operation)) });

const file = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
const document = Document.parse(JSON.parse(file));
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);
const operation = (id: string) => operations.find((entry) => entry.operation.operationId === id)?.operation;

let served: Served;
/** Read first: the server shuts connections that nobody used for seconds, and these tests keep one process busy so long. */
let root: unknown;
beforeAll(async () => {
  served = await serve();
  root = await (await fetch(`${served.url}/`)).json();
});
afterAll(() => served.close());

it('is the document the gateway serves and generates, before and after requests', async () => {
  const fresh = () => `${JSON.stringify(openApiDocument(), null, 2)}\n`;
  expect(fresh()).toBe(file);
  await served.call('/broker/orders/place', { method: 'POST', body: order });
  expect(fresh()).toBe(file);
  expect(await (await served.call('/openapi.json')).json()).toEqual(JSON.parse(file));
});

it('has every operation of the contract, the stream and the root, under its own name', () => {
  const served = Object.entries<Route>({ ...contract, followStream: streamRoute });
  const promised = ['getStatus GET /', ...served.map(([id, { method, path }]) => `${id} ${method} ${path}`)];
  expect(operations.map(({ operation: { operationId }, method, path }) => `${operationId} ${method} ${path}`)).toEqual(
    expect.arrayContaining(promised),
  );
  expect(operations).toHaveLength(promised.length);
  expect(new Set(operations.flatMap((entry) => entry.operation.tags))).toEqual(
    new Set(['Session', 'Account', 'Orders', 'Data', 'Console']),
  );
});

it('answers 401 without a token wherever it says a user is needed, which is everywhere but at the root and the supported brokers', async () => {
  expect(operations.filter((entry) => entry.operation.security.length === 0).map((entry) => entry.path)).toEqual([
    '/',
    '/broker/supported',
  ]);
  for (const {
    path,
    method,
    operation: { security, responses },
  } of operations) {
    const { status } = await fetch(served.url + path.replaceAll(/[{}]/g, ''), { method });
    expect([path, status]).toEqual([path, security.length > 0 ? 401 : 200]);
    expect('401' in responses).toBe(security.length > 0);
  }
});

it('puts the input where the edge reads it', () => {
  expect(operation('connectBroker')?.parameters).toMatchObject([{ name: 'broker', in: 'query', required: true }]);
  for (const id of ['connectBroker', 'disconnectBroker', 'testBroker', 'testSession']) expect(operation(id)?.requestBody).toBeUndefined();
  for (const name of ['PlaceOrder', 'ModifyOrder', 'CancelOrder']) {
    const id = name.charAt(0).toLowerCase() + name.slice(1);
    expect(operation(id)?.requestBody?.content['application/json'].schema).toEqual({ $ref: `#/components/schemas/${name}Request` });
  }
});

/** The document as other generators read it: what a schema says, whatever holds it. */
function* schemasIn(part: unknown): Generator<Record<string, unknown>> {
  if (typeof part !== 'object' || part === null) return;
  if (!Array.isArray(part)) yield { ...part };
  for (const [name, member] of Object.entries(part)) if (name !== 'example' && name !== 'examples') yield* schemasIn(member);
}
const schemas = [...schemasIn(document)];

it('takes no member it does not know into a request, and says so', () => {
  const Components = z.object({ components: z.object({ schemas: z.record(z.string(), z.looseObject({})) }) });
  const requests = Object.entries(Components.parse(document).components.schemas).filter(([name]) => name.endsWith('Request'));
  expect(requests).toHaveLength(10);
  for (const [name, schema] of requests) expect([name, schema.additionalProperties]).toEqual([name, false]);
  for (const entry of operations) expect([entry.path, '422' in entry.operation.responses]).toEqual([entry.path, entry.path !== '/']);
});

it('has references that lead somewhere, and unions of named schemas alone', () => {
  const Named = z.object({ components: z.record(z.string(), z.record(z.string(), z.unknown())) });
  const { components } = Named.parse(document);
  for (const { $ref } of schemas) {
    const [kind = '', name = ''] = typeof $ref === 'string' ? $ref.split('/').slice(2) : ['schemas', 'Failure'];
    expect([$ref, components[kind]?.[name]]).toEqual([$ref, expect.anything()]);
  }
  const unions = schemas.flatMap(({ oneOf }) => (Array.isArray(oneOf) ? [oneOf] : []));
  expect(unions.length).toBeGreaterThan(10);
  for (const options of unions) for (const option of options) expect(Object.keys(option)).toEqual(['$ref']);
});

it('says true and false, numbers and texts as generators of other languages read them', () => {
  const constants = schemas.filter((schema) => typeof schema.const === 'boolean');
  expect(constants.length).toBeGreaterThan(15);
  for (const { type, allOf } of constants) expect([type, allOf]).toEqual([undefined, [{ type: 'boolean' }]]);
  const numbers = schemas.filter(({ type }) => type === 'number' || (Array.isArray(type) && type.includes('number')));
  expect(numbers.length).toBeGreaterThan(20);
  for (const { format } of numbers) expect(format).toBe('double');
});

it('has a pattern that takes the texts which the edge takes', () => {
  const patterns = [...new Set(schemas.flatMap((schema) => (typeof schema.pattern === 'string' ? [schema.pattern] : [])))];
  // One word is no list of names.
  const lists = patterns.filter((one) => !new RegExp(one).test('SBIN'));
  const texts = patterns.filter((one) => !lists.includes(one));
  expect([texts.length, lists.length]).toEqual([2, 2]);
  for (const list of lists)
    expect(['NSE:SBIN, NFO:NIFTY29DEC26FUT', 'NSE:', 'SBIN', 'NSE:A,', 'NSE:A\n'].map((names) => new RegExp(list).test(names))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  for (const one of texts) {
    const plain = new RegExp(one);
    for (let unit = 0; unit < 0x3000; unit += 1) {
      const value = `a${String.fromCharCode(unit)}`;
      expect([unit, plain.test(value)]).toEqual([unit, text().safeParse(value).success]);
    }
    expect(plain.test('₹ 😀')).toBe(true);
  }
  // An order id of dots alone would be another path.
  expect(['.', '..', '.a', 'a.'].map((value) => texts.filter((one) => new RegExp(one).test(value)).length)).toEqual([1, 1, 2, 2]);
});

it('describes the root as it answers', () => {
  expect(operation('getStatus')).toMatchObject({ responses: { 200: { content: { 'application/json': { schema: {} } } } } });
  expect(GatewayStatus.strict().parse(root)).toMatchObject({ status: 'ready' });
});

it('tells what place answers beside its body', () => {
  expect(Object.keys(operation('placeOrder')?.responses ?? {})).toEqual([
    '200',
    '400',
    '401',
    '409',
    '413',
    '415',
    '422',
    '429',
    '431',
    '500',
    '503',
  ]);
  expect(operation('placeOrder')?.responses['200']).toMatchObject({ headers: { 'Idempotency-Replayed': {}, 'Retry-After': {} } });
  expect(operation('placeOrder')?.parameters).toMatchObject([{ name: 'Idempotency-Replay-Only', in: 'header' }]);
});

it('describes the stream as server-sent events, whose messages are events or quotes', () => {
  const stream = operation('followStream');
  expect(stream?.responses['200']).toMatchObject({
    content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/StreamMessage' } } },
  });
  expect(stream?.parameters).toMatchObject([
    { name: 'instruments', in: 'query', description: expect.stringContaining('200') },
    { name: 'Last-Event-ID', in: 'header' },
  ]);
  const { schemas } = z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }).parse(document.components);
  expect(schemas.StreamMessage?.oneOf).toEqual([{ $ref: '#/components/schemas/GatewayEvent' }, { $ref: '#/components/schemas/Quote' }]);
  for (const name of ['GatewayEvent', 'Quote']) expect(schemas[name]).toMatchObject({ type: 'object' });
});

it('keeps nothing of the library that is not ours', () => {
  expect(file).not.toMatch(/"discriminator"|error\.[A-Z_]+/);
  for (const [, integer] of file.matchAll(/\{[^{}]*"type": "integer"([^{}]*)\}/g)) {
    expect(integer).toMatch(/"minimum"/);
    expect(integer).toMatch(/"maximum"/);
  }
});

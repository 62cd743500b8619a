import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import { seededRandom, systemClock } from '../../server/clock.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const paged: readonly BrokerId[] = ['aliceblue', 'fivepaisa', 'fyers', 'shoonya', 'upstox', 'zerodha'];
let gateway: TestGateway;
let other: string;
let passedMs = 0;
const lines: string[] = [];
const clock = { ...systemClock, mono: () => systemClock.mono() + passedMs };

beforeAll(async () => {
  gateway = await startGateway({ connect: false, logTo: (line) => lines.push(line), overrides: { clock, random: seededRandom(7) } });
  other = (await gateway.call('POST', '/broker/users', { name: 'other' })).body.token;
});
afterAll(() => gateway.stop());

const begin = async (broker: string) => (await gateway.call('POST', '/broker/login', { broker })).body;
const finish = async (body: object, token = gateway.token) =>
  (await gateway.call('POST', '/broker/login/finish', body, { Authorization: `Bearer ${token}` })).body;

/** What the browser does on the broker's page: the address it is sent back to. */
async function signIn(address: string): Promise<URL> {
  const page = await fetch(address, { redirect: 'manual' });
  return new URL(page.headers.get('Location') ?? 'none:');
}

test.each(brokerIds)('%s is signed in by what its page sends to the console, once', async (id) => {
  const begun = await begin(id);
  if (!paged.includes(id)) {
    expect(begun).toMatchObject({ success: true, kind: 'none', state: null, address: null });
    return;
  }
  expect(begun).toMatchObject({ success: true, kind: 'redirect', broker: id, redirect_expected: `${gateway.url}/console/callback` });
  const back = await signIn(begun.address);
  expect(`${back.origin}${back.pathname}`).toBe(begun.redirect_expected);
  const secret = back.searchParams.get(begun.code_name) ?? '';
  expect(secret.length).toBeGreaterThan(8);
  // The page itself is static: nothing of the query is kept.
  expect((await fetch(back)).status).toBe(200);
  const done = await finish({ state: begun.state, callback: back.search });
  expect(done).toMatchObject({ success: true, broker: id });
  expect((await gateway.call('GET', '/broker/funds')).body.success).toBe(true);
  expect(await finish({ state: begun.state, callback: back.search })).toMatchObject({ success: false });
  const events = (await gateway.call('GET', '/broker/events?limit=1000')).text;
  expect(events).toContain('session.signed_in');
  expect(events + lines.join('')).not.toContain(secret);
});

test('the pasted address and the code alone finish it too', async () => {
  const [first, second] = [await begin('zerodha'), await begin('upstox')];
  expect(await finish({ state: first.state, callback: (await signIn(first.address)).href })).toMatchObject({
    success: true,
    broker: 'zerodha',
  });
  const code = (await signIn(second.address)).searchParams.get('code');
  expect(await finish({ state: second.state, code })).toMatchObject({ success: true, broker: 'upstox' });
});

test('a stolen callback is refused: without its state, by another user, late, or from another login', async () => {
  const begun = await begin('zerodha');
  const back = await signIn(begun.address);
  expect(await finish({ state: 'guessed', callback: back.search })).toMatchObject({ success: false });
  expect(await finish({ state: begun.state, callback: back.search }, other)).toMatchObject({ success: false });
  expect((await fetch(`${gateway.url}/broker/login/finish`, { method: 'POST', body: '{}' })).status).toBe(401);
  // The one it belongs to is not hindered by these.
  const theirs = await begin('zerodha');
  expect(await finish({ state: theirs.state, callback: back.search })).toMatchObject({
    success: false,
    message: expect.stringContaining('another login'),
  });
  expect(await finish({ state: begun.state, callback: back.search })).toMatchObject({ success: true });
  const late = await begin('zerodha');
  const lateBack = await signIn(late.address);
  passedMs += 600_000;
  expect(await finish({ state: late.state, callback: lateBack.search })).toMatchObject({ success: false });
});

test('says what is wrong with what it is given', async () => {
  expect(await begin('nobody')).toMatchObject({ success: false, message: expect.stringContaining('Supported') });
  expect((await gateway.call('POST', '/broker/login/finish', { state: 's' })).status).toBe(422);
  for (const callback of ['nothing', '?request_token=a&request_token=b', '?status=failed']) {
    const { state } = await begin('zerodha');
    expect(await finish({ state, callback })).toMatchObject({ success: false });
  }
});

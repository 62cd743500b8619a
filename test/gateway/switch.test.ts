import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emulators, practiceCredentials } from '../../server/exchange/emulators.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { trialsOf } from '../support/proven.ts';

const SWITCHES = trialsOf(40, 100);
let gateway: TestGateway;
const logged: string[] = [];
const ids = emulators.map((emulator) => emulator.id);

beforeAll(async () => {
  gateway = await startGateway({ connect: false, logTo: (line) => logged.push(line) });
});
afterAll(() => gateway.stop());

/** Timers and sockets of the process, those of feeds included. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((kind) => /TCPSocketWrap|TLSWrap|Timeout|Immediate/.test(kind)).length;
}

/** The least number of handles within a second: requests under way come and go, what a session left behind stays. */
async function atRest(): Promise<number> {
  const seen: number[] = [];
  for (let look = 0; look < 40; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    seen.push(handles());
  }
  return Math.min(...seen);
}

const connect = async (id: string) =>
  expect((await gateway.call('POST', `/broker/connect?broker=${id}`)).body, id).toMatchObject({ success: true, broker: id });

/** Every login token the brokers gave out, by the exchange's own ledger. */
function issuedTokens(): { broker: string; token: string }[] {
  const ledger = readFileSync(join(gateway.dataDir, 'practice/practice-ledger.jsonl'), 'utf8');
  const records = ledger.split('\n').filter((line) => line.includes('"token"'));
  return records.map((line) => JSON.parse(line)).filter((record) => record.kind === 'token');
}

it(`${SWITCHES} switches leave no timer, no socket and no call of an old session behind`, async () => {
  for (const id of ids) await connect(id);
  await connect('zerodha');
  // What begins with the first session, such as a beat of the reports, begins within seconds.
  await new Promise((resolve) => setTimeout(resolve, 4000));
  const before = await atRest();
  for (let turn = 0; turn < SWITCHES; turn += 1) await connect(ids[turn % ids.length] ?? 'zerodha');
  await connect('zerodha');
  await expect.poll(atRest, { timeout: 20_000 }).toBeLessThanOrEqual(before + 2);
  const from = logged.length;
  await gateway.call('GET', '/broker/orders');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const asked = logged.slice(from).filter((line) => line.includes('"exchange request"'));
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((line) => JSON.parse(line).broker !== 'zerodha')).toEqual([]);
}, 120_000);

it('no credential and no token of any broker shows in an answer, a test report or a log line', async () => {
  const answers = [];
  for (const id of ids) {
    answers.push(await gateway.call('POST', `/broker/connect?broker=${id}`));
    const report = await gateway.call('POST', `/broker/test/${id}`);
    expect(report.body, id).toMatchObject({ status: 'PASSED', passed: 6 });
    answers.push(report);
    for (const path of ['profile', 'funds', 'holdings', 'positions', 'orders', 'tradebook'])
      answers.push(await gateway.call('GET', `/broker/${path}`));
  }
  const text = [...answers.map((answer) => answer.text), ...logged].join('\n');
  const credentials = ids.flatMap((id) =>
    Object.entries(practiceCredentials(id)).map(([name, value]) => ({ what: `${id} ${name}`, value })),
  );
  const secrets = credentials.filter(({ what, value }) => /SECRET|TOKEN|PIN|PASSWORD|KEY/.test(what) && value.length > 5);
  // The other five sign in with a token a person has fetched.
  const tokens = issuedTokens().map(({ broker, token }) => ({ what: `token of ${broker}`, value: token }));
  expect(new Set(tokens.map(({ what }) => what)).size).toBe(5);
  expect(text.length).toBeGreaterThan(10_000);
  expect([...secrets, ...tokens].filter(({ value }) => text.includes(value)).map(({ what }) => what)).toEqual([]);
}, 60_000);

it('an unregistered address, and every other refusal of a connect, leaves the others untouched', async () => {
  expect((await gateway.call('POST', '/broker/connect?broker=zerodha')).body.success).toBe(true);
  gateway.context.exchange?.faults.plant({ kind: 'sessionExpired', operation: 'any', broker: 'angelone', times: 'always' });
  const refused = await gateway.call('POST', '/broker/connect?broker=angelone');
  gateway.context.exchange?.faults.clear();
  expect(refused.body.success).toBe(false);
  expect((await gateway.call('GET', '/')).body.broker).toBe('zerodha');
});

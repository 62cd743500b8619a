import { afterAll, beforeAll, expect, it } from 'vitest';
import { faces, practiceCredentials } from '../../server/sim/faces.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
const logged: string[] = [];
const ids = faces.map((face) => face.id);

beforeAll(async () => {
  gateway = await startGateway({ connect: false, logTo: (line) => logged.push(line) });
});
afterAll(() => gateway.stop());

/** Kinds of handles that a session could leave behind; short-lived ones of requests are not counted. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((kind) => /TCPSocketWrap|TLSWrap|Timeout|Immediate/.test(kind)).length;
}

async function settled(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 300));
  return handles();
}

it('a hundred switches leave no timer and no socket behind', async () => {
  const connect = async (id: string) =>
    expect((await gateway.call('POST', `/broker/connect?broker=${id}`)).body, id).toMatchObject({ success: true, broker: id });
  for (const id of ids) await connect(id);
  await connect('zerodha');
  const before = await settled();
  for (let turn = 0; turn < 100; turn += 1) await connect(ids[turn % ids.length] ?? 'zerodha');
  await connect('zerodha');
  expect(await settled()).toBeLessThanOrEqual(before + 3);
}, 60_000);

it('no credential of any broker shows in an answer, a test report or a log line', async () => {
  for (const id of ids) {
    const secrets = Object.entries(practiceCredentials(id)).filter(([name]) => /SECRET|TOKEN|PIN|PASSWORD|KEY/.test(name));
    const answers = [await gateway.call('POST', `/broker/connect?broker=${id}`), await gateway.call('POST', `/broker/test/${id}`)];
    for (const path of ['profile', 'funds', 'holdings', 'positions', 'orders', 'tradebook'])
      answers.push(await gateway.call('GET', `/broker/${path}`));
    expect(answers[1]?.body, id).toMatchObject({ status: 'PASSED', passed: 6 });
    const text = [...answers.map((answer) => answer.text), ...logged].join('\n');
    for (const [name, secret] of secrets) expect(text.includes(secret) && secret.length > 5, `${id} ${name}`).toBe(false);
  }
}, 60_000);

it('an unregistered address, and every other refusal of a connect, leaves the others untouched', async () => {
  expect((await gateway.call('POST', '/broker/connect?broker=zerodha')).body.success).toBe(true);
  gateway.context.exchange?.faults.plant({ kind: 'sessionExpired', operation: 'any', broker: 'angelone', times: 'always' });
  const refused = await gateway.call('POST', '/broker/connect?broker=angelone');
  gateway.context.exchange?.faults.clear();
  expect(refused.body.success).toBe(false);
  expect((await gateway.call('GET', '/')).body.broker).toBe('zerodha');
});

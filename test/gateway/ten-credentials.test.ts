import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BrokerId } from '../../contract/words.ts';
import { brokers } from '../../server/brokers/index.ts';
import { systemClock } from '../../server/clock.ts';
import { emulators, practiceCredentials } from '../../server/exchange/emulators.ts';
import { type PracticeExchange, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** Live mode against the exchange: credentials come from settings, as they do with real money. */
let venue: PracticeExchange;
let running: TestGateway[] = [];
const ids = emulators.map((emulator) => emulator.id);
const logged: string[] = [];

beforeAll(async () => {
  venue = await startExchange({ ports: 'free', seed: 3, limits: false, clock: systemClock, log: silentLog() });
});
afterAll(async () => {
  for (const gateway of running) await gateway.stop();
  running = [];
  await venue.close();
});

const prefixed = (id: BrokerId, values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${id.toUpperCase()}_${name}`, value]));

function addresses(id: BrokerId): Record<string, string> {
  const urls = venue.urls[id];
  return prefixed(id, { API_URL: urls?.api ?? '', LOGIN_URL: urls?.login ?? '', FEED_URL: urls?.feed ?? '' });
}

/** Values of the form each setting has, none of them right. */
function planted(id: BrokerId): Record<string, string> {
  const shaped = (name: string, index: number) => {
    if (/TOTP_SECRET|TOTP_KEY/.test(name)) return 'MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U';
    if (/PIN$/.test(name)) return `77${index}413`;
    if (/MOBILE/.test(name)) return `+91700000${index}413`;
    return `planted${id}${name.toLowerCase().replaceAll('_', '')}${index}x9`;
  };
  return Object.fromEntries(brokers[id].settings.map((name, index) => [name, shaped(name, index)]));
}

/** A gateway signed in at `good`, whose other brokers have these settings. */
async function start(
  good: BrokerId,
  others: readonly BrokerId[],
  settingsOf: (id: BrokerId) => Record<string, string>,
): Promise<TestGateway> {
  const gateway = await startGateway({
    env: {
      GATEWAY_MODE: 'live',
      PRACTICE_LIMITS: 'on',
      BROKERS: [...others, good].join(),
      ...Object.assign({}, ...[...others, good].map(addresses)),
      ...prefixed(good, practiceCredentials(good)),
      ...Object.assign({}, ...others.map((id) => prefixed(id, settingsOf(id)))),
    },
    logTo: (line) => logged.push(line),
  });
  running.push(gateway);
  return gateway;
}

/** Nine are tried beside dhan, and dhan beside groww. */
const stands: { good: BrokerId; others: BrokerId[] }[] = [
  { good: 'dhan', others: ids.filter((id) => id !== 'dhan') },
  { good: 'groww', others: ['dhan'] },
];

describe.each(stands)('beside $good', ({ good, others }) => {
  let bare: TestGateway;
  let wrong: TestGateway;
  beforeAll(async () => {
    bare = await start(good, others, () => ({}));
    wrong = await start(good, others, planted);
  });
  const namedIn = (id: BrokerId, text: string) => brokers[id].settings.filter((name) => text.includes(`${id.toUpperCase()}_${name}`));

  async function refusedAlone(gateway: TestGateway, id: BrokerId): Promise<string> {
    expect((await gateway.call('GET', '/')).body).toMatchObject({ broker: good, status: 'ready' });
    const connected = await gateway.call('POST', `/broker/connect?broker=${id}`);
    expect(connected.body).toEqual({ success: false, message: expect.any(String) });
    const report = await gateway.call('POST', `/broker/test/${id}`);
    expect(report.body).toMatchObject({ status: 'FAILED', passed: 0, failed: 1 });
    // The other one is as it was.
    expect((await gateway.call('GET', '/')).body.broker).toBe(good);
    expect((await gateway.call('GET', '/broker/funds')).body.success).toBe(true);
    return `${connected.text}\n${report.text}`;
  }

  it.each(others)('%s without credentials is off alone, and says which settings it needs', async (id) => {
    const text = await refusedAlone(bare, id);
    expect(namedIn(id, text), text).not.toEqual([]);
  });

  it.each(others)('%s with wrong ones is off alone, names its settings, and shows no value of them anywhere', async (id) => {
    const text = await refusedAlone(wrong, id);
    expect(namedIn(id, text), text).not.toEqual([]);
    const secrets = Object.entries(planted(id)).filter(([name]) => /SECRET|TOKEN|PIN|PASSWORD|KEY/.test(name));
    // A time of day may happen to hold a PIN.
    const everything = [text, ...logged].join('\n').replaceAll(/\b\d{13}\b/g, '');
    expect(secrets.length).toBeGreaterThan(0);
    expect(secrets.filter(([, value]) => everything.includes(value)).map(([name]) => name)).toEqual([]);
  });
});

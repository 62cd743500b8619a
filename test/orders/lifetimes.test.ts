import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../server/journal/attempt.ts';
import { Core } from './core.ts';

const SECOND = 1000;
const WEEK = 7 * 86_400 * SECOND;

/** How long after its end the one record of a core is kept, ms; null while it may not expire. */
async function lifeOf(core: Core): Promise<number | null> {
  const key = core.journal.events[0]?.key ?? '';
  const record = (await core.journal.find(key, 0)) as Attempt;
  return record.expiresAt === null ? null : record.expiresAt - record.updatedAt;
}

const cases: [string, (core: Core) => void, number | null, number | null][] = [
  ['an order that was sent and filled', () => undefined, WEEK, 60 * SECOND],
  [
    'an order the broker rejected',
    (core) => {
      core.broker.place = async () => ({ fate: 'rejected', order_id: '', message: 'Margin' });
    },
    WEEK,
    60 * SECOND,
  ],
  [
    'an order that never left the house',
    (core) => {
      core.broker.place = async () => ({ fate: 'not_sent', order_id: '', message: 'Connection refused' });
    },
    60 * SECOND,
    30 * SECOND,
  ],
  [
    'an order without a session',
    (core) => {
      core.connected = false;
    },
    60 * SECOND,
    30 * SECOND,
  ],
  [
    'an order that was BLOCKED',
    (core) => {
      core.broker.net = 5;
    },
    60 * SECOND,
    30 * SECOND,
  ],
  [
    'an order whose positions could not be read',
    (core) => {
      core.broker.readPositions = async () => ({ success: false, message: 'HTTP 503' });
    },
    5 * SECOND,
    5 * SECOND,
  ],
  [
    'an order whose fate is not known',
    (core) => {
      core.broker.place = async () => ({ fate: 'unknown', order_id: '' });
    },
    null,
    null,
  ],
];

describe.each(cases)('the stored answer of %s', (_, set, byKey, byFingerprint) => {
  it.each([
    ['the caller’s key', 'one', byKey],
    ['its fingerprint', null, byFingerprint],
  ])('lives as long as it should under %s', async (_name, idempotency_key, lifeMs) => {
    const core = new Core();
    set(core);
    const first = await core.place({ idempotency_key });
    expect(await lifeOf(core)).toBe(lifeMs);
    if (lifeMs === null) return;
    const sends = core.broker.sends.length;
    await core.clock.pass(lifeMs - 1);
    const again = await core.place({ idempotency_key });
    expect(again.headers).toMatchObject({ 'Idempotency-Replayed': 'true' });
    expect(again.body).toEqual(first.body);
    expect(core.broker.sends).toHaveLength(sends);
    await core.clock.pass(1);
    expect((await core.place({ idempotency_key })).headers).not.toHaveProperty('Idempotency-Replayed');
  });
});

describe('a truth that arrives late', () => {
  it.each([
    ['one', WEEK],
    [null, 60 * SECOND],
  ])('under %s is kept as long as a prompt one, from then on', async (idempotency_key, lifeMs) => {
    const core = new Core();
    core.broker.place = async (order, tag) => {
      void core.clock.sleep(20_000).then(() => core.broker.book.push(core.broker.row(order, tag)));
      return { fate: 'unknown', order_id: '' };
    };
    await core.place({ idempotency_key });
    await core.clock.pass(30_000);
    expect(await lifeOf(core)).toBe(lifeMs);
  });
  it('also when it is that the order never arrived', async () => {
    const core = new Core();
    core.broker.place = async () => ({ fate: 'unknown', order_id: '' });
    await core.place();
    await core.clock.pass(200_000);
    expect(await lifeOf(core)).toBe(WEEK);
  });
});

it('expired answers are cleared away from the start to the stop, whatever the store does in between', async () => {
  const core = new Core();
  core.broker.net = 5;
  await core.place();
  await core.clock.settle(core.orders.recover());
  core.away = (name) => name === 'expire';
  await core.clock.pass(80_000);
  const held = () => core.journal.find('k:one', 0);
  expect(await held()).not.toBeNull();
  core.away = () => false;
  await core.clock.pass(10_000);
  expect(await held()).toBeNull();
  await core.place();
  await core.clock.settle(core.orders.stop());
  await core.clock.pass(200_000);
  expect(await held()).not.toBeNull();
});

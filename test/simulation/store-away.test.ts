import { describe, expect, it } from 'vitest';
import { attempt } from '../orders/parts.ts';
import { filled, prompt, Stand } from './stand.ts';

describe('before the send', () => {
  it('nothing goes out while the store is away, and everything recovers by itself', async () => {
    const stand = await Stand.start(true);
    const { world } = stand;
    world.storeAwayUntil = world.now() + 10_000;
    for (let second = 0; second < 9; second += 1) {
      expect(await stand.place({ idempotency_key: `away-${second}` })).toMatchObject({
        headers: { 'Retry-After': '1' },
        body: { success: false },
      });
      await world.clock.pass(1000);
    }
    expect(stand.orders).toHaveLength(0);
    await world.clock.pass(2000);
    world.plans.push(prompt);
    expect((await stand.place({ idempotency_key: 'away-1' })).body).toMatchObject(filled);
  });
  it('an order without a key that met no session is known by the session it was placed through', async () => {
    const stand = await Stand.start(true, false);
    const { world } = stand;
    const lone = { idempotency_key: null, order_type: 'LIMIT', price: 100 };
    world.plans.push({ ...prompt, fills: [] });
    // The store is slow, and the session comes up while the key is looked for.
    const waiting = stand.process.sessions;
    world.loginsAwayUntil = 0;
    const find = world.journal.find.bind(world.journal);
    world.journal.find = async (key, now) => {
      world.journal.find = find;
      await waiting.connect('zerodha');
      return await find(key, now);
    };
    const first = await stand.place(lone);
    const retry = await stand.place(lone);
    expect(first.body).toMatchObject({ success: true, fill_status: 'PENDING' });
    expect(retry.body).toEqual(first.body);
    expect(stand.orders).toHaveLength(1);
  });
  it('a send that a dead process wrote down late is looked up, and never sent again', async () => {
    const stand = await Stand.start(true);
    const { world } = stand;
    // Its statement was on its way when the process died, and arrived after the next one had started.
    const left = attempt({ owner: 'process-0', startedAt: world.now() - 5000 });
    await world.journal.begin(left, { kind: 'order.sending' }, world.now());
    world.plans.push(prompt);
    expect((await stand.place()).body).toMatchObject({ success: false, fill_status: 'UNKNOWN' });
    await world.clock.pass(130_000);
    expect((await stand.place()).body).toMatchObject({ success: false, fill_status: 'REJECTED' });
    expect(stand.orders).toHaveLength(0);
  });
  it('what was written down and not acknowledged is removed as often as it happens, and then placed', async () => {
    const stand = await Stand.start(true);
    const { world } = stand;
    const begin = world.journal.begin.bind(world.journal);
    world.journal.begin = async (...args) => {
      await begin(...args);
      throw new Error('Connection lost');
    };
    for (let time = 0; time < 3; time += 1) {
      expect((await stand.place()).headers).toEqual({ 'Retry-After': '1' });
      await world.clock.pass(150);
    }
    world.journal.begin = begin;
    expect(await world.journal.find('k:one', world.now())).toBeNull();
    world.plans.push(prompt);
    expect((await stand.place()).body).toMatchObject(filled);
    expect(stand.orders).toHaveLength(1);
  });
  it('the kill switch stops an entry that already waits for its budget', async () => {
    const stand = await Stand.start(true);
    const { world, process } = stand;
    const account = process.sessions.active();
    for (let taken = 0; taken < 7; taken += 1) await account?.budget.take('exit');
    const answer = stand.ask();
    await world.clock.pass(200);
    await world.clock.settle(process.killSwitch.set(true, 'somebody'));
    expect((await world.clock.settle(answer)).body).toMatchObject({ success: false, message: expect.stringContaining('kill switch') });
    expect(stand.orders).toHaveLength(0);
    expect(await world.journal.find('k:one', world.now())).toBeNull();
  });
});

describe('an answer the store does not hold yet', () => {
  it('is replayed from memory, with the header that says so, and stored when the store is back', async () => {
    const stand = await Stand.start(true);
    const { world } = stand;
    world.plans.push({ ...prompt, answersMs: 500 });
    const first = stand.ask();
    await world.clock.pass(300);
    world.storeAwayUntil = world.now() + 25_000;
    const told = await world.clock.settle(first);
    expect(told.headers['Idempotency-Stored']).toBe('false');
    const replayed = await stand.place();
    expect(replayed.body).toEqual(told.body);
    expect(replayed.headers).toMatchObject({ 'Idempotency-Replayed': 'true', 'Idempotency-Stored': 'false' });
    await world.clock.pass(30_000);
    const stored = await stand.place();
    expect(stored.body).toEqual(told.body);
    expect(stored.headers).toEqual({ 'Idempotency-Replayed': 'true' });
  });
});

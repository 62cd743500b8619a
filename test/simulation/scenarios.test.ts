import { describe, expect, it } from 'vitest';
import { blocked, filled, filledAt, lostAnswer, lostRequest, prompt, Stand } from './stand.ts';

const LATE = [500, 3000, 7900, 8100, 30_000, 83_000];
const unknown = { success: false, fill_status: 'UNKNOWN', order_id: '' };

describe('an order that shows late', () => {
  it.each(LATE)('%i ms: the right verdict, one send, the truth within 10 s of its showing', async (visibleAfterMs) => {
    const stand = await Stand.start(true);
    stand.world.plans.push({ ...lostAnswer, visibleAfterMs });
    const first = await stand.place();
    const inTime = visibleAfterMs < 8000;
    expect(first.body).toMatchObject(inTime ? filled : unknown);
    await stand.world.clock.pass(visibleAfterMs + 10_000 - 8000);
    const [order] = stand.orders;
    expect(await stand.record()).toMatchObject({ state: 'DONE', orderId: order?.id });
    const truth = await stand.place();
    expect(truth.body).toMatchObject({ ...filled, order_id: order?.id });
    expect(truth.headers['Order-Resolved-At'] !== undefined).toBe(!inTime);
    expect(JSON.stringify((await stand.place()).body)).toBe(JSON.stringify(truth.body));
    expect(stand.orders).toHaveLength(1);
    expect(stand.world.judge.violations).toEqual([]);
  });
  it.each(LATE)('%i ms: the same when the gateway was killed in between', async (visibleAfterMs) => {
    const stand = await Stand.start(true);
    stand.world.plans.push({ ...lostAnswer, visibleAfterMs });
    void stand.ask();
    await stand.world.clock.pass(400);
    await stand.crashAndRestart(700);
    const restarted = stand.world.now();
    const again = await stand.place();
    if (visibleAfterMs < 5000) expect(again.body).toMatchObject(filled);
    await stand.world.clock.pass(
      Math.max(0, (stand.orders[0]?.visibleAt ?? 0) + 10_000 - stand.world.now(), restarted + 10_000 - stand.world.now()),
    );
    expect(await stand.record()).toMatchObject({ state: 'DONE', orderId: stand.orders[0]?.id });
    expect((await stand.place()).body).toMatchObject(filled);
    expect(stand.orders).toHaveLength(1);
    expect(stand.world.judge.violations).toEqual([]);
  });
  it.each(LATE)('%i ms, on a broker without tags: it could be a stranger’s, and stays UNKNOWN', async (visibleAfterMs) => {
    const stand = await Stand.start(false);
    stand.world.plans.push({ ...lostAnswer, visibleAfterMs });
    expect((await stand.place()).body).toMatchObject(unknown);
    await stand.crashAndRestart(700);
    await stand.world.clock.pass(visibleAfterMs + 300_000);
    expect(await stand.record()).toMatchObject({ state: 'AMBIGUOUS', orderId: '' });
    expect((await stand.place()).body).toMatchObject(unknown);
    expect(stand.orders).toHaveLength(1);
    expect(stand.world.judge.violations).toEqual([]);
  });
});

describe('a twin placed by hand', () => {
  it.each([
    ['before', true],
    ['after', true],
    ['before', false],
    ['after', false],
  ])('1 s %s, tags shown: %s', async (when, showsTags) => {
    const stand = await Stand.start(showsTags);
    const { clock } = stand.world;
    stand.world.plans.push({ ...lostAnswer, visibleAfterMs: when === 'after' ? 0 : 900 });
    // On a broker that is slow to show an order, the stranger's is the only one to be seen at first.
    const stranger = when === 'before' ? stand.byHand() : null;
    await clock.pass(stranger ? 1000 : 0);
    const answer = stand.ask();
    await clock.pass(stranger ? 0 : 1000);
    const other = stranger ?? stand.byHand();
    const { body } = await clock.settle(answer);
    const own = stand.orders.find((order) => order.tag !== null);
    if (showsTags) expect(body).toMatchObject({ ...filled, order_id: own?.id });
    else expect(body).toMatchObject({ success: false, fill_status: 'UNKNOWN' });
    expect(body.order_id).not.toBe(other.id);
  });
  it.each([true, false])(
    'keeps an order that is not there UNKNOWN (tags shown: %s): neither adopted nor taken for absence',
    async (showsTags) => {
      for (const when of ['before', 'after']) {
        const stand = await Stand.start(showsTags);
        const { clock } = stand.world;
        stand.world.plans.push(lostRequest);
        if (when === 'before') stand.byHand();
        await clock.pass(when === 'before' ? 1000 : 0);
        const answer = stand.ask();
        await clock.pass(1000);
        if (when === 'after') stand.byHand();
        expect((await clock.settle(answer)).body, when).toMatchObject(unknown);
        await clock.pass(600_000);
        expect(await stand.record(), when).toMatchObject({ state: 'AMBIGUOUS', orderId: '' });
        expect(stand.world.journal.events.filter((event) => event.kind === 'order.candidates')).toHaveLength(1);
      }
    },
  );
});

describe('an order that never arrived', () => {
  it('is REJECTED once the book was read for two minutes, and blocks its side until then', async () => {
    const stand = await Stand.start(true);
    stand.world.plans.push(lostRequest);
    expect((await stand.place()).body).toMatchObject({ success: false, fill_status: 'UNKNOWN' });
    expect((await stand.place({ idempotency_key: 'two' })).body).toMatchObject(blocked);
    await stand.world.clock.pass(100_000);
    expect((await stand.place()).body.fill_status).toBe('UNKNOWN');
    await stand.world.clock.pass(30_000);
    expect((await stand.place()).body).toMatchObject({ success: false, fill_status: 'REJECTED' });
    stand.world.plans.push(prompt);
    expect((await stand.place({ idempotency_key: 'three' })).body).toMatchObject(filled);
  });
  it('is not called absent because the wall clock was set two minutes ahead', async () => {
    const stand = await Stand.start(true);
    stand.world.plans.push(lostRequest);
    const answer = stand.ask();
    await stand.world.clock.pass(1000);
    stand.world.clock.step(130_000);
    await stand.world.clock.settle(answer);
    await stand.world.clock.pass(60_000);
    expect((await stand.record()).state).toBe('AMBIGUOUS');
  });
  it('counts from the send: an attempt that waited long before it is given its two minutes', async () => {
    const stand = await Stand.start(true);
    const { world } = stand;
    world.readsAwayUntil = 0;
    world.plans.push(
      { ...prompt, arrivesMs: 6900, answersMs: 10 },
      { ...lostAnswer, visibleAfterMs: 83_000, arrivesMs: 6000, answersMs: 900 },
    );
    const first = stand.ask({ idempotency_key: 'first', transaction_type: 'SELL', quantity: 10 });
    await world.clock.pass(5);
    const second = stand.ask({ transaction_type: 'BUY' });
    await world.clock.settle(Promise.all([first, second]));
    await world.clock.pass(120_000);
    expect(await stand.record()).toMatchObject({ state: 'DONE' });
    expect((await stand.place()).body).toMatchObject({ success: true });
    expect(world.judge.violations).toEqual([]);
  });
  it('UNKNOWN at 15:29 stays UNKNOWN the next morning, and is never sent again', async () => {
    const stand = await Stand.start(true);
    await stand.world.clock.pass(29 * 60_000);
    stand.world.plans.push(lostRequest);
    expect((await stand.place()).body.fill_status).toBe('UNKNOWN');
    await stand.crashAndRestart(17.5 * 3_600_000);
    expect(stand.process.orders.unresolved()).toHaveLength(1);
    await stand.world.clock.pass(300_000);
    expect((await stand.record()).state).toBe('UNRESOLVED');
    expect((await stand.place()).body).toMatchObject({ success: false, fill_status: 'UNKNOWN' });
    expect(stand.world.journal.events.map((event) => event.kind)).toContain('order.unresolved');
    expect(stand.orders).toHaveLength(0);
  });
});

describe('a read that comes in late', () => {
  it('neither reopens a finished order nor finds it twice', async () => {
    const stand = await Stand.start(true);
    const { world } = stand;
    const broker = stand.process.brokers.get('zerodha');
    if (!broker) throw new Error('No sign-in');
    const read = broker.orders.bind(broker);
    broker.orders = async () => {
      broker.orders = read;
      await world.clock.sleep(1000);
      const seen = await read();
      await world.clock.sleep(20_000);
      return seen;
    };
    world.plans.push(lostAnswer);
    expect((await stand.place()).body.fill_status).toBe('UNKNOWN');
    await world.clock.pass(30_000);
    expect((await stand.record()).state).toBe('DONE');
    expect(world.journal.events.filter((event) => event.kind === 'order.found')).toHaveLength(1);
    expect(world.judge.violations).toEqual([]);
  });
});

describe('a question that meets an order under way', () => {
  it('asked just before the order came, it says so or tells the truth, and disturbs nothing', async () => {
    for (let lag = 0; lag <= 200; lag += 4) {
      const stand = await Stand.start(true);
      const { world } = stand;
      world.plans.push({ ...prompt, ackAfterMs: 3500, fills: filledAt(3550) });
      const find = world.journal.find.bind(world.journal);
      world.journal.find = async (key, now) => {
        world.journal.find = find;
        await world.clock.sleep(lag);
        const seen = await find(key, now);
        await world.clock.sleep(1500);
        return seen;
      };
      const asked = stand.ask({}, true);
      const placed = await world.clock.settle(stand.ask());
      const told = await world.clock.settle(asked);
      expect(placed.body).toMatchObject(filled);
      if (told.headers['Idempotency-Key-Known'] === undefined) expect(told.body).toEqual(placed.body);
      expect(world.judge.violations).toEqual([]);
    }
  });
});

describe('many callers', () => {
  it('1,000 with one key: one order, one body', async () => {
    const stand = await Stand.start(true);
    stand.world.plans.push(prompt);
    const replies = await stand.world.clock.settle(Promise.all(Array.from({ length: 1000 }, () => stand.ask())));
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1);
    expect(replies.filter((reply) => reply.headers['Idempotency-Replayed'] === undefined)).toHaveLength(1);
    expect(stand.orders).toHaveLength(1);
  });
  it('ten entries in one symbol: one order, nine BLOCKED', async () => {
    const stand = await Stand.start(true);
    stand.world.plans.push(prompt);
    const asks = Array.from({ length: 10 }, (_, index) => stand.ask({ idempotency_key: `ten-${index}` }));
    const bodies = (await stand.world.clock.settle(Promise.all(asks))).map((reply) => reply.body);
    expect(bodies.filter((body) => body.success)).toHaveLength(1);
    expect(bodies.filter((body) => body.status === 'BLOCKED')).toHaveLength(9);
    expect(stand.orders).toHaveLength(1);
  });
  it('a twin waits as long as its first may take, however slow everything is', async () => {
    const stand = await Stand.start(true);
    const { world } = stand;
    world.plans.push({ ...prompt, arrivesMs: 6900, answersMs: 50, fills: filledAt(60_000) });
    const first = stand.ask();
    await world.clock.pass(3000);
    world.storeAwayUntil = world.now() + 60_000;
    const twin = stand.ask();
    const [one, other] = await world.clock.settle(Promise.all([first, twin]));
    expect(other.status).toBe(200);
    expect(other.body).toEqual(one.body);
  });
});

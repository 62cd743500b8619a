import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BrokerId } from '../../contract/words.ts';
import { type Clock, type Random, seededRandom, systemClock } from '../../server/clock.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import type { PracticeExchange } from '../../server/exchange/host.ts';
import type { Instrument } from '../../server/exchange/types.ts';
import type { Faults } from '../../server/exchange/wire/faults.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { proven } from '../support/proven.ts';
import { scaledClock } from '../support/scaled-clock.ts';

/** How many times as fast as real time these tests run. */
const FACTOR = 4;
/** Healed within this, and what a busy machine adds, in the fast time. */
const HEAL_MS = 10_000;
const GRACE_MS = 4000;
const PATIENCE_MS = 60_000;
const COUNT = 50;

type StreamKind = Extract<Parameters<Faults['plant']>[0], { kind: `stream${string}` }>['kind'];

/** Exchange and kind of what the tests hold: a broker without a feed for one of these says so in `held`. */
export interface FeedTraits {
  /** Whether its feed carries an instrument; all NSE, BSE and NFO ones unless given. */
  carries?(instrument: Instrument): boolean;
  /** Prices come over its socket alone, and MARKET needs one: with every sign-in refused the orders carry a limit. */
  pricedByFeed?: boolean;
  /** Exchanges on which its positions may show no price: what these gain is then not known. */
  unpriced?: readonly string[];
}

interface Scene {
  gateway: TestGateway;
  venue: PracticeExchange;
  clock: Clock;
  held: Instrument[];
}

/** The list every broker's feed must pass, over its own emulator. */
export function feedTests(id: BrokerId, traits: FeedTraits = {}): void {
  let here: Scene;
  let price = 0;

  beforeAll(async () => {
    here = await open(id, traits);
  }, 60_000);
  afterAll(() => here?.gateway.stop());

  /** Moves every price and waits until all have arrived; returns how long that took. */
  async function allArrive(): Promise<number> {
    const { venue, clock, held } = here;
    price += 1;
    const prices = held.map((instrument) => ({ instrument, rupees: moved(instrument, price) }));
    for (const { instrument, rupees } of prices) venue.exchange.setPrice(instrument.exchange, instrument.symbol, String(rupees));
    const began = clock.mono();
    await until(clock, `${id}: all prices of round ${price}`, () =>
      prices.every((each) => seen(here, id, each.instrument) === each.rupees),
    );
    return clock.mono() - began;
  }

  async function struckBy(kind: StreamKind, more: object = {}): Promise<void> {
    const { venue, clock, held } = here;
    const planted = venue.faults.plant({ kind, broker: id, ...more });
    const [first] = held;
    for (let step = 0; planted.struck === 0 && first; step += 1) {
      if (step > 200) throw new Error(`${kind} struck nothing`);
      venue.exchange.setPrice(first.exchange, first.symbol, String(moved(first, 50 + step)));
      await clock.sleep(200);
    }
  }

  test(`${id}: ticks of ${COUNT} instruments arrive and update ltp`, { timeout: 60_000 }, async () => {
    await allArrive();
    const { gateway, clock, held } = here;
    let rows: Position[] = [];
    await until(clock, `${id}: ltp in the records`, async () => {
      rows = await positions(gateway);
      return held.every((instrument) => {
        const row = rows.find((each) => each.exchange === instrument.exchange && each.symbol === named(id, instrument).symbol);
        return Number(row?.ltp) === moved(instrument, price);
      });
    });
    expect(gateway.context.feed.live().length).toBeGreaterThan(0);
    await until(clock, `${id}: what each position gains`, async () => {
      rows = await positions(gateway);
      const marks = gateway.context.feed.marks();
      const right = marks.filter(({ exchange, symbol, ltp, quantity, unrealised }) => {
        const entry = rows.find((each) => each.exchange === exchange && each.symbol === symbol)?.entry_price ?? null;
        if (entry === null) return unrealised === null && (traits.unpriced?.includes(exchange) ?? false);
        return unrealised !== null && Math.abs(Number(unrealised) - (ltp - Number(entry)) * quantity) < 0.0005;
      });
      return marks.length > 0 && right.length === marks.length;
    });
  });

  const long = proven.includes(id);

  test.each([['streamSilence', {}], ['streamDrop', {}], ...(long ? ([['streamCloseInFrame', {}]] as const) : [])] as const)(
    `${id}: %s is healed within 10 s without losing a subscription`,
    { timeout: 60_000 },
    async (kind, more) => {
      await struckBy(kind, more);
      expect(await allArrive()).toBeLessThan(HEAL_MS + GRACE_MS);
    },
  );

  const longTest: (name: string, options: { timeout: number }, run: () => Promise<void>) => void = long ? test : () => undefined;

  longTest(`${id}: late, doubled, reordered and half frames leave the last prices right`, { timeout: 60_000 }, async () => {
    for (const kind of ['streamDuplicate', 'streamReorder', 'streamHalfFrame'] as const) await struckBy(kind);
    await struckBy('streamLate', { delayMs: 1500 });
    await here.clock.sleep(3000);
    await allArrive();
  });

  longTest(`${id}: a refused sign-in leaves orders working and is tried again`, { timeout: 60_000 }, async () => {
    const { gateway, venue, clock } = here;
    const planted = venue.faults.plant({ kind: 'streamRefused', broker: id, times: 2 });
    await struckBy('streamDrop');
    await until(clock, `${id}: refused`, () => planted.struck >= 1);
    const answer = await gateway.place(order(id, instrumentOf(venue, 'NSE', 'IDEA'), 'while refused'));
    expect(answer.body).toMatchObject({ success: true, fill_status: 'FILLED' });
    await until(clock, `${id}: back`, () => planted.struck >= 2);
    await allArrive();
  });

  longTest(`${id}: an order update shortens the wait for a fill`, { timeout: 120_000 }, async () => {
    const stands = await Promise.all([startScene(id, true, systemClock), startScene(id, false, systemClock)]);
    try {
      let [fed, alone] = [1, 0];
      // A machine that is busy for a moment is late with both: measured again then.
      for (let times = 0; times < 4 && fed >= alone * 0.7; times += 1) {
        [fed = 1, alone = 0] = await Promise.all(stands.map((scene) => lagOfFill(scene, id, traits, `${times}`)));
        console.log(`${id}: answered ${fed.toFixed(0)} ms after the fill with the feed, ${alone.toFixed(0)} ms by polling alone`);
      }
      expect(fed).toBeLessThan(alone * 0.7);
    } finally {
      await Promise.all(stands.map(({ gateway }) => gateway.stop()));
    }
  });

  test(`${id}: nothing is left of the feed after the session`, { timeout: 30_000 }, async () => {
    const { gateway, clock } = here;
    await gateway.call('POST', '/broker/disconnect');
    await until(clock, `${id}: sockets closed`, () => gateway.context.feed.live().length === 0);
  });
}

/** A gateway on one broker with its feed; `feeding` false: every sign-in of the feed is refused. */
async function startScene(id: BrokerId, feeding: boolean, clock: Clock): Promise<Scene> {
  const gateway = await startGateway({ env: { BROKERS: id }, overrides: { clock, random: even }, connect: false });
  const venue = gateway.context.exchange;
  if (!venue) throw new Error('no practice exchange');
  if (!feeding) venue.faults.plant({ kind: 'streamRefused', broker: id, times: 'always' });
  await gateway.context.autoConnect();
  if (feeding) await until(clock, `${id}: feed live`, () => gateway.context.feed.live().length > 0);
  return { gateway, venue, clock, held: [] };
}

/** Fifty positions bought by hand, adopted by the records. */
async function open(id: BrokerId, traits: FeedTraits): Promise<Scene> {
  const scene = await startScene(id, true, scaledClock(FACTOR));
  const { gateway, venue, clock } = scene;
  const held = venue.exchange.instruments
    .filter((each) => ['NSE', 'BSE'].includes(each.exchange) || (each.exchange === 'NFO' && each.kind !== 'FUT'))
    .filter((each) => (traits.carries?.(each) ?? true) && each.symbol !== 'IDEA' && each.symbol !== 'YESBANK')
    .sort((a, b) => Number(a.basePrice) * a.lotSize - Number(b.basePrice) * b.lotSize)
    .slice(0, COUNT);
  expect(held).toHaveLength(COUNT);
  for (const { exchange, symbol, lotSize, basePrice } of held) {
    venue.exchange.setPrice(exchange, symbol, basePrice);
    const order = { exchange, symbol, side: 'BUY', orderType: 'MARKET', product: 'INTRADAY', quantity: lotSize } as const;
    expect(venue.exchange.placeByHand(id, order)).toMatchObject({ ok: true });
  }
  await clock.sleep(100);
  await gateway.call('POST', `/broker/connect?broker=${id}`);
  await until(clock, `${id}: positions adopted`, async () => (await positions(gateway)).length >= COUNT);
  return { ...scene, held };
}

/** How long after its fill at the exchange (ms) an order is answered that rests a third of a second, the second least of five: a busy machine adds to most. Polls come 0.25 and 0.5 s after the send; one that rests half a second is answered PENDING. */
async function lagOfFill(
  { gateway, venue, clock }: Scene,
  id: BrokerId,
  { pricedByFeed = false }: FeedTraits,
  name: string,
): Promise<number> {
  const lags: number[] = [];
  for (let round = 0; round < 5; round++) {
    venue.faults.plant({ kind: 'partialFills', operation: 'place', broker: id, plan: [{ quantity: 'rest', afterMs: 300 }] });
    const instrument = instrumentOf(venue, 'NSE', round % 2 === 0 ? 'YESBANK' : 'IDEA');
    const answer = await gateway.place({ ...order(id, instrument, `lag ${name} ${round}`), ...(pricedByFeed ? limit(instrument, 5) : {}) });
    const answeredAt = clock.now();
    expect(answer.body).toMatchObject({ success: true, fill_status: 'FILLED' });
    lags.push(answeredAt - (venue.exchange.ledger().trades.at(-1)?.at ?? 0));
    const exit = {
      ...order(id, instrument, `exit ${name} ${round}`),
      ...(pricedByFeed ? limit(instrument, -5) : {}),
      transaction_type: 'SELL',
    };
    expect((await gateway.place(exit)).body).toMatchObject({ fill_status: 'FILLED' });
  }
  return lags.sort((a, b) => a - b)[1] ?? 0;
}

function order(id: BrokerId, instrument: Instrument, key: string) {
  const sides = { transaction_type: 'BUY', order_type: 'MARKET', product_type: 'INTRADAY', quantity: 1 };
  return { ...named(id, instrument), exchange: instrument.exchange, ...sides, idempotency_key: key };
}

/** A limit this many percent off the base price, which trades at once. */
function limit({ basePrice, tick }: Instrument, percent: number) {
  const ticks = Math.round((Number(basePrice) * (1 + percent / 100)) / Number(tick));
  return { order_type: 'LIMIT', price: Number((ticks * Number(tick)).toFixed(4)) };
}

function instrumentOf(venue: PracticeExchange, exchange: string, symbol: string): Instrument {
  const found = venue.exchange.instruments.find((each) => each.exchange === exchange && each.symbol === symbol);
  if (!found) throw new Error(`no instrument ${symbol}`);
  return found;
}

function named(id: BrokerId, instrument: Instrument) {
  const emulator = emulators.find((each) => each.id === id);
  if (!emulator) throw new Error(`no emulator ${id}`);
  return emulator.named(instrument);
}

/** Base price and some ticks, as the number of rupees that decimal text reads as. */
function moved(instrument: Instrument, steps: number): number {
  return Number((Number(instrument.basePrice) + steps * Number(instrument.tick)).toFixed(4));
}

function seen(scene: Scene, id: BrokerId, instrument: Instrument): number | undefined {
  return scene.gateway.context.feed.price(instrument.exchange, named(id, instrument).symbol)?.rupees;
}

interface Position {
  exchange: string;
  symbol: string;
  ltp: string | null;
  entry_price: string | null;
}

async function positions(gateway: TestGateway): Promise<Position[]> {
  return await gateway.context.sql<Position[]>`select exchange, symbol, ltp, entry_price from tsm_positions where status = 'OPEN'`;
}

async function until(clock: Clock, what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const began = clock.mono();
  const reallyBegan = systemClock.mono();
  while (!(await holds())) {
    // A busy machine gets real time too.
    if (clock.mono() - began > PATIENCE_MS && systemClock.mono() - reallyBegan > PATIENCE_MS / FACTOR)
      throw new Error(`waited in vain: ${what}`);
    await clock.sleep(40);
  }
}

/** Chance without chance: polls come at their planned moments. Bytes stay random. */
const even: Random = { ...seededRandom(7), next: () => 0.5 };

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom, systemClock } from '../../server/clock.ts';
import { judge } from '../chaos/judge.ts';
import { type Asked, ask, askAgain, drawOrders, MOST_ORDERS } from '../chaos/orders.ts';
import { type Store, startStore } from '../chaos/store.ts';
import { type Tallies, total, violations } from '../chaos/tally.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { everything, trialsOf } from '../support/proven.ts';

const AWAY_MS = 10_000;
const ROUNDS = trialsOf(3, 6);
const LEAST_OF_ROUND = 33;
/** Orders come in over this long, from a second before the database goes. */
const LOAD_MS = 8000;
/** What stood in SENDING a moment before may still be on its way, on a busy machine for long. */
const ON_ITS_WAY_MS = 3000;
const PATIENCE_MS = 60_000;

let home: string;
let store: Store;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'gateway-database-stop-'));
  store = await startStore(home);
}, 60_000);
afterAll(async () => {
  await store.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Orders in every share, each share long and short in turn. */
function drawLoad(seed: number): Asked[] {
  const random = seededRandom(seed);
  return Array.from({ length: ROUNDS }, (_, round) => {
    const net = new Map<string, number>();
    const side = new Map(MOST_ORDERS > 0 ? [] : net);
    const common = { random, broker: 'zerodha', kind: 'database', count: MOST_ORDERS, net: side, stuck: new Set<string>() } as const;
    return drawOrders({ ...common, prefix: `r${round}-`, quantity: round + 1 });
  }).flat();
}

/** Asks for each order at its time, and again under its key until there is an answer to keep. */
function load(gateway: TestGateway, asked: readonly Asked[]): Promise<unknown> {
  const until = Date.now() + PATIENCE_MS;
  return Promise.all(
    asked.map(async (one, index) => {
      await systemClock.sleep((index / asked.length) * LOAD_MS);
      if (!(await ask(gateway, one, 'first'))) await askAgain(gateway, one, until, 1000);
    }),
  );
}

const outages = [
  {
    name: 'stands still',
    begin: (): (() => void) => store.freeze(),
  },
  {
    name: 'is stopped at once and started again',
    begin(): () => Promise<void> {
      store.kill('SIGQUIT');
      return () => store.revive();
    },
  },
];

it.each(outages.slice(everything ? 0 : 1))(
  'the database $name for ten seconds under load: nothing is sent without a record, nothing is lost',
  async ({ begin, name }) => {
    const seed = Math.floor(Math.random() * 1_000_000);
    const database = `stop_${outages.findIndex((one) => one.name === name)}`;
    const dataDir = mkdtempSync(join(home, 'gateway-'));
    const gateway = await startGateway({ from: { databaseUrl: await store.create(database), dataDir } });
    const venue = () => gateway.context.exchange?.exchange.ledger();
    try {
      const asked = drawLoad(seed);
      expect(asked.length).toBeGreaterThanOrEqual(LEAST_OF_ROUND * ROUNDS);
      const loaded = load(gateway, asked);
      await systemClock.sleep(1000);
      const end = begin();
      const from = Date.now();
      await systemClock.sleep(AWAY_MS);
      const backAt = Date.now();
      await end();
      await loaded;

      const requests = venue()?.requests ?? [];
      expect(requests.length, `seed ${seed}`).toBeGreaterThan(0);
      expect(
        requests.filter(({ at }) => at > from + ON_ITS_WAY_MS && at < backAt),
        `seed ${seed}`,
      ).toEqual([]);
      expect(asked.filter((one) => one.refused).length, `seed ${seed}`).toBeGreaterThan(0);

      const until = Date.now() + PATIENCE_MS;
      await Promise.all(asked.map((one) => askAgain(gateway, one, until, 1000)));
      const tallies: Tallies = new Map();
      const findings = judge({ asked, ledger: venue()?.orders ?? [], records: await store.records(database) }, tallies);
      expect(findings, `seed ${seed}`).toEqual([]);
      expect(violations(total(tallies)), `seed ${seed}`).toBe(0);
      expect(total(tallies), `seed ${seed}`).toMatchObject({ asked: asked.length, unknown: 0 });
      expect(gateway.context.unresolved(), `seed ${seed}`).toEqual([]);
    } finally {
      await gateway.halt();
    }
  },
  240_000,
);

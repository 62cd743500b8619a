import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrokerId } from '../../contract/words.ts';
import { systemClock } from '../../server/clock.ts';
import { emulators, practiceCredentials } from '../../server/exchange/emulators.ts';
import { createExchange } from '../../server/exchange/exchange.ts';
import { silentLog } from '../../server/log.ts';
import type { Disk } from './disk.ts';
import { startProxy, type Wire } from './proxy.ts';
import { embeddedRecords, type KeyRecord, type Store } from './store.ts';
import { startVenue, VenueOrder } from './venue.ts';

/** What stands around the gateways of one history. */
export interface Stand {
  broker: BrokerId;
  /** Settings of its gateways. */
  env: Record<string, string>;
  ledger(): Promise<VenueOrder[]>;
  records(): Promise<KeyRecord[]>;
  /** Null where the exchange is the gateway's own. */
  wire: Wire | null;
  /** Null where the database is the gateway's own. */
  store: Store | null;
  /** The small disk of the gateway's data, where it has one. */
  disk: Disk | null;
  close(): Promise<void>;
}

/** Gateway, exchange and database as processes of their own, the proxy between gateway and exchange. */
export async function apartStand(options: { broker: BrokerId; dataDir: string; seed: number; store: Store; name: string }): Promise<Stand> {
  const { broker, store, name } = options;
  const [{ wire, venue, env }, url] = await Promise.all([venueBehindProxy(options), store.create(name)]);
  return {
    broker,
    env: { ...env, DATA_DIR: join(options.dataDir, 'gateway'), DATABASE_URL: url },
    ledger: venue.ledger,
    records: () => store.records(name),
    wire,
    store,
    disk: null,
    async close() {
      await Promise.all([wire.close(), venue.kill()]);
      await store.drop(name);
    },
  };
}

/** A gateway with the database it brings along; the exchange apart from it. */
export async function ownStand(options: { broker: BrokerId; dataDir: string; seed: number }): Promise<Stand> {
  const { venue, wire, env } = await venueBehindProxy(options);
  const dataDir = join(options.dataDir, 'gateway');
  return {
    broker: options.broker,
    env: { ...env, DATA_DIR: dataDir },
    ledger: venue.ledger,
    records: () => embeddedRecords(dataDir),
    wire,
    store: null,
    disk: null,
    close: async () => void (await Promise.all([wire.close(), venue.kill()])),
  };
}

/** The same with all its data on a small disk. */
export async function smallDiskStand(options: { broker: BrokerId; dataDir: string; seed: number; disk: Disk }): Promise<Stand> {
  const { disk } = options;
  const stand = await ownStand(options);
  return {
    ...stand,
    env: { ...stand.env, DATA_DIR: disk.path },
    records: () => embeddedRecords(disk.path),
    disk,
    async close() {
      await stand.close();
      await disk.unmount();
    },
  };
}

/** Everything in the gateway's own tree, as `npm start` brings it: the ledger is read from its file. */
export function treeStand(broker: BrokerId, dataDir: string): Stand {
  const gatewayDir = join(dataDir, 'gateway');
  mkdirSync(gatewayDir, { recursive: true });
  return {
    broker,
    env: { BROKERS: broker, DATA_DIR: gatewayDir, PRACTICE_LIMITS: 'off' },
    ledger: async () => readLedger(join(gatewayDir, 'practice', 'practice-ledger.jsonl')),
    records: () => embeddedRecords(gatewayDir),
    wire: null,
    store: null,
    disk: null,
    close: async () => undefined,
  };
}

async function venueBehindProxy({ broker, dataDir, seed }: { broker: BrokerId; dataDir: string; seed: number }) {
  const venue = await startVenue(dataDir, seed);
  const port = venue.portOf(broker);
  const wire = await startProxy(port);
  const name = broker.toUpperCase();
  const through = (url: string) => url.replace(`:${port}`, `:${wire.port}`);
  const { api, login, feed } = venue.urls[broker];
  const credentials = Object.entries(practiceCredentials(broker)).map(([setting, value]) => [`${name}_${setting}`, value]);
  const env: Record<string, string> = {
    BROKERS: broker,
    PRACTICE_LIMITS: 'off',
    [`${name}_API_URL`]: through(api),
    [`${name}_LOGIN_URL`]: through(login),
    [`${name}_FEED_URL`]: through(feed),
    ...Object.fromEntries(credentials),
  };
  return { venue, wire, env };
}

/** The last state of every order in a practice ledger; a line torn by a kill is left out. */
function readLedger(file: string): VenueOrder[] {
  const orders = new Map<string, VenueOrder>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (!line.startsWith('{') || !line.endsWith('}')) continue;
    const { kind, order } = JSON.parse(line);
    if (kind !== 'order') continue;
    const average = order.filled === 0 ? '0' : (Number(order.filledValue) / order.filled).toFixed(4);
    orders.set(order.orderId, VenueOrder.parse({ ...order, status: order.state, average, changedAt: null }));
  }
  return [...orders.values()];
}

/** Tells a broker's placing requests by their first line: the practice exchange's own routes say which they are. */
export function placingLines(broker: BrokerId): (requestLine: string) => boolean {
  const exchange = createExchange({ clock: systemClock, log: silentLog(), seed: 1 });
  const routes = emulators.find((emulator) => emulator.id === broker)?.serve(exchange).routes ?? [];
  exchange.close();
  const patterns = routes
    .filter((route) => route.operation === 'place')
    .map(({ method, path }) => new RegExp(`^${method} ${path.replace(/:\w+/g, '[^/ ?]+')}[ ?]`));
  return (line) => patterns.some((pattern) => pattern.test(line));
}

import { fileRule, type Import, importsOf, type Rule } from './source.ts';

interface Room {
  /** The files it holds. */
  files: RegExp;
  /** The rooms it may import from, beside itself and, in server/, the base. */
  may: readonly string[];
}

/** Part of every room of server/. */
const base = ['clock', 'printable', 'log', 'meters', 'money', 'config', 'contract'];

/** The house, from the roof down. A file of contract, server, sdk or drizzle stands in the first room that fits, and imports what its line names. */
const rooms: Readonly<Record<string, Room>> = {
  page: { files: /^server\/http\/console\/page\//, may: [] },
  http: { files: /^server\/http\//, may: ['api'] },
  ops: { files: /^server\/ops\//, may: 'api alerts orders journal feed books broker db'.split(' ') },
  api: {
    files: /^server\/api\//,
    may: ['alerts', 'report', 'session', 'auth', 'exits', 'orders', 'feed', 'events', 'instruments', 'broker'],
  },
  alerts: { files: /^server\/alerts\//, may: ['calendar', 'events', 'db', 'drizzle'] },
  report: { files: /^server\/report\//, may: ['calendar', 'journal', 'feed', 'books', 'events', 'instruments', 'broker', 'db', 'drizzle'] },
  retention: { files: /^server\/retention\//, may: ['calendar', 'db', 'drizzle'] },
  calendar: { files: /^server\/calendar\//, may: [] },
  backup: { files: /^server\/backup\//, may: ['journal', 'db', 'drizzle'] },
  certify: { files: /^server\/certify\//, may: 'calendar session orders journal feed broker adapters exchange db'.split(' ') },
  settle: { files: /^server\/settle\//, may: ['orders', 'journal', 'db', 'drizzle'] },
  session: { files: /^server\/session\//, may: ['calendar', 'journal', 'instruments', 'broker', 'adapters', 'db', 'drizzle'] },
  auth: { files: /^server\/auth\//, may: ['db', 'drizzle'] },
  exits: { files: /^server\/exits\//, may: ['orders', 'journal', 'instruments', 'broker', 'db', 'drizzle'] },
  orders: { files: /^server\/orders\//, may: ['journal', 'instruments', 'broker'] },
  journal: { files: /^server\/journal\//, may: ['books', 'db', 'drizzle'] },
  feed: { files: /^server\/feed\//, may: ['books', 'instruments', 'broker', 'db'] },
  books: { files: /^server\/books\//, may: ['broker', 'db', 'drizzle'] },
  events: { files: /^server\/events\//, may: ['db', 'drizzle'] },
  instruments: { files: /^server\/instruments\//, may: ['broker', 'db', 'drizzle'] },
  // What the rest of the gateway knows of brokers; all else there is the ten's.
  broker: {
    files:
      /^server\/brokers\/(account|broker|budget|door|feed|instrument|master|order-budget|quote-read|read-budget|shared-read|wake)\.ts$/,
    may: [],
  },
  adapters: { files: /^server\/brokers\//, may: ['broker'] },
  exchange: { files: /^server\/exchange\//, may: [] },
  db: { files: /^server\/db\//, may: ['drizzle'] },
  clock: { files: /^server\/clock\.ts$/, may: [] },
  log: { files: /^server\/log\.ts$/, may: [] },
  meters: { files: /^server\/meters\.ts$/, may: [] },
  money: { files: /^server\/money\.ts$/, may: [] },
  printable: { files: /^server\/printable\.ts$/, may: [] },
  config: { files: /^server\/config\//, may: [] },
  start: {
    files: /^server\/(context|wiring|first-screen|front|pair|start|main|few-arenas|fast-imports|version)\.(ts|js)$/,
    may: 'http ops api alerts report retention calendar settle session auth exits orders journal feed books events instruments broker adapters exchange db'.split(
      ' ',
    ),
  },
  contract: { files: /^contract\//, may: [] },
  drizzle: { files: /^drizzle\//, may: ['contract'] },
  sdk: { files: /^sdk\//, may: [] },
};

function roomOf(path: string): string | undefined {
  return Object.keys(rooms).find((name) => rooms[name]?.files.test(path));
}

function mayImport(room: string, path: string, target: string): boolean {
  const to = roomOf(target);
  if (to === undefined || to === room) return to === room;
  return rooms[room]?.may.includes(to) === true || (path.startsWith('server/') && base.includes(to));
}

const isOurs = ({ target }: Import) => /^(contract|server|sdk|drizzle|test|bench)\//.test(target);
const brokerFolder = (path: string) => /^server\/brokers\/([^/]+)\//.exec(path)?.[1];

const importRule = (name: string, where: RegExp, allowed: (found: Import, path: string) => boolean, bad: [path: string, text: string][]) =>
  fileRule(
    name,
    (file) => (where.test(file.path) ? importsOf(file).flatMap((found) => (allowed(found, file.path) ? [] : found.target)) : []),
    bad.map(([path, text]) => ({ path, text })),
  );

export const roomRules: readonly Rule[] = [
  fileRule(
    'every file stands in a room',
    ({ path }) => (/^(contract|server|sdk|drizzle)\//.test(path) && roomOf(path) === undefined ? ['no line of the table holds it'] : []),
    [
      { path: 'server/a.ts', text: '' },
      { path: 'server/helpers/a.ts', text: '' },
    ],
  ),
  importRule(
    'a room imports what its line of the table names',
    /^(contract|server|sdk|drizzle)\//,
    (found, path) => !isOurs(found) || mayImport(roomOf(path) ?? '', path, found.target),
    [
      ['contract/a.ts', "import { systemClock } from '../server/clock.ts';"],
      ['server/clock.ts', "import type { Log } from './db/open.ts';"],
      ['server/db/open.ts', "import { held } from '../books/held.ts';"],
      ['server/brokers/dhan/wire.ts', "import {\n  statuses,\n} from '../../exchange/dhan.ts';"],
      ['server/brokers/account.ts', "import type { Watched } from '../books/open-positions.ts';"],
      ['server/brokers/account.ts', "import { call } from './http.ts';"],
      ['server/exchange/dhan/emulator.ts', "import type { Wire } from '../../brokers/dhan/wire.ts';"],
      ['server/exchange/dhan/emulator.ts', "import { tradedByToken } from '../../brokers/instrument.ts';"],
      ['server/books/book.ts', "const names = await import('../brokers/index.ts');"],
      ['server/books/watch.ts', "import type { Journal } from '../journal/journal.ts';"],
      ['server/books/watch.ts', "import type { Feed } from '../feed/feed.ts';"],
      ['server/feed/feed.ts', "import { parse } from '../brokers/parse.ts';"],
      ['server/journal/move.ts', "import { Entry } from '../orders/entry.ts';"],
      ['server/orders/place.ts', "import { dhan } from '../brokers/dhan/adapter.ts';"],
      ['server/orders/place.ts', "import { startProcess } from '../../test/simulation/process.ts';"],
      ['server/session/reads.ts', "import type { OrderService } from '../orders/order-service.ts';"],
      ['server/settle/serve.ts', "import type { Sessions } from '../session/sessions.ts';"],
      ['server/api/router.ts', "import { Refusal } from '../http/refusal.ts';"],
      ['server/http/app.ts', "import type { OrderService } from '../orders/order-service.ts';"],
      ['server/http/app.ts', "import type { Context } from '../context.ts';"],
      ['server/http/console/page/head.ts', "import { pathOf } from '../../routes.ts';"],
      ['server/http/console.ts', "import { App } from './console/page/app.ts';"],
      ['drizzle/schema.ts', "import { systemClock } from '../server/clock.ts';"],
      ['sdk/index.ts', "import type { PlaceOrderRequest } from '../contract/orders.ts';"],
    ],
  ),
  importRule(
    'the contract imports zod alone, plus one type of trpc-to-openapi',
    /^contract\//,
    (found) =>
      isOurs(found) ||
      found.target === 'zod' ||
      (found.target === 'trpc-to-openapi' && /^import type \{ OpenApiMeta \}/.test(found.statement)),
    [
      ['contract/a.ts', "import { type OpenApiMeta, generateOpenApiDocument } from 'trpc-to-openapi';"],
      ['contract/a.ts', "export * from 'node:fs';"],
    ],
  ),
  importRule(
    "the console's page takes types alone from outside: it runs in a browser",
    /^server\/http\/console\/page\//,
    ({ target, statement }) => !isOurs({ target, statement }) || roomOf(target) === 'page' || /^import type /.test(statement),
    [['server/http/console/page/head.ts', "import { eventTopics } from '../../../../contract/events.ts';"]],
  ),
  importRule(
    'tables are read and written through drizzle, on the handle of server/db',
    /^server\/(?!db\/|context\.ts)/,
    // Both tell its errors apart.
    ({ target }, path) => target !== 'postgres' || /^server\/(books\/record-fill|journal\/withdraw)\.ts$/.test(path),
    [['server/books/book.ts', "import type { Sql } from 'postgres';"]],
  ),
  importRule(
    "a broker's folder is its own; only brokers/index.ts names all ten",
    /^server\//,
    ({ target }, path) => {
      const folder = brokerFolder(target);
      return folder === undefined || folder === brokerFolder(path) || path === 'server/brokers/index.ts';
    },
    [
      ['server/main.js', "import { login } from './brokers/dhan/login.ts';"],
      ['server/brokers/dhan/wire.ts', "export { words } from '../fyers/wire.ts';"],
    ],
  ),
];

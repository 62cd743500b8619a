import { readFileSync } from 'node:fs';
import { parse } from 'pg-connection-string';
import { DatabaseError, reasonOf } from './error.ts';

/** Where a PostgreSQL listens and how to sign in; `path` is a socket file and wins over host and port. */
export interface Address {
  host: string;
  port: number;
  path?: string;
  database: string;
  user?: string;
  password?: string;
  ssl: false | 'prefer' | 'require' | object;
  /** Session settings sent when a connection starts. */
  session: Readonly<Record<string, string>>;
  /** Other servers of the same database, in the order they were named: the one that takes writes is to be looked for (primary.ts). */
  others?: readonly Address[];
}

/** Words of connection addresses that are meant for the client and mean nothing here: they must not reach the server. */
const dropped = new Set(
  'channel_binding connect_timeout gssencmode keepalives keepalives_idle keepalives_interval keepalives_count krbsrvname pgbouncer ssl sslcompression sslnegotiation target_session_attrs'.split(
    ' ',
  ),
);
const tlsWords = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/** A DATABASE_URL, read as libpq reads it: `host` may be a socket directory, parameters win over the front part, several hosts stand for one replicated database. Throws DatabaseError. */
export function readAddress(databaseUrl: string): Address {
  const [first = databaseUrl, ...rest] = oneByOne(databaseUrl);
  const others = rest.map(readOne);
  return { ...readOne(first), ...(others.length > 0 && { others }) };
}

/** The same address once for each host it names: `//user@a:1,b:2/name` or `?host=a,b&port=1,2`. */
function oneByOne(databaseUrl: string): string[] {
  const [, front = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(databaseUrl) ?? [];
  const [path = '', query = ''] = rest.split(/\?(.*)/s);
  const words = new URLSearchParams(query);
  const [named, ports] = [words.get('host')?.split(',') ?? [], words.get('port')?.split(',') ?? []];
  if (named.length < 2) return hosts.split(',').map((host) => `${front}${host}${rest}`);
  return named.map((host, index) => {
    const own = new URLSearchParams(words);
    own.set('host', host);
    const port = ports[index] ?? ports[0];
    if (port) own.set('port', port);
    return `${front}${hosts}${path}?${own}`;
  });
}

function readOne(databaseUrl: string): Address {
  const url = URL.parse(databaseUrl);
  if (!url) throw new DatabaseError('DATABASE_URL: is not an address such as postgres://user:password@host:5432/database');
  // The library would open the files itself, and knows neither `allow` nor `prefer`.
  const tls = Object.fromEntries([...url.searchParams].filter(([name]) => tlsWords.includes(name)));
  for (const name of tlsWords) url.searchParams.delete(name);
  const { host: named, port: portText, user, password, database, dbname, ...rest } = parse(url.href);
  const host = named || 'localhost';
  const port = Number(portText || 5432);
  const local = host.startsWith('/');
  return {
    host,
    port,
    ...(local && { path: `${host}/.s.PGSQL.${port}` }),
    database: (typeof dbname === 'string' ? dbname : nameOf(database)) || user || 'postgres',
    ...(user && { user }),
    ...(password && { password }),
    ssl: local ? false : tlsOf(tls),
    session: Object.fromEntries(Object.entries(rest).flatMap(([name, value]) => (dropped.has(name) ? [] : [[name, String(value)]]))),
  };
}

/** The library leaves the escapes of reserved characters in a database's name. */
function nameOf(database: string | null | undefined): string {
  return (database ?? '').replace(/%[0-9a-f]{2}/gi, decodeURIComponent);
}

function tlsOf(given: Readonly<Record<string, string>>): Address['ssl'] {
  const mode = given.sslmode ?? { true: 'require', false: 'disable' }[given.ssl ?? ''] ?? given.ssl ?? 'prefer';
  const files = {
    ...(given.sslrootcert && given.sslrootcert !== 'system' && { ca: fileOf('sslrootcert', given.sslrootcert) }),
    ...(given.sslcert && { cert: fileOf('sslcert', given.sslcert) }),
    ...(given.sslkey && { key: fileOf('sslkey', given.sslkey) }),
  };
  const modes: Readonly<Record<string, Address['ssl']>> = {
    disable: false,
    allow: 'prefer',
    prefer: 'prefer',
    require: { ...files, rejectUnauthorized: false },
    'no-verify': { ...files, rejectUnauthorized: false },
    'verify-ca': { ...files, checkServerIdentity: () => undefined },
    'verify-full': { ...files },
  };
  const chosen = modes[mode];
  if (chosen === undefined) throw new DatabaseError(`DATABASE_URL: sslmode "${mode}" is not one of ${Object.keys(modes).join(', ')}`);
  return chosen;
}

function fileOf(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new DatabaseError(`DATABASE_URL: the file of ${name}, ${path}, cannot be read`);
  }
}

/** The address for people: no password, and no socket that nobody named. */
export function describeAddress(address: Address): string {
  if (address.path) return address.user === 'gateway' ? 'the database in DATA_DIR' : `the database ${address.database} of DATABASE_URL`;
  const servers = [address, ...(address.others ?? [])].map(({ host, port }) => `${host}:${port}`);
  return `the database ${address.database} at ${servers.join(' and ')}`;
}

/** A database that cannot be used, in one sentence that names the setting. */
export function refused(address: Address, error: unknown): DatabaseError {
  const setting = address.path && address.user === 'gateway' ? 'DATA_DIR' : 'DATABASE_URL';
  return new DatabaseError(`${setting}: ${describeAddress(address)} cannot be used: ${reasonOf(error)}`, { cause: error });
}

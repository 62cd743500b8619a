import { readFileSync } from 'node:fs';
import { DatabaseError } from './error.ts';

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
}

/** Words of connection addresses that are meant for the client and mean nothing here: they must not reach the server. */
const dropped = new Set(
  'channel_binding connect_timeout gssencmode keepalives keepalives_idle keepalives_interval keepalives_count krbsrvname pgbouncer sslcompression sslnegotiation target_session_attrs'.split(
    ' ',
  ),
);
const used = new Set('host port user password dbname ssl sslmode sslrootcert sslcert sslkey'.split(' '));

/** A DATABASE_URL, read as libpq reads it: `host` may be a socket directory, parameters win over the front part. Throws DatabaseError. */
export function readAddress(databaseUrl: string): Address {
  const url = URL.parse(databaseUrl);
  if (!url) throw new DatabaseError('DATABASE_URL: is not an address such as postgres://user:password@host:5432/database');
  const given = Object.fromEntries(url.searchParams);
  const host = given.host ?? (decodeURIComponent(url.hostname).replace(/^\[|\]$/g, '') || 'localhost');
  if (host.includes(',')) throw new DatabaseError('DATABASE_URL: names several hosts; name the one that takes writes');
  const port = Number(given.port ?? (url.port || 5432));
  const user = given.user ?? decodeURIComponent(url.username);
  const password = given.password ?? decodeURIComponent(url.password);
  const local = host.startsWith('/');
  return {
    host,
    port,
    ...(local && { path: `${host}/.s.PGSQL.${port}` }),
    database: (given.dbname ?? decodeURIComponent(url.pathname.slice(1))) || user || 'postgres',
    ...(user && { user }),
    ...(password && { password }),
    ssl: local ? false : tlsOf(given),
    session: Object.fromEntries(Object.entries(given).filter(([name]) => !dropped.has(name) && !used.has(name))),
  };
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

/** The address for people: no password. */
export function describeAddress(address: Address): string {
  return address.path ?? `${address.host}:${address.port}/${address.database}`;
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type postgres from 'postgres';
import { systemClock } from '../clock.ts';
import type { Address } from './address.ts';
import { DatabaseError } from './error.ts';
import { secured } from './secured.ts';
import { steady } from './steady-socket.ts';

/**
 * The door every database connection goes through. While it is shut, queries fail at once instead of queueing,
 * and shutting it cuts the connections there are: this bounds every query in flight when a server stops answering.
 */
export interface Gate {
  /** postgres.js options that lead through this door. */
  options: postgres.Options<Record<string, never>>;
  /** `to`: another server of the same database than the one it was made for. */
  open(to?: Address): void;
  shut(): void;
  /** Whether it is open, and how often it was shut while it was. */
  state(): { isOpen: boolean; shut: number };
}

const connectTimeoutMs = 5_000;
const keepAliveMs = 10_000;
/** Longer than any statement of ours should take; the server ends it then. */
const statementTimeoutMs = 10_000;

/** Of every connection. */
const sessionSettings = {
  application_name: 'broker-gateway',
  TimeZone: 'UTC',
  // Every statement is a look-up by key: planning it anew each time would only cost.
  plan_cache_mode: 'force_generic_plan',
  DateStyle: 'ISO',
  statement_timeout: statementTimeoutMs,
  lock_timeout: statementTimeoutMs / 2,
  idle_in_transaction_session_timeout: statementTimeoutMs * 2,
};

/** A gate to the server `made`, shut at first. `session` adds settings to every connection. */
export function createGate(made: Address, session: Readonly<Record<string, string | number>> = {}): Gate {
  const sockets = new Set<Socket>();
  let address = made;
  let isOpen = false;
  let shutTimes = 0;

  async function socket(): Promise<Duplex> {
    for (const one of sockets) if (one.destroyed) sockets.delete(one);
    if (!isOpen) return doomed(unavailable());
    const dialled = dial(address);
    sockets.add(dialled);
    return connected(dialled, address).then(steady).catch(doomed);
  }
  // `socket` is an option of postgres.js that its types leave out.
  const dialling: object = { socket };
  return {
    options: {
      ...dialling,
      host: address.host,
      port: address.port,
      database: address.database,
      ...(address.user && { user: address.user }),
      ...(address.password && { password: address.password }),
      // The socket that is handed over has it.
      ssl: false,
      connect_timeout: connectTimeoutMs / 1_000,
      // A fixed short pause: the gate decides when connecting makes sense, and the growing default would delay the return by 20 s.
      backoff: () => 0.05,
      keep_alive: null,
      // The query for array types has nobody to take its failure: a connection lost in it would end the process.
      fetch_types: false,
      onnotice: () => undefined,
      connection: {
        ...sessionSettings,
        ...session,
        ...address.session,
      },
    },
    open: (to = address) => {
      address = to;
      isOpen = true;
    },
    shut: () => {
      if (isOpen) shutTimes += 1;
      isOpen = false;
      // In the next round of the event loop, for the reason told at `doomed`.
      const cut = [...sockets];
      void systemClock.sleep(0).then(() => {
        for (const one of cut) one.destroy(one.connecting ? unavailable() : undefined);
      });
    },
    state: () => ({ isOpen, shut: shutTimes }),
  };
}

function unavailable(): DatabaseError {
  return new DatabaseError('The database is not available');
}

function dial({ host, port, path }: Address): Socket {
  return path ? connect({ path }) : connect({ host, port, keepAlive: true, keepAliveInitialDelay: keepAliveMs, noDelay: true });
}

async function connected(socket: Socket, to: Address): Promise<Socket> {
  socket.setTimeout(connectTimeoutMs, () => socket.destroy(new DatabaseError('The database does not answer')));
  try {
    await once(socket, 'connect');
    return await secured(socket, to);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    socket.setTimeout(0);
  }
}

/**
 * A socket that fails with `error` once something is written. postgres.js has no way to take a failure here, and it never
 * writes again on a connection that closes before its first message was flushed.
 */
function doomed(error: Error): Duplex {
  return new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done(error) });
}

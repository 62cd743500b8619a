import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../clock.ts';
import { ConfigError } from '../config/config.ts';
import { answerParserErrors } from './parser-errors.ts';
import { secureSockets } from './secure-sockets.ts';
import { backlog, watchStrangers } from './strangers.ts';
import type { CertificateKeeper } from './tls.ts';

interface Place {
  host: string;
  port: number;
}

export interface Listening {
  port: number;
  /** Takes no new request, gives those in flight up to 1 s, then ends every connection. */
  close(): Promise<void>;
}

const GRACE_MS = 1000;
const GRACE_STEP_MS = 10;
/** The headers of a request must arrive within this. */
const HEADERS_TIMEOUT_MS = 7_000;
const CHECK_EVERY_MS = 1_000;
/** A whole request, headers and body, must arrive within this. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the pause between a strategy's calls, so that its connection stays warm. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Refuses a port that is taken, or an address that is not here, before anything else is made or changed. Throws a ConfigError that names the setting.
 */
export async function refuseTaken({ host, port }: Place): Promise<void> {
  const probe = createServer();
  await bind(probe, host, port);
  probe.close();
  await once(probe, 'close');
}

/** `::` is every interface over IPv4 and IPv6, and over IPv4 alone where this machine has no IPv6. */
async function bind(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen({ port, host, backlog: backlog() });
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (host === '::' && (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL')) return await bind(server, '0.0.0.0', port);
    throw explain(error, host, port);
  }
}

/** Serves the app, over HTTPS with a certificate; port 0 takes a free one. Throws a ConfigError that names PORT or HOST when it cannot listen there. */
export async function listen(
  app: RequestListener,
  { host, port }: Place,
  certificate: CertificateKeeper | null = null,
): Promise<Listening> {
  const timeouts = { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_MS };
  const options = { ...timeouts, connectionsCheckingInterval: CHECK_EVERY_MS };
  const server = (certificate?.serve(options) ?? createServer(options)).on('request', app);
  const sockets = secureSockets(server);
  answerParserErrors(server, sockets);
  const stopWatch = watchStrangers(server, sockets);
  server.once('close', stopWatch);
  await bind(server, host, port);
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  const done = new AbortController();
  closed.then(() => done.abort());
  server.close();
  for (let waited = 0; waited < GRACE_MS && !done.signal.aborted; waited += GRACE_STEP_MS) {
    server.closeIdleConnections();
    await systemClock.sleep(GRACE_STEP_MS, done.signal);
  }
  server.closeAllConnections();
  await closed;
}

const reasons: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `PORT: ${port} is already in use on ${host === '::' ? 'this machine' : host}; stop what uses it or set PORT to another one`,
  EACCES: (host, port) => `PORT: this user may not listen on ${port} of ${host}; set PORT to one above 1023`,
  EADDRNOTAVAIL: (host) => `HOST: ${host} is not an address of this machine`,
  ENOTFOUND: (host) => `HOST: ${host} is not a known name or address`,
};

function explain(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasons[code];
  return reason ? new ConfigError(reason(host, port), { cause: error }) : error;
}

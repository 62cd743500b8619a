import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../../log.ts';
import type { Exchange } from '../exchange.ts';
import type { Call, Emulator, Route } from './emulator.ts';
import type { Fault, Faults, Strike } from './faults.ts';
import type { WireReply, WireRequest } from './message.ts';
import { serveStreams } from './stream.ts';

export interface EmulatorOptions {
  emulator: Emulator;
  exchange: Exchange;
  faults: Faults;
  /** 0 for a free one. */
  port: number;
  /** Holds callers to the broker's published request limits. */
  limits: boolean;
  log: Log;
}

export interface EmulatorServer {
  origin: string;
  close(): Promise<void>;
}

const LARGEST_BODY = 1_048_576;

/** Serves one emulator on a loopback port. Rejects with the listen error, e.g. EADDRINUSE. */
export async function serveEmulator(options: EmulatorOptions): Promise<EmulatorServer> {
  const { emulator, exchange, faults, log } = options;
  const service = emulator.serve(exchange);
  const find = routeFinder(service.routes);
  const limited = options.limits ? limiter(emulator, () => exchange.clock.mono()) : () => false;
  let origin = '';

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming, origin);
    const found = find(request.method, request.path);
    const strike = faults.strike(emulator.id, found?.route.operation ?? 'market');
    if (found?.route.operation === 'place') exchange.received(emulator.id, emulator.tagOf(request), strike.kinds.join(' ') || null);
    if (strike.delayMs > 0) await exchange.clock.sleep(strike.delayMs);
    const before = strike.answer && answerBefore(strike.answer, emulator, incoming);
    if (before === 'silent') return;
    const reply = before ?? act(request, found, strike);
    if (strike.afterMs > 0) await exchange.clock.sleep(strike.afterMs);
    log.debug(
      { broker: emulator.id, method: request.method, path: request.path, status: reply.status, faults: strike.kinds },
      'exchange request',
    );
    send(response, before ? reply : answerAfter(strike.answer, emulator, reply), before ? null : strike.answer, exchange.clock.now());
  }

  function act(request: WireRequest, found: ReturnType<typeof find>, strike: Strike): WireReply {
    if (!found) return emulator.words.notFound();
    const { route, params } = found;
    if (limited(route.limit ?? route.operation)) return emulator.words.rateLimited();
    const refused = route.open ? null : service.unauthorised(request);
    if (refused) return refused;
    const call: Call = { request, params, account: exchange.account(emulator.id, strike.effects) };
    return route.handle(call);
  }

  const server = createServer((incoming, response) => {
    respond(incoming, response).catch((error: unknown) => {
      if (incoming.socket.destroyed) return;
      log.error({ err: error, broker: emulator.id }, 'exchange request failed');
      if (response.headersSent) incoming.socket.destroy();
      else send(response, emulator.words.serverError(500), null, exchange.clock.now());
    });
  });
  server.keepAliveTimeout = 65_000;
  const streams = serveStreams({ broker: emulator.id, streams: service.streams ?? [], exchange, faults });
  /** Once upgraded, a socket is no longer among those the server closes. */
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    // Nobody else listens while a handshake is refused, and a caller that resets it must not end the exchange.
    socket.on('error', () => socket.destroy());
    streams.upgrade(requestOf(request, '', origin), request, socket, head);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(options.port, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    close: () =>
      new Promise((resolve) => {
        streams.close();
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }),
  };
}

/** What a fault answers before the engine sees the request: words, nothing at all, or null when it does not stop it here. */
function answerBefore(fault: Fault, emulator: Emulator, incoming: IncomingMessage): WireReply | 'silent' | null {
  switch (fault.kind) {
    case 'lostRequest':
      incoming.socket.destroy();
      return 'silent';
    case 'hangBefore':
      return 'silent';
    case 'status5xxBefore':
      return emulator.words.serverError(fault.status);
    case 'rateLimited':
      return emulator.words.rateLimited();
    case 'sessionExpired':
      return emulator.words.sessionExpired();
    case 'unregisteredAddress':
      return emulator.words.unregisteredAddress(fault.address);
    default:
      return null;
  }
}

function answerAfter(fault: Fault | null, emulator: Emulator, reply: WireReply): WireReply {
  switch (fault?.kind) {
    case 'statusAfterAccept':
      return emulator.words.serverError(fault.status);
    case 'timeoutTextAfterAccept':
      return emulator.words.timedOut();
    case 'garbageAfterAccept':
      return { ...reply, body: '<html><body>\u0000 not what was promised {"status":' };
    case 'emptyAfterAccept':
      return { ...reply, body: '' };
    default:
      return reply;
  }
}

function send(response: ServerResponse, reply: WireReply, fault: Fault | null, now: number): void {
  const { socket } = response;
  if (fault?.kind === 'hangAfterAccept') return;
  if (fault?.kind === 'resetAfterAccept') {
    socket?.resetAndDestroy();
    return;
  }
  const body = Buffer.from(reply.body);
  response.writeHead(reply.status, { ...reply.headers, 'Content-Length': body.length, Date: new Date(now).toUTCString() });
  if (fault?.kind === 'resetInBody') response.write(body.subarray(0, body.length >> 1), () => socket?.destroy());
  else response.end(body);
}

async function readRequest(incoming: IncomingMessage, origin: string): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > LARGEST_BODY) throw new Error('request body over 1 MiB');
    chunks.push(bytes);
  }
  return requestOf(incoming, Buffer.concat(chunks).toString('utf8'), origin);
}

function requestOf(incoming: IncomingMessage, body: string, origin: string): WireRequest {
  const { pathname, searchParams } = new URL((incoming.url ?? '/').replace(/^\/+/, '/'), origin);
  const path = pathname.replaceAll(/\/{2,}/g, '/');
  return { method: incoming.method ?? 'GET', path, query: searchParams, headers: incoming.headers, body, origin };
}

/** Finds the route of a request; where several fit, the one with the fewest variables. */
function routeFinder(routes: readonly Route[]) {
  const table = routes
    .map((route) => ({ route, parts: route.path.split('/'), variables: route.path.split('/:').length - 1 }))
    .sort((a, b) => a.variables - b.variables);
  return (method: string, path: string): { route: Route; params: Record<string, string> } | null => {
    const given = path.split('/');
    for (const { route, parts } of table) {
      if (route.method !== method || parts.length !== given.length) continue;
      const fits = parts.every((part, index) => part === given[index] || (part.startsWith(':') && given[index] !== ''));
      if (!fits) continue;
      const named = parts.flatMap((part, index) => (part.startsWith(':') ? [[part.slice(1), decodeURIComponent(given[index] ?? '')]] : []));
      return { route, params: Object.fromEntries(named) };
    }
    return null;
  };
}

/** Sliding windows over the emulator's limits. Refused requests do not count against them. */
function limiter(emulator: Emulator, mono: () => number): (name: string) => boolean {
  const windows = emulator.limits.map((limit) => ({ ...limit, taken: [] as number[] }));
  return (name) => {
    const now = mono();
    const concerned = windows.filter((window) => window.covers.includes(name));
    for (const window of concerned) {
      const stale = window.taken.findIndex((at) => at > now - window.perMs);
      window.taken.splice(0, stale === -1 ? window.taken.length : stale);
    }
    if (concerned.some((window) => window.taken.length >= window.requests)) return true;
    for (const window of concerned) window.taken.push(now);
    return false;
  };
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../../log.ts';
import type { Exchange } from '../exchange.ts';
import type { Emulator, EmulatorService, Route, Switches } from './emulator.ts';
import { answerAfter, answerBefore, send } from './fault-answers.ts';
import type { Faults, Strike } from './faults.ts';
import { readRequest, requestOf } from './incoming.ts';
import type { LongReply, WireReply, WireRequest } from './message.ts';
import { limiter, routeFinder } from './routes.ts';
import { serveStreams } from './sockets.ts';

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
  switches: Switches;
  close(): Promise<void>;
}

/** Serves one emulator on a loopback port. Rejects with the listen error, e.g. EADDRINUSE. */
export async function serveEmulator(options: EmulatorOptions): Promise<EmulatorServer> {
  const { emulator, exchange, faults, log } = options;
  const service = emulator.serve(exchange);
  const respond = responder(options, service);
  let origin = '';

  const server = createServer((incoming, response) => {
    respond(incoming, response, origin).catch((error: unknown) => {
      if (incoming.socket.destroyed) return;
      log.error({ err: error, broker: emulator.id }, 'exchange request failed');
      if (response.headersSent) incoming.socket.destroy();
      else void send(response, emulator.words.serverError(500), null, exchange.clock.now());
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
    switches: service.switches ?? {},
    close: () =>
      new Promise((resolve) => {
        streams.close();
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }),
  };
}

type Respond = (incoming: IncomingMessage, response: ServerResponse, origin: string) => Promise<void>;

/** Answers requests: limits, login, route, and the faults planted for them. */
function responder({ emulator, exchange, faults, limits, log }: EmulatorOptions, service: EmulatorService): Respond {
  const { id, words } = emulator;
  const find = routeFinder(service.routes);
  const limited = limits ? limiter(emulator.limits, () => exchange.clock.mono()) : () => false;

  function act(
    request: WireRequest,
    found: { route: Route; params: Record<string, string> } | null,
    strike: Strike,
  ): WireReply | LongReply | Promise<WireReply> {
    if (!found) return words.notFound();
    const { route, params } = found;
    if (limited(route.limit ?? route.operation)) return words.rateLimited();
    const refused = route.open ? null : service.unauthorised(request);
    return refused ?? route.handle({ request, params, account: exchange.account(id, strike.effects) });
  }

  return async (incoming, response, origin) => {
    const request = await readRequest(incoming, origin);
    const found = find(request.method, request.path);
    const strike = faults.strike(id, found?.route.operation ?? 'market');
    if (found?.route.operation === 'place') exchange.received(id, emulator.tagOf(request), strike.kinds.join(' ') || null);
    if (strike.delayMs > 0) await exchange.clock.sleep(strike.delayMs);
    const before = strike.answer && answerBefore(strike.answer, words, incoming);
    if (before === 'silent') return;
    const reply = before ?? (await act(request, found, strike));
    if (strike.afterMs > 0) await exchange.clock.sleep(strike.afterMs);
    log.debug({ broker: id, method: request.method, path: request.path, status: reply.status, faults: strike.kinds }, 'exchange request');
    await send(response, before ? reply : answerAfter(strike.answer, words, reply), before ? null : strike.answer, exchange.clock.now());
  };
}

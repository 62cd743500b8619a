import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Exchange } from '../exchange.ts';
import type { BrokerId } from '../types.ts';
import type { Faults } from './faults.ts';
import { OpenLink } from './link.ts';
import { bare, type WireReply, type WireRequest } from './message.ts';
import type { Stream } from './stream.ts';

export interface StreamServerOptions {
  broker: BrokerId;
  streams: readonly Stream[];
  exchange: Exchange;
  faults: Faults;
}

export interface StreamServer {
  upgrade(request: WireRequest, incoming: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

const TICKS_EVERY_MS = 1000;

/** Serves the sockets of one emulator: prices once a second, orders when they change, and the faults planted for them. */
export function serveStreams({ broker, streams, exchange, faults }: StreamServerOptions): StreamServer {
  const server = new WebSocketServer({ noServer: true, maxPayload: 1_048_576, perMessageDeflate: false });
  const links = new Set<OpenLink>();
  const stopped = new AbortController();
  const stopListening = exchange.onOrder((order, trade) => {
    if (order.account !== broker || order.visibleAt > exchange.clock.now()) return;
    for (const link of links) link.push(link.talk.order?.(order, trade) ?? []);
  });

  function upgrade(request: WireRequest, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const stream = streams.find(({ path }) => path === request.path);
    const refused = stream !== undefined && faults.strikeStream(broker, 'handshake') !== null;
    const reply = stream ? stream.admit(request, refused) : bare(404);
    if (!stream || reply) {
      answer(socket, reply ?? bare(404));
      return;
    }
    server.handleUpgrade(incoming, socket, head, (webSocket) => {
      const link = openLink(stream, request, refused, webSocket, socket);
      links.add(link);
      webSocket.once('close', () => {
        links.delete(link);
        link.talk.closed?.();
      });
    });
  }

  function openLink(stream: Stream, request: WireRequest, refused: boolean, webSocket: WebSocket, socket: Duplex): OpenLink {
    return new OpenLink(stream, { request, refused }, webSocket, socket, exchange.clock, () => faults.strikeStream(broker, 'frame'));
  }

  void keepTicking(links, exchange, stopped.signal);
  return {
    upgrade,
    close() {
      stopped.abort();
      stopListening();
      for (const link of links) link.drop();
    },
  };
}

async function keepTicking(links: ReadonlySet<OpenLink>, exchange: Exchange, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await exchange.clock.sleep(TICKS_EVERY_MS, signal);
    for (const link of links) link.tick(exchange);
  }
}

function answer(socket: Duplex, { status, headers, body }: WireReply): void {
  const lines = Object.entries({ ...headers, Connection: 'close', 'Content-Length': String(Buffer.byteLength(body)) });
  const head = [`HTTP/1.1 ${status} -`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

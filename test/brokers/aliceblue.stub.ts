import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export type Frame = Record<string, unknown>;

/** A market data socket of the test's own. What it answers may be changed at any time; a null is silence. */
export interface FeedStand {
  url: string;
  seen: Frame[];
  /** Paths that were dialled. */
  paths: string[];
  /** Sockets that ever came, and those that are open. */
  came(): number;
  open(): number;
  acknowledgement: Frame | null;
  /** The answer to a subscription: the members of its frame, or one that is no JSON. */
  depth: Frame | string | null;
  /** The answer to a touchline subscription. */
  touchline: Frame | null;
  /** Ends all open sockets. */
  drop(): void;
  close(): Promise<void>;
}

/** The documented example's members, with the prices the tests count on. */
export const depth = {
  t: 'dk',
  pp: '2',
  ls: '1',
  ti: '0.05',
  c: '800.00',
  lp: '812.35',
  lc: '730.80',
  uc: '893.20',
  bp1: '812.30',
  sp1: '812.40',
};

export async function openFeed(): Promise<FeedStand> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((done) => server.once('listening', done));
  let sockets = 0;
  const stub: FeedStand = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/NorenWS`,
    seen: [],
    paths: [],
    came: () => sockets,
    open: () => server.clients.size,
    acknowledgement: { t: 'ck', s: 'OK' },
    depth,
    touchline: null,
    drop: () => {
      for (const socket of server.clients) socket.terminate();
    },
    close: async () => {
      stub.drop();
      await new Promise((done) => server.close(done));
    },
  };
  server.on('connection', (socket, request) => {
    sockets += 1;
    stub.paths.push(request.url ?? '');
    socket.on('message', (data) => {
      const frame: Frame = JSON.parse(data.toString());
      stub.seen.push(frame);
      reply(socket, frame, stub);
    });
  });
  return stub;
}

function reply(socket: WebSocket, frame: Frame, stub: FeedStand): void {
  if (frame.t === 'c' && stub.acknowledgement) socket.send(JSON.stringify(stub.acknowledgement));
  const [e, tk] = String(frame.k).split('|');
  if (frame.t === 't' && stub.touchline) socket.send(JSON.stringify({ ...stub.touchline, e, tk }));
  if (frame.t !== 'd' || stub.depth === null) return;
  socket.send(typeof stub.depth === 'string' ? stub.depth : JSON.stringify({ ...stub.depth, e, tk }));
}

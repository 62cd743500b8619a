import { WebSocket } from 'ws';
import type { BrokerId } from '../../contract/words.ts';
import type { Channel } from '../../server/brokers/feed.ts';
import { brokers, createBroker } from '../../server/brokers/index.ts';
import { systemClock } from '../../server/clock.ts';
import { type PracticeExchange, practiceCredentials, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';
import { envFor } from '../brokers/stub-server.ts';

/** A practice exchange without transit times, and one broker's channels signed in on it. */
export async function emulatorOf(id: BrokerId): Promise<{ host: PracticeExchange; channels: readonly Channel[]; close(): Promise<void> }> {
  const host = await startExchange({ ports: 'free', seed: 1, limits: false, clock: systemClock, log: silentLog(), transitMs: [0, 0] });
  const urls = host.urls[id];
  if (!urls) throw new Error(`no emulator of ${id}`);
  const { env } = envFor(brokers[id], urls.api, { ...practiceCredentials(id) });
  const broker = createBroker(id, { ...env, loginUrl: urls.login, feedUrl: urls.feed });
  const connected = await broker.connect(null);
  if (!connected.success) throw new Error(connected.message);
  return {
    host,
    channels: broker.feed ?? [],
    close: async () => {
      await broker.close();
      await host.close();
    },
  };
}

/** How long a test waits for a frame. */
export const patience = { timeout: 15_000 };

/** A plain socket towards an emulator, and everything it heard. */
export interface EmulatorSocket {
  socket: WebSocket;
  /** Texts as they came; bytes as they came. */
  frames: (string | Buffer)[];
  /** Status and headers of a handshake that was answered with no socket, or the code of the close. */
  ended: Promise<{ status?: number; headers?: NodeJS.Dict<string | string[]>; code?: number }>;
  send(frame: string | object): void;
  /** Resolves when the emulator has taken in all that was sent, and all it had said by then is here. */
  settled(): Promise<void>;
  close(): void;
}

/** Resolves once the socket is open or was refused. */
export async function openSocket(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EmulatorSocket> {
  const socket = new WebSocket(url, { headers: { ...headers }, perMessageDeflate: false });
  const frames: (string | Buffer)[] = [];
  const opened = Promise.withResolvers<void>();
  const ended: EmulatorSocket['ended'] = new Promise((resolve) => {
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
      opened.resolve();
    });
    socket.on('close', (code) => resolve({ code }));
  });
  socket.on('message', (data, binary) => frames.push(binary ? Buffer.from(data as Buffer) : String(data)));
  socket.on('open', opened.resolve);
  socket.on('error', () => opened.resolve());
  await opened.promise;
  return {
    socket,
    frames,
    ended,
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    settled: () =>
      new Promise((resolve) => {
        socket.once('pong', () => resolve());
        socket.ping();
      }),
    close: () => socket.terminate(),
  };
}

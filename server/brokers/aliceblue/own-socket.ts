import { WebSocket } from 'ws';
import type { BrokerEnv } from '../broker.ts';
import { readJson } from '../parse.ts';
import type { Api } from './api.ts';
import { greeting, type OpenSession, priceSocketUrl } from './session.ts';
import { acknowledgement } from './wire.ts';

const HANDSHAKE_MS = 5_000;
/** A socket unused for one to two of these is closed, before Alice Blue would want a heartbeat (50 s). */
const IDLE_MS = 20_000;

export interface OwnSocket {
  send(frame: unknown): void;
  end(why: string): void;
}

interface Parts {
  env: BrokerEnv;
  api: Api;
  openSession: OpenSession;
  /** Signed in. */
  up(): void;
  frame(frame: unknown): void;
  /** Once, with the reason: it could not be opened, or was ended by either side. */
  over(why: string): void;
}

/** A market data socket for prices asked for while the live feed has none: opened at once, closed when idle. */
export function openOwnSocket({ env, api, openSession, up, frame, over }: Parts): OwnSocket {
  const gone = new AbortController();
  let socket: WebSocket | null = null;
  let uses = 0;

  function end(why: string): void {
    if (gone.signal.aborted) return;
    gone.abort('over');
    socket?.terminate();
    over(why);
  }

  function heard(text: string): void {
    if (gone.signal.aborted) return;
    const body = readJson(text);
    const acknowledged = acknowledgement.safeParse(body).data;
    if (acknowledged?.good) up();
    else if (acknowledged) end('Alice Blue refused the market data socket');
    else frame(body);
  }

  async function open(): Promise<void> {
    await openSession(() => !gone.signal.aborted);
    if (gone.signal.aborted) return;
    const { localAddress } = env;
    const opened = new WebSocket(priceSocketUrl(env), {
      localAddress,
      family: 4,
      handshakeTimeout: HANDSHAKE_MS,
      perMessageDeflate: false,
    });
    socket = opened;
    opened.on('error', () => end('the market data socket failed'));
    opened.on('close', () => end('the market data socket was closed'));
    opened.on('open', () => opened.send(greeting(api.login())));
    opened.on('message', (data) => heard(data.toString()));
  }

  async function closeWhenIdle(): Promise<void> {
    while (!gone.signal.aborted) {
      const before = uses;
      await env.clock.sleep(IDLE_MS, gone.signal);
      if (before === uses) end('idle');
    }
  }

  open().catch((error: unknown) => end(error instanceof Error ? error.message : String(error)));
  void closeWhenIdle();
  return {
    send(message) {
      uses += 1;
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message), () => undefined);
    },
    end,
  };
}

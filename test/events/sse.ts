import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { GatewayEvent } from '../../contract/events.ts';
import type { Quote } from '../../contract/quotes.ts';

/** One message of a stream, as the standard dispatches it. */
export interface Message {
  /** The id line of this very message; null without one. */
  id: number | null;
  event: string;
  data: GatewayEvent & Quote;
  /** Monotonic ms. */
  at: number;
}

export interface Follower {
  status: number;
  headers: IncomingMessage['headers'];
  messages: Message[];
  comments: number;
  /** The last id that counts: where to go on. */
  lastId: number | null;
  /** Everything that came, as text. */
  text: string;
  /** Resolves when the connection is over, however that came. */
  over: Promise<void>;
  isOver: boolean;
  events(): GatewayEvent[];
  ids(): number[];
  /** Stops reading, so that the gateway meets a full connection. */
  pause(): void;
  resume(): void;
  /** Ends it as a lost connection does. */
  destroy(): void;
}

interface Options {
  url: string;
  token: string;
  lastId?: number | string | null;
  instruments?: string;
  /** Keeps the text that came; false where a run is long. */
  keepText?: boolean;
  onMessage?: (message: Message) => void;
}

/** Follows GET /broker/stream by the rules of the WHATWG standard. Resolves with the head of the answer; rejects when there is none. */
export function follow({ url, token, lastId = null, instruments, keepText = true, onMessage }: Options): Promise<Follower> {
  const query = instruments === undefined ? '' : `?instruments=${encodeURIComponent(instruments)}`;
  const headers = { Authorization: `Bearer ${token}`, ...(lastId !== null && { 'Last-Event-ID': String(lastId) }) };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/broker/stream${query}`, { headers, agent: false });
    asked.on('error', reject);
    asked.on('response', (answer) => resolve(read(asked, answer, { lastId: Number(lastId ?? 0) || null, keepText, onMessage })));
    asked.end();
  });
}

interface Reading {
  lastId: number | null;
  keepText: boolean;
  onMessage: ((message: Message) => void) | undefined;
}

function read(asked: ClientRequest, answer: IncomingMessage, { lastId, keepText, onMessage }: Reading): Follower {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const follower: Follower = {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    messages: [],
    comments: 0,
    lastId,
    text: '',
    over,
    isOver: false,
    events: () => follower.messages.filter((one) => one.id !== null).map((one) => one.data),
    ids: () => follower.messages.flatMap((one) => one.id ?? []),
    pause: () => answer.pause(),
    resume: () => answer.resume(),
    destroy: () => asked.destroy(),
  };
  let rest = '';
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    if (keepText) follower.text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) dispatch(follower, block, keepText, onMessage);
  });
  answer.on('error', () => undefined);
  answer.on('close', () => {
    follower.isOver = true;
    resolve();
  });
  return follower;
}

function dispatch(follower: Follower, block: string, keep: boolean, onMessage: Reading['onMessage']): void {
  let [id, event, data]: [number | null, string, string | null] = [null, 'message', null];
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) follower.comments += 1;
    else if (line.startsWith('id: ')) id = Number(line.slice(4));
    else if (line.startsWith('event: ')) event = line.slice(7);
    else if (line.startsWith('data: ')) data = (data === null ? '' : `${data}\n`) + line.slice(6);
  }
  // The id counts at the empty line, with or without data.
  if (id !== null) follower.lastId = id;
  if (data === null) return;
  const message: Message = { id, event, data: JSON.parse(data), at: performance.now() };
  if (keep || !onMessage) follower.messages.push(message);
  onMessage?.(message);
}

/** Waits until something holds; fails after 20 s, naming what it waited for. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

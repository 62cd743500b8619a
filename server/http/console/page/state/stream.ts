import { batch, effect, type Signal, signal } from '@preact/signals';
import type { GatewayEvent } from '../../../../../contract/events.ts';
import type { Quote } from '../../../../../contract/quotes.ts';
import { TOKEN_REFUSED } from './api.ts';
import { readStream } from './sse.ts';
import { dropToken, token } from './token.ts';

/** connecting: not there yet; live: it flows; away: the gateway or the network is. */
export type Link = 'connecting' | 'live' | 'away';
export const link = signal<Link>('connecting');
/** Whether this device has a network at all, as far as it knows. */
export const online = signal(navigator.onLine);
/** When the stream was last heard, ms since 1970, by this machine's clock; 0 before. */
export const heardAt = signal(0);

/** A comment comes every 15 s: longer than this, and the connection is dead whatever the system says. */
const SILENCE_MS = 20_000;
const WAITS_MS = [250, 500, 1000, 2000, 3000];
/** Names asked for within this time come with one connection. */
const GATHER_MS = 60;
const MOST_NAMES = 200;

type Hear = (event: GatewayEvent) => void;
const listeners = new Set<Hear>();
const quotes = new Map<string, Signal<Quote | null>>();
/** The newest quote of each instrument since the last frame: however many ticks come, so many cells are drawn. */
const fresh = new Map<string, Quote>();
/** How many parts of the page want the ticks of a name. */
const wanted = new Map<string, number>();
/** Names the broker does not list, or has no ticks of. */
const without = new Set<string>();
let lastId: string | null = null;
let running: AbortController | null = null;
let carried = '';
let failures = 0;
let gathering: ReturnType<typeof setTimeout> | undefined;

/** Hears every event of the audit trail from now on, each once and in order, also over lost connections. Returns what ends it. */
export function onEvent(hear: Hear): () => void {
  listeners.add(hear);
  return () => listeners.delete(hear);
}

/** The newest quote of an instrument that somebody follows; null before its first tick. */
export function quoteOf(name: string): Signal<Quote | null> {
  let found = quotes.get(name);
  if (!found) {
    found = signal<Quote | null>(null);
    quotes.set(name, found);
  }
  return found;
}

/** Has the ticks of these instruments come; returns what ends it. */
export function followQuotes(names: readonly string[]): () => void {
  const mine = [...new Set(names)];
  for (const name of mine) wanted.set(name, (wanted.get(name) ?? 0) + 1);
  gather();
  return () => {
    for (const name of mine) {
      const left = (wanted.get(name) ?? 1) - 1;
      if (left > 0) wanted.set(name, left);
      else wanted.delete(name);
    }
    gather();
  };
}

/** Asks again at once: the network is back, or somebody pressed the button. */
export function reconnect(): void {
  failures = 0;
  if (link.value !== 'live') start();
}

function names(): string {
  return [...wanted.keys()]
    .filter((name) => !without.has(name))
    .sort()
    .slice(0, MOST_NAMES)
    .join(',');
}

function gather(): void {
  clearTimeout(gathering);
  gathering = setTimeout(() => {
    for (const name of quotes.keys()) if (!wanted.has(name)) quotes.delete(name);
    if (token.value !== null && names() !== carried) start();
  }, GATHER_MS);
}

function start(): void {
  running?.abort();
  running = null;
  if (token.value === null) return;
  const mine = new AbortController();
  running = mine;
  void keep(token.value, mine.signal);
}

/** Holds one connection until it is replaced; opens it again when it is lost. */
async function keep(used: string, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    const connection = new AbortController();
    const end = () => connection.abort();
    ended.addEventListener('abort', end);
    try {
      await follow(used, connection);
    } catch {
      // Lost, or never there: said below, and opened again.
    }
    ended.removeEventListener('abort', end);
    connection.abort();
    if (ended.aborted) return;
    link.value = 'away';
    const wait = WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? 0;
    failures += 1;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

async function follow(used: string, connection: AbortController): Promise<void> {
  carried = names();
  let silent = setTimeout(() => connection.abort(), SILENCE_MS);
  const alive = () => {
    clearTimeout(silent);
    silent = setTimeout(() => connection.abort(), SILENCE_MS);
    heardAt.value = Date.now();
  };
  try {
    const response = await open(used, connection.signal);
    if (!response?.body) return;
    failures = 0;
    link.value = 'live';
    alive();
    await readStream(response.body, { alive, place: (id) => (lastId = id), message: ({ event, data }) => take(event, data) });
  } finally {
    clearTimeout(silent);
  }
}

async function open(used: string, signal: AbortSignal): Promise<Response | null> {
  const headers = { Authorization: `Bearer ${used}`, ...(lastId !== null && { 'Last-Event-ID': lastId }) };
  const query = carried === '' ? '' : `?${new URLSearchParams({ instruments: carried })}`;
  const response = await fetch(`/broker/stream${query}`, { headers, signal, credentials: 'omit', cache: 'no-store' });
  if (response.ok) return response;
  if (response.status === 401 && used === token.value) dropToken(TOKEN_REFUSED);
  if (response.status === 422) await learn(await response.json());
  return null;
}

/** What the stream refused: a number of another database, or names that this broker does not list. The rest goes on without them. */
async function learn(body: { issues?: readonly { path: string; message: string }[] }): Promise<void> {
  for (const { path, message } of body.issues ?? []) {
    if (path === 'Last-Event-ID') lastId = null;
    if (path !== 'instruments') continue;
    const listed = /unknown: (.+)$/.exec(message)?.[1]?.split(', ') ?? carried.split(',');
    for (const name of listed) without.add(name);
  }
  failures = 0;
}

function take(event: string, data: string): void {
  if (event === 'tick') {
    const quote = JSON.parse(data) as Quote;
    if (fresh.size === 0) requestAnimationFrame(draw);
    fresh.set(quote.instrument, quote);
    return;
  }
  const told = JSON.parse(data) as GatewayEvent;
  // Another broker may list what this one does not.
  if (told.topic === 'session' && without.size > 0) {
    without.clear();
    gather();
  }
  for (const hear of listeners) hear(told);
}

function draw(): void {
  batch(() => {
    for (const [name, quote] of fresh) if (wanted.has(name)) quoteOf(name).value = quote;
  });
  fresh.clear();
}

effect(() => {
  if (token.value === null) {
    lastId = null;
    link.value = 'connecting';
  }
  start();
});
addEventListener('online', () => {
  online.value = true;
  reconnect();
});
addEventListener('offline', () => {
  online.value = false;
  if (running) start();
  link.value = 'away';
});
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && Date.now() - heardAt.value > SILENCE_MS) reconnect();
});

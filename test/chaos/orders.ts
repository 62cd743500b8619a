import type { BrokerId } from '../../contract/words.ts';
import type { Random } from '../../server/clock.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import { instruments } from '../../server/exchange/instruments.ts';
import type { Kind } from './kinds.ts';

/** One answer as a caller got it. */
export interface Heard {
  text: string;
  /** Asked for the first time, or again with the same key. */
  phase: 'first' | 'again';
  /** False where the answer said that it had not reached the store. */
  stored: boolean;
  /** Epoch ms. */
  at: number;
}

/** One order with its own symbol and quantity within a history, so that the ledger tells whose it is. */
export interface Asked {
  key: string;
  kind: Kind;
  /** The practice exchange's names. */
  exchange: string;
  symbol: string;
  side: 'BUY' | 'SELL';
  quantity: number;
  /** What a modify asks it to grow to. */
  grownTo?: number;
  body: Record<string, unknown>;
  /** Every acknowledged answer, oldest first; refusals that say to ask again are none. */
  heard: Heard[];
  /** The gateway said that nothing was sent and to ask again, when it was asked first. */
  refused: boolean;
  /** Such refusals since the last answer, at whatever asking. */
  waits: string[];
}

/** Where a gateway answers. */
export interface Door {
  url: string;
  token: string;
  /** Whether its process is no more; never, unless given. */
  gone?(): boolean;
}

/** A caller's patience with one request, ms. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 250;

/** Everything that is traded in one piece. */
export const shares = instruments.filter((one) => one.kind === 'EQ');
/** Orders a cycle can hold: a symbol each. */
export const MOST_ORDERS = shares.length;

/** Orders in symbols drawn at random, on the side the position rule lets through. `net`: what is held by `exchange:symbol`. */
export function drawOrders(options: {
  random: Random;
  broker: BrokerId;
  kind: Kind;
  /** What the keys begin with. */
  prefix: string;
  /** Unused in the history so far. */
  quantity: number;
  count: number;
  net: ReadonlyMap<string, number>;
  /** Symbols, named likewise, where an order nobody knows the fate of blocks the next one: used last. */
  stuck: ReadonlySet<string>;
}): Asked[] {
  const { random, broker, kind, prefix, quantity, net, stuck } = options;
  const emulator = emulators.find((one) => one.id === broker);
  if (!emulator) throw new Error(`no emulator for ${broker}`);
  const drawn = shares.map((share) => ({ share, at: random.next() + (stuck.has(`${share.exchange}:${share.symbol}`) ? 1 : 0) }));
  const deck = drawn.sort((a, b) => a.at - b.at);
  return deck.slice(0, options.count).map(({ share }, index): Asked => {
    const { exchange, symbol } = share;
    const held = net.get(`${exchange}:${symbol}`) ?? 0;
    const side = held > 0 ? 'SELL' : held < 0 ? 'BUY' : random.next() < 0.5 ? 'BUY' : 'SELL';
    const key = `${prefix}${index}`;
    const body = {
      ...emulator.named(share),
      exchange,
      transaction_type: side,
      product_type: 'INTRADAY',
      quantity,
      idempotency_key: key,
      ...drawType(random, side, share),
    };
    return { key, kind, exchange, symbol, side, quantity, body, heard: [], refused: false, waits: [] };
  });
}

/** Most at the market; some with a limit that fills at once, some with one that rests at the circuit. */
function drawType(random: Random, side: 'BUY' | 'SELL', share: { lowerCircuit: string; upperCircuit: string }) {
  const drawn = random.next();
  if (drawn < 0.7) return { order_type: 'MARKET' };
  const [bold, shy] = side === 'BUY' ? [share.upperCircuit, share.lowerCircuit] : [share.lowerCircuit, share.upperCircuit];
  return { order_type: 'LIMIT', price: Number(drawn < 0.85 ? bold : shy) };
}

/** Asks once. False when the gateway refused for now (nothing was sent, ask again), or died before it answered. */
export async function ask(door: Door, one: Asked, phase: Heard['phase']): Promise<boolean> {
  const answer = await fetch(`${door.url}/broker/orders/place`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${door.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(one.body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const text = await answer.text();
  if (answer.headers.has('Retry-After')) {
    one.refused ||= phase === 'first';
    one.waits.push(text);
    return false;
  }
  if (answer.status !== 200) throw new Error(`${one.key} was answered ${answer.status}: ${text}`);
  one.waits = [];
  one.heard.push({ text, phase, stored: answer.headers.get('Idempotency-Stored') !== 'false', at: Date.now() });
  return true;
}

/** A connection that was cut, or a caller's patience that ended; anything else is a fault of the harness. */
export function noAnswer(error: unknown): false {
  if (error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')) return false;
  throw error;
}

/** Asks again with the same key until there is an answer to keep, the gateway dies, or `untilMs` (epoch) is over. */
export async function askAgain(door: Door, one: Asked, untilMs: number, retryMs = RETRY_MS): Promise<void> {
  while (Date.now() < untilMs) {
    if (await ask(door, one, 'again').catch(noAnswer)) return;
    if (door.gone?.()) return;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

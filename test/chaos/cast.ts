import { z } from 'zod';
import type { BrokerId } from '../../contract/words.ts';
import type { Random } from '../../server/clock.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import type { Kind } from './kinds.ts';
import { type Asked, type Door, shares } from './orders.ts';

const QUANTITY = 2;
const Said = z.record(z.string(), z.unknown());

type Share = (typeof shares)[number];

/** Symbols of their own, so many for each of so many hands. */
export function deal(random: Random, hands: number, each: number): Share[][] {
  const deck = shares.map((share) => ({ share, at: random.next() })).toSorted((a, b) => a.at - b.at);
  return Array.from({ length: hands }, (_, hand) => deck.slice(hand * each, (hand + 1) * each).map(({ share }) => share));
}

/** At the market unless a price is given. */
export function order(broker: BrokerId, kind: Kind, share: Share, given: { key: string; side: 'BUY' | 'SELL'; price?: number }): Asked {
  const { exchange, symbol } = share;
  const { key, side, price } = given;
  const type = price === undefined ? { order_type: 'MARKET' } : { order_type: 'LIMIT', price };
  const named = emulators.find((emulator) => emulator.id === broker)?.named(share);
  const terms = { exchange, transaction_type: side, product_type: 'INTRADAY', quantity: QUANTITY, idempotency_key: key };
  const body = { ...named, ...terms, ...type };
  return { key, kind, exchange, symbol, side, quantity: QUANTITY, body, heard: [], refused: false, waits: [] };
}

/** What a gateway answers to anything but an order. */
export async function call(door: Door, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const json = body && { body: JSON.stringify(body) };
  const headers = { Authorization: `Bearer ${door.token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${door.url}${path}`, { method, headers, ...json });
  return Said.parse(await answer.json());
}

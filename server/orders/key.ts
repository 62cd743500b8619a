import { hash } from 'node:crypto';
import type { PlaceOrderRequest } from '../../contract/orders.ts';
import type { Random } from '../clock.ts';
import { decimalText } from '../money.ts';

const LONGEST_KEY = 255;

function sha256(text: string): string {
  return hash('sha256', text);
}

/**
 * The record key of a request: `k:` and the caller's key, else `f:` and the order's fingerprint. Keys over 255 characters are hashed, and those
 * with characters a database cannot hold: replacing such a character would make two keys one.
 */
export function recordKey(request: PlaceOrderRequest, broker: string | null): string {
  const own = request.idempotency_key;
  if (own)
    return own.length > LONGEST_KEY || own.includes('\0') || !own.isWellFormed() ? `k:sha256:${sha256(JSON.stringify(own))}` : `k:${own}`;
  const { symbol, exchange, transaction_type, order_type, product_type, quantity, price } = request;
  const parts = [broker ?? 'unknown', symbol, exchange, transaction_type, order_type, product_type, quantity, decimalText(price)];
  return `f:${sha256(JSON.stringify(parts))}`;
}

/**
 * Hash of everything in the request that the order is: tells a retry from another order under the same key. Its key and what is only recorded with it
 * (strategy, ai_confidence) are not. reduce_only counts only when true, so that hashes stored by versions that did not know it stay the same.
 */
export function requestHash(request: PlaceOrderRequest): string {
  const { idempotency_key: _key, strategy: _strategy, ai_confidence: _confidence, price, trigger_price, reduce_only, ...rest } = request;
  const numbers = { price: decimalText(price), trigger_price: decimalText(trigger_price) };
  const canonical = Object.entries({ ...rest, ...numbers, ...(reduce_only && { reduce_only }) }).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(canonical));
}

const FIRST = 'abcdefghijklmnopqrstuvwxyz';
const REST = `${FIRST}0123456789`;
const TAG_LENGTH = 16;

/** A correlation tag of 16 characters [a-z0-9], first a letter: 82 random bits, within every broker's field. */
export function newTag(random: Random): string {
  let tag = '';
  while (tag.length < TAG_LENGTH) {
    for (const byte of random.bytes(2 * TAG_LENGTH)) {
      const alphabet = tag === '' ? FIRST : REST;
      // Bytes beyond the last whole multiple would favour the first letters.
      if (tag.length < TAG_LENGTH && byte < 256 - (256 % alphabet.length)) tag += alphabet[byte % alphabet.length];
    }
  }
  return tag;
}

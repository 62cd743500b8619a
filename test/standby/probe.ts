import { systemClock } from '../../server/clock.ts';
import { type Asked, noAnswer } from '../chaos/orders.ts';
import type { Member } from './member.ts';

const PAUSE_MS = 25;
const PATIENCE_MS = 2000;
const LONGEST_MS = 60_000;

/** Asks both gateways for one order, with one key, until one of them has placed it. Milliseconds from `at` (monotonic); infinite when none did. */
export async function probe(pair: readonly [Member, Member], one: Asked, at: number): Promise<number> {
  const placed = new AbortController();
  async function askOf(member: Member): Promise<number> {
    while (!placed.signal.aborted && systemClock.mono() - at < LONGEST_MS) {
      if (await askOnce(member, one).catch(noAnswer)) {
        placed.abort();
        return systemClock.mono() - at;
      }
      await systemClock.sleep(PAUSE_MS, placed.signal);
    }
    return Number.POSITIVE_INFINITY;
  }
  return Math.min(...(await Promise.all(pair.map(askOf))));
}

async function askOnce({ url, token }: Member, one: Asked): Promise<boolean> {
  const answer = await fetch(`${url}/broker/orders/place`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(one.body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const text = await answer.text();
  if (answer.status !== 200 || answer.headers.has('Retry-After')) return false;
  one.heard.push({ text, phase: 'first', stored: answer.headers.get('Idempotency-Stored') !== 'false', at: Date.now() });
  const { fill_status } = JSON.parse(text);
  return fill_status !== 'UNKNOWN';
}

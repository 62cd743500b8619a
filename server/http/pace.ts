import type { Clock } from '../clock.ts';
import { Refusal } from './refusal.ts';

/** Calls a user may make in a burst, and in each second from then on: far beyond what any broker takes, and little for this process. */
const BURST = 2_000;
const PER_SECOND = 400;

/** Bounds how fast one user calls. Throws a Refusal: 429 with Retry-After. */
export function createPace(clock: Clock): (user: string) => void {
  const users = new Map<string, { left: number; at: number }>();
  return (user) => {
    const now = clock.mono();
    const { left, at } = users.get(user) ?? { left: BURST, at: now };
    const free = Math.min(BURST, left + ((now - at) / 1000) * PER_SECOND);
    users.set(user, { left: Math.max(0, free - 1), at: now });
    if (free >= 1) return;
    throw new Refusal(429, `More than ${PER_SECOND} calls a second with this token; nothing was done`, { headers: { 'Retry-After': '1' } });
  };
}

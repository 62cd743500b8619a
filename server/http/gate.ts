import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock.ts';
import { Refusal } from './refusal.ts';

export interface UserDirectory {
  /** The name of the token's user; null when the token is nobody's. */
  authenticate(token: string): Promise<string | null>;
}

const WINDOW_MS = 60_000;
const WRONG_TOKENS_PER_WINDOW = 10;
/** Addresses remembered at once; beyond it the one longest quiet is forgotten. */
const ADDRESSES = 10_000;

/**
 * Names the user of a request, or throws a Refusal: 401 without a valid bearer token, 429 from the eleventh wrong token of
 * one address within a minute, 503 when nobody can be looked up now. A valid token is always served and a missing one never counted.
 */
export function createGate(users: UserDirectory, clock: Clock): (req: IncomingMessage) => Promise<string> {
  const wrong = new Map<string, number[]>();

  return async (req) => {
    const token = bearerToken(req.headers.authorization);
    if (token === null) throw notAuthenticated();
    const user = await users.authenticate(token).catch(unavailable);
    if (user !== null) return user;
    countWrong(req.socket.remoteAddress ?? '');
    throw notAuthenticated();
  };

  function countWrong(address: string): void {
    const now = clock.mono();
    const recent = (wrong.get(address) ?? []).filter((at) => now - at < WINDOW_MS);
    const [oldest] = recent;
    const full = recent.length >= WRONG_TOKENS_PER_WINDOW;
    if (!full) recent.push(now);
    wrong.delete(address);
    wrong.set(address, recent);
    for (const quiet of wrong.keys()) {
      if (wrong.size <= ADDRESSES) break;
      wrong.delete(quiet);
    }
    if (!full || oldest === undefined) return;
    const seconds = Math.ceil((oldest + WINDOW_MS - now) / 1000);
    throw new Refusal(429, `Too many wrong tokens; try again in ${seconds} s`, { headers: { 'Retry-After': String(seconds) } });
  }
}

/** The token of an Authorization header; null where it has none. */
export function bearerToken(header = ''): string | null {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1] ?? null;
}

/** The database is away, or slow: nothing of the request was looked at. */
function unavailable(cause: unknown): never {
  throw new Refusal(503, 'Users cannot be looked up right now; nothing was done', { headers: { 'Retry-After': '1' }, cause });
}

function notAuthenticated(): Refusal {
  return new Refusal(401, 'Not authenticated', { headers: { 'WWW-Authenticate': 'Bearer' } });
}

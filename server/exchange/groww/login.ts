import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { sha256 } from '../wire/login.ts';
import { bearerOf, json, newToken, readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { timeCodeFits } from '../wire/time-codes.ts';
import { istIso } from '../wire/times.ts';
import { tokenSessions } from '../wire/token-sessions.ts';
import { unauthorised } from './words.ts';

export const credentials = { API_KEY: 'practicekey', TOTP_SECRET: 'PRACTICEPRACTICEPRACTICEPRACTICE', API_SECRET: 'practicesecret' };

const EXPIRY_HOUR_IST = 6;
const CHECKSUM_MS = 600_000;

const TokenBody = z.union([
  z.object({ key_type: z.literal('totp').default('totp'), totp: z.string() }),
  // The documents send the time as text, the SDK as a number.
  z.object({ key_type: z.literal('approval'), checksum: z.string(), timestamp: z.union([z.string(), z.int()]).transform(String) }),
]);

/** Whether what is given beside the API key proves who asks, at an instant (epoch ms). */
function proves(given: z.infer<typeof TokenBody>, at: number): boolean {
  if (given.key_type === 'totp') return timeCodeFits(credentials.TOTP_SECRET, given.totp, at);
  const fresh = Math.abs(at - Number(given.timestamp) * 1_000) <= CHECKSUM_MS;
  return fresh && given.checksum === sha256(credentials.API_SECRET + given.timestamp);
}

/** Login by API key with a one-time code or a checksum; tokens live to 06:00 IST. */
export function createLogins(exchange: Exchange): { holds(request: WireRequest): boolean; routes: Route[] } {
  const { clock } = exchange;
  const sessions = tokenSessions(exchange, 'groww');

  function token({ request }: Call): WireReply {
    if (bearerOf(request) !== credentials.API_KEY) return unauthorised();
    const given = TokenBody.safeParse(readJson(request.body));
    if (!given.success || !proves(given.data, clock.now())) {
      const error = { code: 'GA001', message: 'Bad request', displayMessage: 'Invalid TOTP or checksum', metadata: null };
      return json(400, { status: 'FAILURE', error });
    }
    const made = newToken();
    const until = sessions.nextHour(EXPIRY_HOUR_IST);
    sessions.begin(until, made);
    return json(200, { token: made, tokenRefId: newToken(), sessionName: 'practice', expiry: istIso(until), isActive: true });
  }

  return {
    holds: (request) => sessions.lives(bearerOf(request)),
    routes: [
      { method: 'POST', path: '/v1/token/api/access', operation: 'login', open: true, handle: token },
      // The SDK greets its user with it.
      { method: 'GET', path: '/v1/changelog', operation: 'market', limit: 'changelog', open: true, handle: () => json(200, {}) },
    ],
  };
}

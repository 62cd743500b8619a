import { istText } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { json, newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { timeCodeFits } from '../wire/time-codes.ts';
import { dateParts, istIso } from '../wire/times.ts';
import { tokenSessions } from '../wire/token-sessions.ts';
import { failure } from './words.ts';

/** Fixed and fake: what signs in at the practice exchange. */
export const credentials = { CLIENT_ID: '1000000001', PIN: '246810', TOTP_SECRET: 'NBSWY3DPO5XXE3DEEBRXE2LTORUW4ZJA' };

const LIFE_MS = 86_400_000;

/** Logins by PIN and TOTP; tokens live 24 hours and can be renewed once each. */
export function createLogins(exchange: Exchange) {
  const { clock } = exchange;
  const sessions = tokenSessions(exchange, 'dhan');
  const tokenOf = ({ headers }: WireRequest) => String(headers['access-token'] ?? '');

  function opened(): WireReply {
    const until = clock.now() + LIFE_MS;
    const accessToken = `eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzUxMiJ9.${newToken()}.${newToken()}`;
    sessions.begin(until, accessToken);
    return json(200, {
      dhanClientId: credentials.CLIENT_ID,
      dhanClientName: 'PRACTICE ACCOUNT',
      dhanClientUcc: 'PRAC00001A',
      givenPowerOfAttorney: false,
      accessToken,
      expiryTime: `${istIso(until)}.000`,
    });
  }

  function generate({ request: { query } }: Call): WireReply {
    const known = query.get('dhanClientId') === credentials.CLIENT_ID && query.get('pin') === credentials.PIN;
    const fits = known && timeCodeFits(credentials.TOTP_SECRET, query.get('totp') ?? '', clock.now());
    return fits ? opened() : failure(401, 'DH-901', 'Invalid PIN or TOTP');
  }

  function renew({ request }: Call): WireReply {
    sessions.end(tokenOf(request));
    return opened();
  }

  /** `DD/MM/YYYY HH:MM`, IST: when the token of a request ends. */
  function validity(request: WireRequest): string {
    const [date = '', time = ''] = istText(sessions.validUntil(tokenOf(request)) ?? 0).split(' ');
    const { year, month, day } = dateParts(date);
    return `${day}/${month}/${year} ${time.slice(0, 5)}`;
  }

  const routes: Route[] = [
    { method: 'POST', path: '/app/generateAccessToken', operation: 'login', open: true, handle: generate },
    { method: 'GET', path: '/v2/RenewToken', operation: 'login', handle: renew },
  ];
  return { holds: (request: WireRequest) => sessions.lives(tokenOf(request)), lives: sessions.lives, validity, routes };
}

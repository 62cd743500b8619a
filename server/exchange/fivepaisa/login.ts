import { nextIstHour } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import { shortLived } from '../wire/codes.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { backToApp, loopback, webToken } from '../wire/login.ts';
import { json, newToken, plain, type WireReply, type WireRequest } from '../wire/message.ts';
import { timeCodeFits } from '../wire/time-codes.ts';
import { epochSeconds } from '../wire/times.ts';
import { tokenSessions } from '../wire/token-sessions.ts';
import { bodyOf, keyOf } from './orders.ts';
import { BASE, badHead, clientCode, dateText, failure, invalidSession } from './words.ts';

export const credentials = {
  USER_KEY: 'PracticeAppKeyPracticeAppKey',
  ENCRYPTION_KEY: 'PracticeEncryptionKey',
  USER_ID: 'PracticeUser',
  CLIENT_CODE: clientCode,
  PIN: '246813',
  TOTP_SECRET: 'FIVEPAISAFIVEPAISAFIVEPAISAFIVEP',
};
export const LOGIN_PAGE = '/WebVendorLogin/VLogin/Index';
const REQUEST_TOKEN_MS = 30_000;

export interface Logins {
  unauthorised(request: WireRequest): WireReply | null;
  lives(token: string): boolean;
  routes: Route[];
}

/** Login by time code and PIN or through a page; both give a request token that works once, for half a minute. */
export function createLogins(exchange: Exchange): Logins {
  const { clock } = exchange;
  const sessions = tokenSessions(exchange, 'fivepaisa');
  const requestTokens = shortLived(clock, REQUEST_TOKEN_MS);

  function signed(claims: Record<string, unknown>, until: number): string {
    const iat = epochSeconds(clock.now());
    return webToken('HS256', { ...claims, nbf: iat, exp: epochSeconds(until), iat });
  }

  function handed(): string {
    return requestTokens.keep(signed({ unique_name: clientCode, role: 'RequestToken' }, clock.now() + REQUEST_TOKEN_MS), true);
  }

  function totpLogin({ request }: Call): WireReply {
    const { Email_ID, TOTP, PIN } = bodyOf(request);
    const refused = (Message: string) => loginAnswer({ Status: 2, Message, RequestToken: '', RedirectURL: null, Userkey: null });
    if (keyOf(request) !== credentials.USER_KEY) return refused('Invalid Key');
    if (Email_ID !== clientCode || PIN !== credentials.PIN) return refused('Invalid User or PIN');
    if (!timeCodeFits(credentials.TOTP_SECRET, String(TOTP), clock.now())) return refused('Invalid TOTP');
    return loginAnswer({ Status: 0, Message: 'Success', RequestToken: handed(), RedirectURL: null, Userkey: null });
  }

  function page({ request: { query } }: Call): WireReply {
    const address = query.get('ResponseURL') ?? '';
    if (query.get('VendorKey') !== credentials.USER_KEY || !URL.canParse(address)) return plain(400, 'Invalid Vendor Key');
    const target = loopback(address);
    if (!target) return plain(400, 'ResponseURL must be a loopback address');
    return backToApp(target, { RequestToken: handed(), state: query.get('State') ?? '' });
  }

  function accessToken({ request }: Call): WireReply {
    const { RequestToken, EncryKey, UserId } = bodyOf(request);
    const fits = keyOf(request) === credentials.USER_KEY && EncryKey === credentials.ENCRYPTION_KEY && UserId === credentials.USER_ID;
    if (!fits) return loginAnswer({ ...customer, AccessToken: '', Status: 2, Message: 'Server Unable to process your request' });
    if (!requestTokens.spend(String(RequestToken)))
      return loginAnswer({ ...customer, AccessToken: '', Status: 0, Message: 'Token Expired.' });
    const until = tokenEnd(clock.now());
    const AccessToken = signed({ unique_name: clientCode, role: 'VendorClient', RedirectServer: 'C' }, until);
    sessions.begin(until, AccessToken);
    const CleareDt = dateText(clock.now());
    return loginAnswer({ ...customer, AccessToken, CleareDt, RefreshToken: newToken(), Status: 0, Message: 'Success' });
  }

  const login = { operation: 'login', open: true } as const;
  const routes: Route[] = [
    { ...login, method: 'POST', path: `${BASE}/TOTPLogin`, handle: totpLogin },
    { ...login, method: 'POST', path: `${BASE}/GetAccessToken`, handle: accessToken },
    { ...login, method: 'GET', path: LOGIN_PAGE, handle: page },
  ];
  return { unauthorised: (request) => refusalOf(request, sessions.lives), lives: sessions.lives, routes };
}

function refusalOf(request: WireRequest, lives: (token: string) => boolean): WireReply | null {
  const [, token = ''] = /^bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token === '') return plain(200, 'Invalid Token');
  if (keyOf(request) !== credentials.USER_KEY) return badHead(request, '2', 'Invalid Head Parameters');
  if (!lives(token)) return invalidSession(request);
  return bodyOf(request).ClientCode === clientCode ? null : failure(request, 2, 'Invalid ClientCode');
}

/** The login's answers write the head with capitals. */
function loginAnswer(body: { Status: number; Message: string } & Record<string, unknown>): WireReply {
  return json(200, { head: { Status: 0, StatusDescription: 'Success' }, body });
}

const customer = {
  CleareDt: '',
  AllowBseCash: 'Y',
  AllowBseDeriv: 'Y',
  AllowBseMF: 'Y',
  AllowMCXComm: 'Y',
  AllowMcxSx: 'N',
  AllowNSECurrency: 'Y',
  AllowNSEL: 'Y',
  AllowNseCash: 'Y',
  AllowNseComm: 'N',
  AllowNseDeriv: 'Y',
  AllowNseMF: 'N',
  BulkOrderAllowed: 0,
  ClientName: 'PRACTICE ACCOUNT',
  ClientType: '1',
  CommodityEnabled: 'Y',
  CustomerType: 'BASIC',
  DPInfoAvailable: 'Y',
  DemoTrial: 'N',
  DirectMFCharges: 10,
  IsIDBound: 0,
  IsIDBound2: 0,
  IsOnlyMF: 'N',
  IsPLM: 0,
  IsPLMDefined: 0,
  OTPCredentialID: '',
  PGCharges: 10,
  PLMsAllowed: 0,
  POAStatus: 'Y',
  PasswordChangeFlag: 0,
  PasswordChangeMessage: '',
  ReferralBenefits: 250,
  RunningAuthorization: 0,
  VersionChanged: 0,
  ClientCode: clientCode,
  RefreshToken: '',
};

/** The moment a token of this instant ends: 23:59 in India. */
function tokenEnd(now: number): number {
  const minuteMs = 60_000;
  return nextIstHour(now + minuteMs, 0) - minuteMs;
}

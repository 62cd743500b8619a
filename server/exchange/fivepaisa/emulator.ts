import { Secret, TOTP } from 'otpauth';
import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { json, newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { bodyOf, findScrip, instrumentOf, keyOf, orderRoutes } from './orders.ts';
import * as rows from './rows.ts';
import { feedStream } from './stream.ts';
import { answer, badHead, badInput, clientCode, dateText, failure, plain, scripName } from './words.ts';

/** 5paisa's vendor OpenAPI over HTTP: every call a POST of `{head, body}`, nearly every answer HTTP 200. */

const credentials = {
  USER_KEY: 'PracticeAppKeyPracticeAppKey',
  ENCRYPTION_KEY: 'PracticeEncryptionKey',
  USER_ID: 'PracticeUser',
  CLIENT_CODE: clientCode,
  PIN: '246813',
  TOTP_SECRET: 'FIVEPAISAFIVEPAISAFIVEPAISAFIVEP',
};

const BASE = '/VendorsAPI/Service1.svc';
const FEED = '/feeds/api/chat';
const REQUEST_TOKEN_MS = 30_000;

export const fivepaisa: Emulator = {
  id: 'fivepaisa',
  credentials,
  traits: {
    // The risk desk looks after the answer was given: such orders are taken and turn rejected in the book.
    refusedInBook: ['MARGIN', 'HOLDING'],
    // A JSON number, so it must stay below 2^53.
    orderId: (serial) => `${BigInt(serial) >> 20n}${String(BigInt(serial) % 100n).padStart(2, '0')}`,
  },
  named: (instrument) => ({ symbol: scripName(instrument), token: String(instrument.exchangeToken) }),
  urls: (origin) => ({
    api: `${origin}${BASE}`,
    login: `${origin}/WebVendorLogin/VLogin/Index`,
    feed: `${origin.replace('http', 'ws')}${FEED}`,
  }),
  limits: [{ covers: ['place', 'modify', 'cancel'], requests: 10, perMs: 1_000 }],
  words: {
    rateLimited: () => plain(429, 'Too Many Requests'),
    sessionExpired: () => failure(null, 9, 'Invalid Session'),
    unregisteredAddress: (address) => failure(null, 1, `IP address ${address} is not registered for this app`),
    // The broker's own way to say that it does not know.
    timedOut: () => badHead(null, '-1', 'Server unable to process your request'),
    serverError: (status) => plain(status, 'The service is unavailable.'),
    notFound: () => plain(404, 'Endpoint not found.'),
  },
  tagOf: (request) => z.string().min(1).safeParse(bodyOf(request).RemoteOrderID).data ?? null,
  serve(exchange) {
    const sessions = createSessions(exchange);
    return {
      unauthorised: sessions.unauthorised,
      streams: [feedStream(FEED, exchange, sessions.lives)],
      routes: [...sessions.routes, ...accountRoutes(exchange), ...orderRoutes(BASE, exchange), ...marketRoutes(exchange)],
    };
  },
};

/** Login by time code and PIN or through a page; both give a request token that works once, for half a minute. */
function createSessions(exchange: Exchange) {
  const { clock } = exchange;
  const totp = new TOTP({ secret: Secret.fromBase32(credentials.TOTP_SECRET) });
  const requestTokens = new Map<string, number>();

  function unauthorised(request: WireRequest): WireReply | null {
    const [, token = ''] = /^bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (token === '') return plain(200, 'Invalid Token');
    if (keyOf(request) !== credentials.USER_KEY) return badHead(request, '2', 'Invalid Head Parameters');
    if (!lives(token)) return failure(request, 9, 'Invalid Session');
    return bodyOf(request).ClientCode === clientCode ? null : failure(request, 2, 'Invalid ClientCode');
  }

  function lives(token: string): boolean {
    return clock.now() < (exchange.tokenValidUntil('fivepaisa', token) ?? 0);
  }

  function handed(): string {
    const token = signed({ unique_name: clientCode, role: 'RequestToken' }, clock.now() + REQUEST_TOKEN_MS);
    requestTokens.set(token, clock.now() + REQUEST_TOKEN_MS);
    return token;
  }

  /** The login's answers write the head with capitals. */
  function loginAnswer(body: { Status: number; Message: string } & Record<string, unknown>): WireReply {
    return json(200, { head: { Status: 0, StatusDescription: 'Success' }, body });
  }

  function totpLogin({ request }: Call): WireReply {
    const { Email_ID, TOTP: code, PIN } = bodyOf(request);
    const refusal = { RequestToken: '', RedirectURL: null, Userkey: null };
    if (keyOf(request) !== credentials.USER_KEY) return loginAnswer({ Status: 2, Message: 'Invalid Key', ...refusal });
    if (Email_ID !== clientCode || PIN !== credentials.PIN) return loginAnswer({ Status: 2, Message: 'Invalid User or PIN', ...refusal });
    if (totp.validate({ token: String(code), timestamp: clock.now() }) === null)
      return loginAnswer({ Status: 2, Message: 'Invalid TOTP', ...refusal });
    return loginAnswer({ Status: 0, Message: 'Success', RequestToken: handed(), RedirectURL: null, Userkey: null });
  }

  /** Stands for the broker's page: nothing is asked, the browser goes straight back to the app. */
  function page({ request: { query } }: Call): WireReply {
    const target = URL.parse(query.get('ResponseURL') ?? '');
    if (query.get('VendorKey') !== credentials.USER_KEY || !target) return plain(400, 'Invalid Vendor Key');
    if (!['127.0.0.1', 'localhost'].includes(target.hostname)) return plain(400, 'ResponseURL must be a loopback address');
    target.searchParams.set('RequestToken', handed());
    target.searchParams.set('state', query.get('State') ?? '');
    return { status: 302, headers: { Location: target.href }, body: '' };
  }

  function accessToken({ request }: Call): WireReply {
    const { RequestToken, EncryKey, UserId } = bodyOf(request);
    const known = requestTokens.get(String(RequestToken)) ?? 0;
    const fits = keyOf(request) === credentials.USER_KEY && EncryKey === credentials.ENCRYPTION_KEY && UserId === credentials.USER_ID;
    if (!fits) return loginAnswer({ ...customer, AccessToken: '', Status: 2, Message: 'Server Unable to process your request' });
    requestTokens.delete(String(RequestToken));
    if (known <= clock.now()) return loginAnswer({ ...customer, AccessToken: '', Status: 0, Message: 'Token Expired.' });
    const until = rows.tokenEnd(clock.now());
    const AccessToken = signed({ unique_name: clientCode, role: 'VendorClient', RedirectServer: 'C' }, until);
    exchange.keepToken('fivepaisa', AccessToken, until);
    const CleareDt = dateText(clock.now());
    return loginAnswer({ ...customer, AccessToken, CleareDt, RefreshToken: newToken(), Status: 0, Message: 'Success' });
  }

  /** A token in the broker's form; its signature is chance, which is all that counts here. */
  function signed(claims: Record<string, unknown>, until: number): string {
    const iat = Math.floor(clock.now() / 1000);
    const parts = [
      { alg: 'HS256', typ: 'JWT' },
      { ...claims, nbf: iat, exp: Math.floor(until / 1000), iat },
    ];
    return [...parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')), newToken()].join('.');
  }

  const login = { operation: 'login', open: true } as const;
  const routes: Route[] = [
    { ...login, method: 'POST', path: `${BASE}/TOTPLogin`, handle: totpLogin },
    { ...login, method: 'POST', path: `${BASE}/GetAccessToken`, handle: accessToken },
    { ...login, method: 'GET', path: '/WebVendorLogin/VLogin/Index', handle: page },
  ];
  return { unauthorised, lives, routes };
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

function accountRoutes(exchange: Exchange): Route[] {
  function holdings({ request, account }: Call): WireReply {
    const Data = account.holdings().map((each) => rows.holdingRow(each, instrumentOf(each), exchange.quote(instrumentOf(each))));
    if (Data.length === 0) return failure(request, 1, 'No data found for this Client.', { CacheTime: 300, Data });
    return answer(request, { CacheTime: 300, Data });
  }
  /** Shares bought for delivery on an earlier day are holdings. */
  function positions({ request, account }: Call): WireReply {
    const open = account.positions().filter((each) => each.dayBuyQuantity + each.daySellQuantity > 0 || each.net !== 0);
    const list = open.map((each) => rows.positionRow(each, instrumentOf(each), exchange.quote(instrumentOf(each))));
    return answer(request, { Message: '', NetPositionDetail: list.length === 0 ? null : list });
  }
  const margin = ({ request, account }: Call) => answer(request, rows.marginBody(account.funds(), exchange.clock.now()));
  return [
    { method: 'POST', path: `${BASE}/V3/Holding`, operation: 'holdings', handle: holdings },
    { method: 'POST', path: `${BASE}/V2/NetPositionNetWise`, operation: 'positions', handle: positions },
    { method: 'POST', path: `${BASE}/V4/Margin`, operation: 'funds', handle: margin },
  ];
}

const SnapshotBody = z.object({
  Data: z
    .array(
      z.object({
        Exchange: z.string(),
        ExchangeType: z.string(),
        ScripCode: z.coerce.number().default(0),
        ScripData: z.string().default(''),
      }),
    )
    .max(50),
});
const segmentFiles = { all: null, nse_eq: 'NSE', bse_eq: 'BSE', nse_fo: 'NFO', bse_fo: 'BFO', ncd_fo: 'CDS', mcx_fo: 'MCX' } as const;

function marketRoutes(exchange: Exchange): Route[] {
  function snapshot({ request }: Call): WireReply {
    const asked = SnapshotBody.safeParse(bodyOf(request)).data?.Data;
    if (!asked) return badInput(request);
    const Data = asked.flatMap((one) => {
      const instrument = findScrip(one.Exchange, one.ExchangeType, one.ScripCode, one.ScripData);
      return instrument ? [rows.snapshotRow(instrument, exchange.quote(instrument), exchange.clock.now())] : [];
    });
    return answer(request, { Data, TimeStamp: dateText(exchange.clock.now()) });
  }
  function scripMaster({ params }: Call): WireReply {
    const file = z.enum(['all', 'nse_eq', 'bse_eq', 'nse_fo', 'bse_fo', 'ncd_fo', 'mcx_fo']).safeParse(params.segment).data;
    if (!file) return fivepaisa.words.notFound();
    const listed = exchange.instruments.filter((one) => file === 'all' || one.exchange === segmentFiles[file]);
    return { status: 200, headers: { 'Content-Type': 'text/csv' }, body: rows.scripMaster(listed) };
  }
  return [
    { method: 'POST', path: `${BASE}/MarketSnapshot`, operation: 'market', handle: snapshot },
    { method: 'POST', path: `${BASE}/V1/MarketSnapshot`, operation: 'market', handle: snapshot },
    { method: 'GET', path: `${BASE}/ScripMaster/segment/:segment`, operation: 'market', open: true, handle: scripMaster },
  ];
}

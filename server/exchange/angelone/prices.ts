import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import { quoted } from '../instruments.ts';
import type { Instrument } from '../types.ts';
import { depthOf, type Level, unitsIn } from '../views.ts';
import { little, padded, u8 } from '../wire/bytes.ts';
import { bare, readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { inUnits } from '../wire/numbers.ts';
import type { Frame, Link, Stream, Talk, Tick } from '../wire/stream.ts';
import { byKey, subscriptions } from '../wire/subscriptions.ts';
import { epochSeconds } from '../wire/times.ts';
import { credentials, handshakeToken, type Logins } from './login.ts';
import { clientCode, tokenOf } from './rows.ts';

/** SmartAPI's prices: packed little-endian packets of fixed size. */

const { i16, i64, f64 } = little;

const exchangeTypes = { NSE: 1, NFO: 2, BSE: 3, BFO: 4, MCX: 5, CDS: 13 } as const;
const CURRENCY = exchangeTypes.CDS;
/** Mode -> size of its packet. */
const sizes = { 1: 51, 2: 123, 3: 379 } as const;
type Mode = keyof typeof sizes;
const MOST_TOKENS = 1000;
const errorTexts: Readonly<Record<string, string>> = {
  E1001: 'Invalid Request Payload.',
  E1002: 'Invalid Request. Subscription Limit Exceeded',
};
const Asked = z.object({
  correlationID: z.string().optional(),
  action: z.literal([0, 1]),
  params: z.object({
    mode: z.literal([1, 2, 3]),
    tokenList: z.array(z.object({ exchangeType: z.int(), tokens: z.array(z.string()) })),
  }),
});

export function priceStream(exchange: Exchange, logins: Logins): Stream {
  const byName = byKey(quoted, (each) => `${exchangeTypes[each.exchange]}:${tokenOf(each)}`);
  return {
    path: '/smart-stream',
    admit: (request, refused) => admit(request, refused, logins),
    talk: (link) => priceTalk(link, byName, () => exchange.clock.now()),
  };
}

function priceTalk(link: Link, byName: ReadonlyMap<string, Instrument>, now: () => number): Talk {
  const followed = subscriptions<Mode>(link);
  let sequence = 0;

  /** What is wrong with a subscription, if anything is. */
  function subscribe({ action, params: { mode, tokenList } }: z.infer<typeof Asked>): string | null {
    const names = tokenList.flatMap(({ exchangeType, tokens }) => tokens.map((token) => `${exchangeType}:${token}`));
    for (const instrument of names.flatMap((name) => byName.get(name) ?? [])) {
      if (action === 0) followed.drop(instrument, mode);
      else if (followed.total() >= MOST_TOKENS) return 'E1002';
      else followed.add(instrument, mode);
    }
    return null;
  }

  function answerTo(text: string): string | null {
    if (text === 'ping') return 'pong';
    const asked = Asked.safeParse(readJson(text)).data;
    const errorCode = asked ? subscribe(asked) : 'E1001';
    if (errorCode === null) return null;
    return JSON.stringify({ correlationID: asked?.correlationID ?? '', errorCode, errorMessage: errorTexts[errorCode] });
  }

  function message(frame: Buffer): void {
    const answer = answerTo(frame.toString());
    if (answer !== null) link.send(answer);
  }

  function ticks(moved: readonly Tick[]): Frame[] {
    sequence += 1;
    return moved.flatMap((tick) => followed.kindsOf(tick.instrument).map((mode) => packet(tick, mode, sequence, now())));
  }

  return { message, ticks };
}

/** All four of a login, as headers or, for browsers, three of them in the query. */
function admit(request: WireRequest, refused: boolean, { sessions, feeds }: Logins): WireReply | null {
  const { headers, query } = request;
  const given = (header: string, name: string) => String(headers[header] ?? query.get(name) ?? '');
  const browser = headers.authorization === undefined && query.has('feedToken');
  if (refused || (!browser && !sessions.lives(handshakeToken(request)))) return turnedAway('Invalid Header - Invalid Auth token');
  if (given('x-api-key', 'apiKey') !== credentials.API_KEY) return turnedAway('Invalid Header - Invalid API Key');
  if (given('x-client-code', 'clientCode') !== clientCode) return turnedAway('Invalid Header - Invalid Client Code');
  if (!feeds.lives(given('x-feed-token', 'feedToken'))) return turnedAway('Invalid Header - Invalid Feed Token');
  return null;
}

function turnedAway(reason: string): WireReply {
  return bare(401, { 'x-error-message': reason });
}

/** One packet: what fits into the size of its mode. Prices in paise, currencies in ten millionths of a rupee. */
function packet({ instrument, quote }: Tick, mode: Mode, sequence: number, now: number): Buffer {
  const type = exchangeTypes[instrument.exchange];
  const units = inUnits(type === CURRENCY ? 10_000_000 : 100);
  const last = units(quote.last);
  const { bids, asks } = depthOf(instrument, quote);
  const level = (flag: number, { price, lots, orders }: Level) => [
    i16(flag),
    ...[lots * instrument.lotSize, units(price.toFixed())].map(i64),
    i16(orders),
  ];
  const whole = Buffer.concat([
    u8(mode),
    u8(type),
    padded(tokenOf(instrument), 25),
    ...[sequence, now, last, instrument.lotSize, last, quote.volume].map(i64),
    f64(unitsIn(instrument, bids)),
    f64(unitsIn(instrument, asks)),
    ...[quote.open, quote.high, quote.low, quote.close].map(units).map(i64),
    ...[epochSeconds(now), 0, 0].map(i64),
    ...bids.flatMap((each) => level(1, each)),
    ...asks.flatMap((each) => level(0, each)),
    ...[instrument.upperCircuit, instrument.lowerCircuit, quote.high, quote.low].map(units).map(i64),
  ]);
  return whole.subarray(0, sizes[mode]);
}

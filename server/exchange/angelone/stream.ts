import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Instrument, OrderState } from '../types.ts';
import type { WireReply, WireRequest } from '../wire/message.ts';
import type { Frame, Link, Stream, Talk, Tick } from '../wire/stream.ts';
import { instrumentOf } from './orders.ts';
import * as rows from './rows.ts';

/** SmartAPI's sockets: prices as packed little-endian packets of fixed size, orders as JSON in an envelope with a code. */

/** What a handshake can be held against; epoch ms, undefined for a token that was never given out. */
interface Logins {
  validUntil(jwt: string): number | undefined;
  feedValidUntil(token: string): number | undefined;
}

const exchangeTypes = { NSE: 1, NFO: 2, BSE: 3, MCX: 5, CDS: 13 } as const;
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

export function priceStream(exchange: Exchange, logins: Logins & { key: string }): Stream {
  const byName = new Map(exchange.instruments.map((each) => [`${exchangeTypes[each.exchange]}:${each.exchangeToken}`, each]));

  function talk(link: Link): Talk {
    const modes = new Map<Instrument, Set<Mode>>();
    let sequence = 0;

    const subscriptions = () => [...modes.values()].reduce((sum, of) => sum + of.size, 0);

    /** What is wrong with a subscription, if anything is. */
    function subscribe({ action, params }: z.infer<typeof Asked>): string | null {
      for (const { exchangeType, tokens } of params.tokenList) {
        for (const token of tokens) {
          const instrument = byName.get(`${exchangeType}:${token}`);
          if (!instrument) continue;
          const of = modes.get(instrument) ?? new Set();
          if (action === 1 && subscriptions() >= MOST_TOKENS) return 'E1002';
          if (action === 1) of.add(params.mode);
          else of.delete(params.mode);
          modes.set(instrument, of);
          if (of.size > 0) link.wants.add(instrument);
          else link.wants.delete(instrument);
        }
      }
      return null;
    }

    function answerTo(text: string): string | null {
      if (text === 'ping') return 'pong';
      const asked = Asked.safeParse(parse(text)).data;
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
      return moved.flatMap((tick) =>
        [...(modes.get(tick.instrument) ?? [])].map((mode) => packet(tick, mode, sequence, exchange.clock.now())),
      );
    }

    return { message, ticks };
  }

  /** All four of a login, as headers or, for browsers, three of them in the query. */
  function admit({ headers, query }: WireRequest, refused: boolean): WireReply | null {
    const now = exchange.clock.now();
    const given = (header: string, name: string) => String(headers[header] ?? query.get(name) ?? '');
    const jwt = bearer(headers.authorization);
    const browser = headers.authorization === undefined && query.has('feedToken');
    if (refused || (!browser && now >= (logins.validUntil(jwt) ?? 0))) return turnedAway('Invalid Header - Invalid Auth token');
    if (given('x-api-key', 'apiKey') !== logins.key) return turnedAway('Invalid Header - Invalid API Key');
    if (given('x-client-code', 'clientCode') !== rows.clientCode) return turnedAway('Invalid Header - Invalid Client Code');
    if (now >= (logins.feedValidUntil(given('x-feed-token', 'feedToken')) ?? 0)) return turnedAway('Invalid Header - Invalid Feed Token');
    return null;
  }

  return { path: '/smart-stream', admit, talk };
}

/** The official clients send the token with the word before it, and without. */
function bearer(header: string | undefined): string {
  return (header ?? '').replace(/^Bearer /i, '');
}

function turnedAway(reason: string): WireReply {
  return { status: 401, headers: { 'x-error-message': reason }, body: '' };
}

/** One packet: what fits into the size of its mode. Prices in paise, currencies in ten millionths of a rupee. */
function packet({ instrument, quote }: Tick, mode: Mode, sequence: number, now: number): Buffer {
  const bytes = Buffer.alloc(sizes[3]);
  const type = exchangeTypes[instrument.exchange];
  const units = (rupees: string) => Math.round(Number(rupees) * (type === CURRENCY ? 10_000_000 : 100));
  const put = (offset: number, ...values: number[]) => {
    for (const [index, value] of values.entries()) bytes.writeBigInt64LE(BigInt(value), offset + 8 * index);
  };
  const last = units(quote.last);
  bytes.writeInt8(mode, 0);
  bytes.writeInt8(type, 1);
  bytes.write(String(instrument.exchangeToken), 2, 25, 'latin1');
  put(27, sequence, now, last, instrument.lotSize, last, quote.volume);
  bytes.writeDoubleLE(1000, 75);
  bytes.writeDoubleLE(1000, 83);
  put(91, units(quote.open), units(quote.high), units(quote.low), units(quote.close), Math.floor(now / 1000), 0);
  for (let level = 0; level < 10; level++) {
    const buying = level < 5;
    bytes.writeInt16LE(buying ? 1 : 0, 147 + 20 * level);
    put(149 + 20 * level, 100, units(buying ? quote.bid : quote.ask));
    bytes.writeInt16LE(1, 165 + 20 * level);
  }
  put(347, units(instrument.upperCircuit), units(instrument.lowerCircuit), units(quote.high), units(quote.low));
  return bytes.subarray(0, sizes[mode]);
}

/** The code of an order update; nothing is told of what the broker has not passed on yet. */
const codes: Readonly<Partial<Record<OrderState, string>>> = {
  OPEN_PENDING: 'AB09',
  AMO_RECEIVED: 'AB06',
  OPEN: 'AB01',
  TRIGGER_PENDING: 'AB10',
  MODIFY_PENDING: 'AB11',
  FILLED: 'AB05',
  REJECTED: 'AB03',
  CANCELLED: 'AB02',
  EXPIRED: 'AB02',
};
const CONNECTED = 'AB00';
const CHANGED = 'AB04';
const IDLE_MS = 10_000;
const MOST_CONNECTIONS = 3;
/** Clients must ping every 10 s: one that has not for this long does not count any more. */
const FORGOTTEN_MS = 30_000;

export function orderStream({ clock }: Exchange, logins: Logins): Stream {
  const seats = new Set<{ heardAt: number }>();

  function admit(request: WireRequest, refused: boolean): WireReply | null {
    const validUntil = logins.validUntil(bearer(request.headers.authorization));
    if (validUntil === undefined) return { status: 401, headers: {}, body: '' };
    if (refused || clock.now() >= validUntil) return { status: 403, headers: {}, body: '' };
    const taken = [...seats].filter(({ heardAt }) => clock.now() - heardAt < FORGOTTEN_MS);
    return taken.length >= MOST_CONNECTIONS ? { status: 429, headers: {}, body: '' } : null;
  }

  function talk(link: Link): Talk {
    const seat = { heardAt: clock.now() };
    seats.add(seat);
    return {
      opened: () => link.send(enveloped(CONNECTED, blank)),
      message() {
        seat.heardAt = clock.now();
      },
      order(order) {
        const code = order.history.at(-2)?.state === 'MODIFIED' ? CHANGED : codes[order.state];
        return code === undefined ? [] : [enveloped(code, rows.orderRow(order, instrumentOf(order), 'details'))];
      },
      closed: () => void seats.delete(seat),
      beat: { everyMs: IDLE_MS, frame: () => Buffer.alloc(1) },
    };
  }

  return { path: '/smart-order-update', admit, talk };
}

/** Around the first frame stands an order with nothing in it. */
const blank: Partial<Record<keyof ReturnType<typeof rows.orderRow>, string>> = {
  variety: '',
  ordertype: '',
  producttype: '',
  tradingsymbol: '',
  transactiontype: '',
  exchange: '',
  symboltoken: '',
  ordertag: '',
  orderid: '',
  text: '',
  status: '',
  orderstatus: '',
  uniqueorderid: '',
};

function enveloped(code: string, orderData: object): string {
  return JSON.stringify({ 'user-id': rows.clientCode, 'status-code': '200', 'order-status': code, 'error-message': '', orderData });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

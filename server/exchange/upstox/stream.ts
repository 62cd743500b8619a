import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Instrument } from '../types.ts';
import { depthOf, type HoldingView, type OrderView, type PositionView, type TradeView, unitsIn } from '../views.ts';
import { shortLived } from '../wire/codes.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { newToken, readJson, redirect, type WireReply, type WireRequest } from '../wire/message.ts';
import { double, message, nested, text, whole } from '../wire/protobuf.ts';
import type { Frame, Link, Stream, Talk, Tick } from '../wire/stream.ts';
import { holdingRow, positionRow } from './account-rows.ts';
import * as rows from './rows.ts';
import { failure, success } from './words.ts';

/** Upstox's sockets: market data as protocol buffers (MarketDataFeedV3.proto), the portfolio stream as JSON. Each is entered by a redirect to an address whose code works once. */

const CODE_MS = 60_000;
const modes = { ltpc: 0, full: 1, option_greeks: 2, full_d30: 3 } as const;
type Mode = keyof typeof modes;
const types = { initial_feed: 0, live_feed: 1, market_info: 2 } as const;
const NORMAL_OPEN = 2;
const segments = ['NSE_EQ', 'BSE_EQ', 'NSE_FO', 'BSE_FO', 'NCD_FO', 'MCX_FO'];

const Asked = z.object({
  guid: z.string(),
  method: z.enum(['sub', 'unsub', 'change_mode']),
  data: z.object({ instrumentKeys: z.array(z.string()), mode: z.enum(['ltpc', 'full', 'option_greeks', 'full_d30']).optional() }),
});

const sockets = [
  { entry: '/v3/feed/market-data-feed', socket: '/market-data-feeder/v3/upstox-developer-api/feeds', talk: marketTalk },
  { entry: '/v2/feed/portfolio-stream-feed', socket: '/portfolio-stream-feeder/v2/upstox-developer-api/updates', talk: portfolioTalk },
] as const;

interface Parts {
  exchange: Exchange;
  /** Whether a request comes with the token of a living login. */
  holds(request: WireRequest): boolean;
  /** What a dead login is told. */
  expired(): WireReply;
}

export function createStreams({ exchange, holds, expired }: Parts): { streams: Stream[]; routes: Route[] } {
  /** Each with the socket it opens. */
  const codes = shortLived<string>(exchange.clock, CODE_MS);

  function addressOf(socket: string, request: WireRequest): string {
    const code = codes.keep(newToken(), socket);
    const asked = Object.fromEntries(request.query);
    return `${request.origin.replace('http', 'ws')}${socket}?${new URLSearchParams({ requestId: newToken(), ...asked, code })}`;
  }

  const streams = sockets.flatMap(({ entry, socket, talk }): Stream[] => [
    {
      path: entry,
      admit: (request, refused) => (refused || !holds(request) ? expired() : redirect(addressOf(socket, request))),
      talk: () => ({ message: () => undefined }),
    },
    {
      path: socket,
      admit: (request, refused) =>
        !refused && codes.spend(request.query.get('code') ?? '') === socket ? null : failure(403, 'UDAPI100057', 'Invalid Auth code'),
      talk: (link) => talk(exchange, link),
    },
  ]);
  const routes = sockets.map(({ entry, socket }): Route => {
    function authorize({ request }: Call): WireReply {
      const address = addressOf(socket, request);
      return success({ authorized_redirect_uri: address, authorizedRedirectUri: address });
    }
    return { method: 'GET', path: `${entry}/authorize`, operation: 'login', handle: authorize };
  });
  return { streams, routes };
}

function marketTalk(exchange: Exchange, link: Link): Talk {
  const mode = new Map<Instrument, Mode>();
  const now = () => exchange.clock.now();
  const feeds = (type: number, ticks: readonly Tick[]) =>
    message(whole(1, type), ...ticks.map((tick) => feedEntry(tick, mode.get(tick.instrument) ?? 'ltpc', now())), whole(3, now()));

  return {
    opened: () => link.send(marketInfo(now())),
    message(frame, binary) {
      const { data: asked } = Asked.safeParse(binary ? readJson(frame.toString()) : undefined);
      const named = (asked?.data.instrumentKeys ?? []).flatMap((key) => rows.quotedOfKey(key) ?? []);
      if (!asked || named.length === 0) return;
      for (const instrument of named) {
        if (asked.method === 'unsub') link.wants.delete(instrument);
        else mode.set(instrument, asked.data.mode ?? mode.get(instrument) ?? 'ltpc');
        if (asked.method === 'sub') link.wants.add(instrument);
      }
      const snapshot = named.map((instrument) => ({ instrument, quote: exchange.quote(instrument) }));
      if (asked.method === 'sub') link.send(feeds(types.initial_feed, snapshot));
    },
    ticks: (moved) => [feeds(types.live_feed, moved)],
  };
}

function marketInfo(now: number): Frame {
  const open = segments.map((segment) => nested(1, message(text(1, segment), whole(2, NORMAL_OPEN))));
  return message(whole(1, types.market_info), whole(3, now), nested(4, message(...open)));
}

/** One entry of the map `feeds`: instrument key and Feed. */
function feedEntry({ instrument, quote }: Tick, mode: Mode, now: number): Buffer {
  const last = nested(
    1,
    message(double(1, Number(quote.last)), whole(2, now), whole(3, instrument.lotSize), double(4, Number(quote.close))),
  );
  const { bids, asks } = depthOf(instrument, quote, mode === 'full_d30' ? 30 : 5);
  const levels = bids.map((bid, index) => {
    const ask = asks[index] ?? bid;
    const [bidUnits, askUnits] = [bid.lots * instrument.lotSize, ask.lots * instrument.lotSize];
    return message(whole(1, bidUnits), double(2, Number(bid.price)), whole(3, askUnits), double(4, Number(ask.price)));
  });
  const feed = { ltpc: () => last, option_greeks: greeks, full, full_d30: full }[mode]();

  function greeks(): Buffer {
    return nested(3, message(last, nested(2, levels[0] ?? message()), nested(3, message(double(1, 0.5))), whole(4, quote.volume)));
  }
  function full(): Buffer {
    const depth = nested(2, message(...levels.map((level) => nested(1, level))));
    const prices = [quote.open, quote.high, quote.low, quote.last].map((price, index) => double(2 + index, Number(price)));
    const day = nested(4, nested(1, message(text(1, '1d'), ...prices, whole(6, quote.volume), whole(7, now))));
    const sums = [
      double(5, Number(quote.last)),
      whole(6, quote.volume),
      double(9, unitsIn(instrument, bids)),
      double(10, unitsIn(instrument, asks)),
    ];
    return nested(2, nested(1, message(last, depth, day, ...sums)));
  }
  return nested(2, message(text(1, rows.instrumentKey(instrument)), nested(2, message(feed, whole(4, modes[mode])))));
}

/** Tells of every change of every order, whatever made it, and after a trade what it made of the position and of the holding. */
function portfolioTalk(exchange: Exchange, link: Link): Talk {
  const wanted = (link.request.query.get('update_types') ?? 'order').split(',');
  const told: Readonly<Record<string, (order: OrderView, trade: TradeView | undefined) => Frame[]>> = {
    order: (order) => [orderFrame(order)],
    position: (_order, trade) => (trade ? exchange.account('upstox').positions().filter(isOf(trade)).map(positionFrame) : []),
    holding: (_order, trade) =>
      trade?.product === 'DELIVERY' ? exchange.account('upstox').holdings().filter(isOf(trade)).map(holdingFrame) : [],
  };
  return { message: () => undefined, order: (order, trade) => wanted.flatMap((type) => told[type]?.(order, trade) ?? []) };
}

/** Whether a row is what a trade was made in; one of the holdings has no product. */
function isOf({ exchange, symbol, product }: TradeView): (row: Pick<TradeView, 'exchange' | 'symbol'> & { product?: string }) => boolean {
  return (row) => row.exchange === exchange && row.symbol === symbol && (row.product ?? product) === product;
}

/** Positions and holdings as the reads have them: no frame of the broker's was found. */
function positionFrame(position: PositionView): Frame {
  return JSON.stringify({ update_type: 'position', user_id: rows.userId, ...positionRow(position) });
}

function holdingFrame(holding: HoldingView): Frame {
  return JSON.stringify({ update_type: 'holding', user_id: rows.userId, ...holdingRow(holding) });
}

/** The order as the webhook has it: the row of the order book without what only reads show. */
function orderFrame(order: OrderView): Frame {
  const { guid, order_request_id, tradingsymbol, ...told } = rows.orderRow(order);
  const named = { update_type: 'order', user_id: rows.userId, instrument_key: told.instrument_token };
  return JSON.stringify({ ...named, ...told, exchange_order_id: told.exchange_order_id ?? '' });
}

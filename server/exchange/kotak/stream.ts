import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Instrument, Trade } from '../types.ts';
import type { OrderView } from '../views.ts';
import { readJson } from '../wire/message.ts';
import type { Frame, Link, Stream, Talk, Tick } from '../wire/stream.ts';
import { byKey, subscriptions } from '../wire/subscriptions.ts';
import { positionRow } from './account-rows.ts';
import type { Logins } from './login.ts';
import { orderRow } from './rows.ts';
import { batches, exchanges, type Level, levels, packet } from './sfeed.ts';
import { segmentOf, tradingSymbol, ucc } from './words.ts';

/** Kotak Neo's sockets: prices on `/apifeed`, orders and positions on `/realtime`. Both sign in with their first frame. */

const MOST_TOKENS = 3000;
/** Where older clients and documents look for prices. */
const OLDER_PATHS = ['/betafeed', '/wsfeed'];
/** What a refusal looks like is documented for neither socket: a text, then the end. */
const REFUSED = 1008;

type Parts = Omit<Logins, 'routes'> & { exchange: Exchange };

export function kotakStreams(parts: Parts): Stream[] {
  const named = byKey(parts.exchange.instruments, keyOf);
  const prices = ['/apifeed', ...OLDER_PATHS].map(
    (path): Stream => ({ path, admit: () => null, talk: (link) => priceTalk(link, parts, named) }),
  );
  return [...prices, { path: '/realtime', admit: () => null, talk: (link) => orderTalk(link, parts) }];
}

function keyOf({ exchange, exchangeToken }: Instrument): string {
  return `${segmentOf[exchange]}|${exchangeToken}`;
}

const SignIn = z.object({ user: z.string(), auth: z.string(), format: z.string(), sdk_version: z.int() });
const Asked = z.object({ event: z.string(), inputtoken: z.string().default(''), ack_symbol: z.boolean().optional() });

function priceTalk(link: Link, { exchange, holdsSid }: Parts, named: ReadonlyMap<string, Instrument>): Talk {
  const followed = subscriptions<Level>(link);
  let signedIn = false;
  const say = (body: object) => link.send(JSON.stringify(body));

  function signIn(body: unknown): void {
    const { data } = SignIn.safeParse(body);
    if (!data || link.refused || data.user !== ucc || !holdsSid(data.auth)) {
      say({ message_code: 1118, message: 'Invalid session' });
      link.close(REFUSED);
      return;
    }
    signedIn = data.format === 'native_batch';
    say({ message_code: 1119, format: signedIn ? 'native_batch' : 'native_fallback', exchanges });
  }

  function message(frame: Buffer): void {
    const body = readJson(frame.toString());
    if (signedIn) subscribe(body);
    else signIn(body);
  }

  function subscribe(body: unknown): void {
    const { data } = Asked.safeParse(body);
    const [, un, name = ''] = /^(un)?subscribe(\w+)$/i.exec(data?.event ?? '') ?? [];
    if (!data || !isLevel(name)) return;
    const found = data.inputtoken.split(',').flatMap((key) => named.get(key) ?? []);
    for (const instrument of found) {
      const more = followed.kindsOf(instrument).length > 0 || followed.instruments() < MOST_TOKENS;
      if (un) followed.drop(instrument, name);
      else if (more) followed.add(instrument, name);
    }
    const symbols = Object.fromEntries(found.map((instrument) => [keyOf(instrument), tradingSymbol(instrument)]));
    if (!un && data.ack_symbol) say({ message_code: 1109, trading_symbols: symbols });
  }

  function ticks(moved: readonly Tick[]): Frame[] {
    const now = exchange.clock.now();
    return batches(moved.flatMap((tick) => followed.kindsOf(tick.instrument).map((level) => packet(tick, level, now))));
  }

  return { message, ticks };
}

function isLevel(name: string): name is Level {
  return Object.hasOwn(levels, name);
}

const Connection = z.object({ type: z.literal('cn'), Authorization: z.string(), Sid: z.string() });

function orderTalk(link: Link, { exchange, holds }: Parts): Talk {
  let signedIn = false;

  function message(frame: Buffer): void {
    const data = connectionOf(frame.toString());
    // What else a client may send, a heartbeat, is not answered.
    if (signedIn || !data) return;
    signedIn = !link.refused && holds(data.Sid, data.Authorization);
    link.send(JSON.stringify({ ak: signedIn ? 'ok' : 'nk', type: 'cn', task: 'cn', msg: signedIn ? 'connected' : 'invalid session' }));
    if (!signedIn) link.close(REFUSED);
    else for (const frame of [...exchange.account('kotak').orders().map(orderFrame), ...positionFrames(exchange)]) link.send(frame);
  }

  function told(order: OrderView, trade: Trade | undefined): Frame[] {
    if (!signedIn) return [];
    // The account is in the middle of this very fill: it can be asked when the fill is done.
    if (trade) queueMicrotask(() => positionFrames(exchange, trade).forEach(link.send));
    return [orderFrame(order)];
  }

  return { message, order: told };
}

/** The first frame is no JSON as the newest client has it, JSON as others do. */
function connectionOf(text: string): z.infer<typeof Connection> | undefined {
  const [, Authorization = '', Sid = ''] = /^\{type:cn,Authorization:([^,{}]*),Sid:([^,{}]*)(?:,src:\w+)?\}$/.exec(text) ?? [];
  return Authorization ? { type: 'cn', Authorization, Sid } : Connection.safeParse(readJson(text)).data;
}

function orderFrame(order: OrderView): Frame {
  const row = orderRow(order);
  const { nOrdNo, exOrdId, ordSt, avgPrc, qty, fldQty, unFldSz, trnsTp, prcTp, prod, exSeg, sym, trdSym, tok, ordDtTm } = row;
  const { updRecvTm, boeSec, exCfmTm } = row;
  const facts = { nOrdNo, exOrdId, ordSt, avgPrc, qty, fldQty, unFldSz, trnsTp, prcTp, prod, exSeg, sym, trdSym, tok, ordDtTm };
  return JSON.stringify({ type: 'order', data: { ...facts, updRecvTm, boeSec, exCfmTm } });
}

/** Positions as they stand: all, or the one a trade changed. */
function positionFrames(exchange: Exchange, trade?: Trade): Frame[] {
  const held = exchange.account('kotak').positions();
  const meant = held.filter(({ symbol, product }) => !trade || (symbol === trade.symbol && product === trade.product));
  return meant.map((position) => {
    const row = positionRow(position, exchange.clock.now());
    const { actId, sym, exSeg, prod, flBuyQty, flSellQty, buyAmt, sellAmt, posFlg, sqrFlg, lotSz, multiplier, hsUpTm } = row;
    const totals = { flBuyQty, flSellQty, buyAmt, sellAmt };
    return JSON.stringify({ type: 'position', data: { actId, sym, exSeg, prod, ...totals, posFlg, sqrFlg, lotSz, multiplier, hsUpTm } });
  });
}

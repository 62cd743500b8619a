import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Instrument, Quote } from '../types.ts';
import { dayChange, type OrderView, type TradeView } from '../views.ts';
import { readJson } from '../wire/message.ts';
import { type Kind, norenPrices, type Row } from '../wire/noren.ts';
import type { Frame, Link, Stream, Talk } from '../wire/stream.ts';
import { epochSeconds } from '../wire/times.ts';
import { quoteRow } from './account-rows.ts';
import { orderRow, tradeRow } from './rows.ts';
import { user } from './words.ts';

/** Shoonya's socket: prices and order updates, JSON of texts. The path of the older API serves the same. */

const who = { uid: z.literal(user), actid: z.literal(user) };
/** The present sign-in and that of the older clients, each with the word of its answer. */
const SignIn = z.union([
  z.looseObject({ t: z.literal('a'), ...who, accesstoken: z.string() }).transform((told) => ({ token: told.accesstoken, answer: 'ak' })),
  z.looseObject({ t: z.literal('c'), ...who, susertoken: z.string() }).transform((told) => ({ token: told.susertoken, answer: 'ck' })),
]);
const Plain = z.looseObject({ t: z.string() });

interface Parts {
  exchange: Exchange;
  /** Whether a token is that of a living login. */
  lives(token: string): boolean;
}

export function norenStreams({ exchange, lives }: Parts): Stream[] {
  function talk(link: Link): Talk {
    let known = false;
    let tellsOrders = false;
    const prices = norenPrices({ exchange, link, answersEnd: true, row: (...of) => priceRow(...of, exchange.clock.now()) });

    function signIn(frame: unknown): void {
      const { data } = SignIn.safeParse(frame);
      known = data !== undefined && !link.refused && lives(data.token);
      const answer = data?.answer ?? (Plain.safeParse(frame).data?.t === 'c' ? 'ck' : 'ak');
      link.send(JSON.stringify({ t: answer, uid: user, s: known ? 'OK' : 'NOT_OK' }));
    }

    function orders(t: string): void {
      tellsOrders = t === 'o';
      link.send(JSON.stringify({ t: `${t}k` }));
    }

    function message(bytes: Buffer): void {
      const frame = readJson(bytes.toString());
      const { t } = Plain.safeParse(frame).data ?? {};
      if (t === 'h') return;
      if (t === 'a' || t === 'c') signIn(frame);
      else if (!known || t === undefined) link.close();
      else if (t === 'o' || t === 'uo') orders(t);
      else prices.message(frame);
    }

    return {
      message,
      ticks: prices.ticks,
      order: (order, trade) => (tellsOrders ? [orderFrame(order, trade)] : []),
    };
  }

  return ['/NorenWSAPI/', '/NorenWSTP/'].map((path) => ({ path, admit: () => null, talk }));
}

function priceRow(instrument: Instrument, quote: Quote, kind: Kind, now: number): Row {
  const { exch, token, tsym, pp, ls, ti, lp, o, h, l, c, v, bp1, sp1, bq1, sq1, uc, lc } = quoteRow(instrument, quote);
  const touch = { o, h, l, c, ap: lp, v, bp1, sp1, bq1, sq1, ft: String(epochSeconds(now)) };
  const depth = { ltq: ls, tbq: bq1, tsq: sq1, bo1: '1', so1: '1', lc, uc };
  return {
    e: exch,
    tk: token,
    ts: tsym,
    pp,
    ls,
    ti,
    lp,
    pc: dayChange(quote).percent.toFixed(2),
    ...touch,
    ...(kind === 'd' ? depth : {}),
  };
}

/** Every change of an order is told, a fill with its own members. */
function orderFrame(order: OrderView, trade: TradeView | undefined): Frame {
  const { stat: _stat, rpt, token: _token, ...row } = orderRow(order);
  return JSON.stringify({ t: 'om', ...row, reporttype: trade ? 'Fill' : rpt, ...(trade && fillOf(trade)) });
}

function fillOf(trade: TradeView): object {
  const { fltm, flid, flqty, flprc } = tradeRow(trade);
  return { fltm, flid, flqty, flprc };
}

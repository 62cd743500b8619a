import { z } from 'zod';
import { istText } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import type { ExchangeOrder, Instrument, Trade } from '../types.ts';
import { dayChange, type OrderView, type TradeView } from '../views.ts';
import { bare, readJson } from '../wire/message.ts';
import type { Link, Stream, Talk, Tick } from '../wire/stream.ts';
import { sinceMidnight } from '../wire/times.ts';
import { findScrip } from './orders.ts';
import { reasonOf, statusWord } from './rows.ts';
import { clientCode, dateText, indexAs, letters, scripCode } from './words.ts';

/** 5paisa's socket: JSON both ways, prices in lists, orders one by one; a newer connection ends the one before. */

const scrip = z.object({ Exch: z.string(), ExchType: z.string(), ScripCode: z.coerce.number() });
const operation = { Operation: z.enum(['Subscribe', 'Unsubscribe']), ClientCode: z.literal(clientCode) };
const Asked = z.discriminatedUnion('Method', [
  z.object({ Method: z.literal('MarketFeedV3'), ...operation, MarketFeedData: z.array(scrip) }),
  z.object({ Method: z.literal('OrderTradeConfirmations'), ...operation }),
]);
const SECOND_CONNECTION = 1000;

export function feedStream(path: string, exchange: Exchange, lives: (token: string) => boolean): Stream {
  let current: Link | null = null;

  function talk(link: Link): Talk {
    let tellsOrders = false;

    function message(frame: Buffer): void {
      const asked = Asked.safeParse(readJson(frame.toString())).data;
      const adding = asked?.Operation === 'Subscribe';
      if (asked?.Method === 'OrderTradeConfirmations') tellsOrders = adding;
      for (const each of asked?.Method === 'MarketFeedV3' ? asked.MarketFeedData : []) {
        const instrument = findScrip(each.Exch, each.ExchType, each.ScripCode) ?? indexAs(each.Exch, each.ExchType, each.ScripCode);
        if (instrument && adding) link.wants.add(instrument);
        else if (instrument) link.wants.delete(instrument);
      }
    }

    return {
      opened() {
        current?.close(SECOND_CONNECTION);
        current = link;
      },
      closed() {
        if (current === link) current = null;
      },
      message,
      ticks: (moved) => moved.map((tick) => JSON.stringify([tickRow(tick, exchange.clock.now())])),
      order(order, trade) {
        const told = tellsOrders && confirmation(order, trade);
        return told ? [JSON.stringify(told)] : [];
      },
    };
  }

  /** How a bad token is turned away is not documented. */
  function admit({ query }: { query: URLSearchParams }, refused: boolean) {
    const [token = '', client = ''] = (query.get('Value1') ?? '').split('|');
    return !refused && client === clientCode && lives(token) ? null : bare(401);
  }

  return { path, admit, talk };
}

function named(instrument: Instrument) {
  const [Exch, ExchType] = letters[instrument.exchange];
  return { Exch, ExchType };
}

function tickRow({ instrument, quote }: Tick, now: number): object {
  return {
    ...named(instrument),
    Token: scripCode(instrument),
    LastRate: Number(quote.last),
    LastQty: instrument.lotSize,
    TotalQty: quote.volume,
    High: Number(quote.high),
    Low: Number(quote.low),
    OpenRate: Number(quote.open),
    PClose: Number(quote.close),
    AvgRate: Number(quote.last),
    Time: Math.floor(sinceMidnight(now) / 1000),
    BidQty: 100,
    BidRate: Number(quote.bid),
    OffQty: 100,
    OffRate: Number(quote.ask),
    TBidQ: 1000,
    TOffQ: 1000,
    TickDt: dateText(now),
    ChgPcnt: Number(dayChange(quote).percent.round(2).toFixed()),
  };
}

/** P placed (or refused), M changed, C cancelled, T traded, S a stop that was triggered; null for what is not told. */
function kindOf(order: ExchangeOrder, trade: Trade | undefined): 'P' | 'M' | 'C' | 'T' | 'S' | null {
  if (trade) return 'T';
  if (order.state === 'CANCELLED' || order.state === 'EXPIRED') return 'C';
  if (order.state === 'REJECTED' || order.state === 'AMO_RECEIVED') return 'P';
  if (order.state !== 'OPEN' && order.state !== 'TRIGGER_PENDING') return null;
  const before = order.history.at(-2)?.state;
  return before === 'MODIFIED' ? 'M' : before === 'TRIGGER_PENDING' ? 'S' : 'P';
}

const kindWords = { P: 'Placed', M: 'Modified', C: 'Cancelled', T: 'Fully Executed', S: 'SL Triggered' } as const;

function confirmation(order: OrderView, trade: TradeView | undefined): object | null {
  const kind = kindOf(order, trade);
  if (!kind) return null;
  const { instrument } = order;
  const refused = order.state === 'REJECTED';
  const about = {
    ReqType: kind,
    ClientCode: clientCode,
    ...named(instrument),
    ScripCode: instrument.exchangeToken,
    Symbol: instrument.underlying,
    Series: instrument.expiry === null ? 'EQ' : 'XX',
    ExchOrderID: order.exchangeOrderId ?? '0',
    BuySell: order.side === 'BUY' ? 'B' : 'S',
    Product: order.product === 'INTRADAY' ? 'I' : 'D',
    RemoteOrderId: order.tag ?? '',
    ReqStatus: refused ? 1 : 0,
    Remark: reasonOf(order),
  };
  const pending = order.pending + order.cancelled;
  if (trade) {
    const traded = { ExchTradeId: trade.tradeId, ExchTradeTime: istText(trade.at), Qty: trade.quantity, Price: Number(trade.price) };
    const so = { PendingQty: pending, TotalTradedQty: order.filled, OrderQty: order.quantity, OrderPrice: Number(order.price) };
    return { ...about, ...traded, ...so, Status: statusWord(order) };
  }
  const stop = { AtMarket: Number(order.price) === 0 ? 'Y' : 'N', SLTriggerRate: Number(order.triggerPrice), Qty: order.quantity };
  if (kind === 'S')
    return { ...about, ...stop, OrderPrice: Number(order.price), SLTriggerTime: istText(order.updatedAt), Status: kindWords.S };
  return {
    ...about,
    ...stop,
    BrokerOrderID: Number(order.orderId),
    ExchOrderTime: istText(order.updatedAt),
    Price: Number(order.price),
    Status: refused ? statusWord(order) : kindWords[kind],
    OrderRequestorCode: clientCode,
    WithSL: Number(order.triggerPrice) > 0 ? 'Y' : 'N',
    DisclosedQty: 0,
    PendingQty: pending,
    TradedQty: order.filled,
  };
}

import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { OrderView, TradeView } from '../views.ts';
import { readJson } from '../wire/message.ts';
import type { Frame, Link, Talk } from '../wire/stream.ts';
import { epochSeconds } from '../wire/times.ts';
import { positionRow } from './account-rows.ts';
import { orderRow, tradeRow } from './rows.ts';

/** FYERS' updates of orders, trades and positions: JSON. */

const Asked = z.object({ T: z.literal('SUB_ORD'), SLIST: z.array(z.string()), SUB_T: z.literal([1, -1]) });

export function orderTalk(link: Link, exchange: Exchange): Talk {
  const follows = new Set<string>();

  function message(frame: Buffer): void {
    const said = frame.toString();
    link.send(said === 'ping' ? 'pong' : JSON.stringify(answer(readJson(said))));
  }

  function answer(asked: unknown): object {
    const { data } = Asked.safeParse(asked);
    if (!data) return { code: -50, message: 'Invalid request', s: 'error' };
    for (const name of data.SLIST) {
      if (data.SUB_T === 1) follows.add(name);
      else follows.delete(name);
    }
    return { code: 1605, message: `Successfully ${data.SUB_T === 1 ? 'subscribed' : 'unsubscribed'}`, s: 'ok' };
  }

  function told(order: OrderView, trade: TradeView | undefined): Frame[] {
    const frames: Frame[] = [];
    if (follows.has('orders')) frames.push(JSON.stringify({ s: 'ok', orders: pushedOrder(order, exchange) }));
    if (trade && follows.has('trades')) frames.push(JSON.stringify({ s: 'ok', trades: pushedTrade(trade) }));
    if (trade && follows.has('positions')) frames.push(JSON.stringify({ s: 'ok', positions: pushedPosition(trade, exchange) }));
    return frames;
  }

  return { message, order: told };
}

/** The order system's own codes for the public ones. */
const rawStatus: Readonly<Record<number, number>> = { 1: 91, 2: 90, 4: 20, 5: 92, 6: 22, 7: 73 };

function pushedOrder(order: OrderView, exchange: Exchange): object {
  const { instrument } = order;
  const row = orderRow(order, exchange.quote(instrument), 1);
  return {
    client_id: row.clientId,
    id: row.id,
    id_exchange: row.exchOrdId,
    id_fyers: row.id_fyers,
    qty: row.qty,
    qty_remaining: row.remainingQuantity,
    qty_filled: row.filledQty,
    price_limit: row.limitPrice,
    price_stop: row.stopPrice,
    price_traded: row.tradedPrice,
    ord_type: row.type,
    ord_status: rawStatus[row.status],
    org_ord_status: row.status,
    oms_msg: row.message,
    status_msg: row.message,
    ordertag: row.orderTag,
    fy_token: row.fyToken,
    exchange: row.exchange,
    segment: row.segment,
    symbol: row.symbol,
    instrument: row.instrument,
    offline_flag: row.offlineOrder,
    time_oms: row.orderDateTime,
    time_epoch_oms: epochSeconds(order.updatedAt),
    validity: row.orderValidity,
    product_type: row.productType,
    tran_side: row.side,
    ord_source: row.source,
    symbol_exch: row.ex_sym,
    symbol_desc: row.description,
    lot_size: instrument.lotSize,
    tick_size: Number(instrument.tick),
  };
}

function pushedTrade(trade: TradeView): object {
  const row = tradeRow(trade);
  return {
    id_fill: row.tradeNumber,
    id: row.orderNumber,
    qty_traded: row.tradedQty,
    price_traded: row.tradePrice,
    traded_val: row.tradeValue,
    product_type: row.productType,
    client_id: row.clientId,
    id_exchange: row.exchangeOrderNo,
    ord_type: row.orderType,
    tran_side: row.side,
    symbol: row.symbol,
    fill_time: row.orderDateTime,
    fy_token: row.fyToken,
    exchange: row.exchange,
    segment: row.segment,
    ordertag: row.orderTag,
  };
}

/** The position a trade made or changed. */
function pushedPosition({ exchange: place, symbol, product }: TradeView, exchange: Exchange): object {
  const positions = exchange.account('fyers').positions();
  const index = positions.findIndex((one) => one.exchange === place && one.symbol === symbol && one.product === product);
  const position = positions[index];
  if (!position) return {};
  const row = positionRow(position, index);
  return {
    symbol: row.symbol,
    id: row.id,
    buy_avg: row.buyAvg,
    buy_qty: row.buyQty,
    buy_val: row.buyVal,
    sell_avg: row.sellAvg,
    sell_qty: row.sellQty,
    sell_val: row.sellVal,
    net_avg: row.netAvg,
    net_qty: row.netQty,
    tran_side: row.side,
    qty: row.qty,
    product_type: row.productType,
    pl_realized: row.realized_profit,
    pl_unrealized: row.unrealized_profit,
    pl_total: row.pl,
    rbirefrate: row.rbiRefRate,
    fy_token: row.fyToken,
    exchange: row.exchange,
    segment: row.segment,
    day_buy_qty: row.dayBuyQty,
    day_sell_qty: row.daySellQty,
    cf_buy_qty: row.cfBuyQty,
    cf_sell_qty: row.cfSellQty,
    qty_multiplier: row.qtyMulti_com,
    cross_curr_flag: row.crossCurrency,
  };
}

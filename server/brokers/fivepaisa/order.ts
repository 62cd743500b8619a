import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { checkChange, checkOrder, hasLimit, hasTrigger, type OrderRules, pricesOf } from '../order-rules.ts';
import { Refusal, translate } from '../parse.ts';
import type { Body } from './api.ts';
import { type BookedOrder, exchangeOf } from './rows.ts';
import { products, segments, sides, varieties } from './wire.ts';

/** A share of the order's price, or its whole price, that is still to be computed from the market. */
export interface Open {
  side: 'BUY' | 'SELL';
  option: boolean;
  /** The exchange's letters and the scrip code. */
  segment: string;
  token: string;
  /** Rupees; null for an order at market, which is priced from the last price. */
  trigger: string | null;
}

export interface Made {
  body: Body;
  /** Not null: `Price` is to be filled in before anything is sent. */
  open: Open | null;
}

/** For contracts with a multiplier 5paisa counts contracts, else units; for which, nobody says. */
const unitInDoubt = (exchange: string) =>
  `5paisa does not document whether a quantity on ${exchange} means units or contracts, so nothing is sent there`;

const orderTypes = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SL-M' };
const rules: OrderRules = {
  broker: '5paisa',
  words: { exchange: segments, transaction_type: sides, order_type: orderTypes, product_type: products, variety: varieties },
  refused: { exchange: { MCX: unitInDoubt('MCX'), CDS: unitInDoubt('CDS') } },
  refusedChange: 'quantity',
  unusedPrice: 'given',
};

/** Names of contracts carry a day: `NIFTY 29 Dec 2026`, `NIFTY 29 Dec 2026 CE 26000.00`. */
const contract = / \d{1,2} [A-Z]{3} \d{4}( |$)/i;
const optionName = / (CE|PE) [\d.]+$/;

/** The body of V1/PlaceOrderRequest. Throws Refusal for what must not reach 5paisa. */
export function placeBody(order: BrokerOrder, tag: string, algoId: string | undefined): Made {
  const words = checkOrder(order, rules);
  const { ordertype: type } = order;
  const segment = words.exchange;
  const token = checkedToken(order);
  if (order.variety === 'AMO' && !hasLimit(type))
    throw new Refusal(
      `order_type: ${type} needs a limit computed from a fresh price, and after hours there is none; use LIMIT or SL with AMO`,
    );
  const { price, trigger } = pricesOf(type, order.price, order.triggerprice);
  const body: Body = {
    Exchange: segment[0],
    ExchangeType: segment[1],
    ScripCode: Number(token),
    OrderType: words.transaction_type,
    Qty: Number(order.quantity),
    DisQty: 0,
    // A price of 0, or none, is an order at market.
    Price: Number(price ?? 0),
    StopLossPrice: Number(trigger ?? 0),
    IsIntraday: words.product_type === products.INTRADAY,
    AHPlaced: words.variety,
    iOrderValidity: 0,
    RemoteOrderID: tag,
    isMTF: false,
    AlgoID: algoId === undefined ? 0 : /^\d{1,15}$/.test(algoId) ? Number(algoId) : algoId,
  };
  const side = order.transactiontype === 'BUY' ? 'BUY' : 'SELL';
  const open = { side, option: optionName.test(order.tradingsymbol), segment, token, trigger } as const;
  return { body, open: price === null ? open : null };
}

/** The body of V1/ModifyOrderRequest: all four values every time, those not given as they are booked. `follows`: the limit goes with the trigger. */
export function changeBody(change: BrokerChange, booked: BookedOrder, follows: boolean): Made {
  translate(varieties, 'variety', change.variety);
  const atMarket = booked.AtMarket === 'Y';
  const wasStop = booked.SLTriggerRate > 0;
  const bookedType = wasStop ? (atMarket || follows ? 'SL-M' : 'SL') : atMarket ? 'MARKET' : 'LIMIT';
  const type = change.ordertype === undefined ? bookedType : translate(orderTypes, 'order_type', change.ordertype);
  if (hasTrigger(type) !== wasStop)
    throw new Refusal(`order_type: 5paisa does not say that ${bookedType} becomes ${type} by a change; cancel it and place a new order`);
  if (change.triggerprice !== undefined && !wasStop)
    throw new Refusal(`trigger_price: ${type} has no trigger; cancel it and place a new order`);
  checkChange(change, { type, exchange: exchangeOf(booked) }, rules);
  if (booked.ExchOrderID === null)
    throw new Refusal(
      'order_id: the exchange has not acknowledged this order yet, and 5paisa changes it by its number there alone; nothing was sent',
    );
  const { Exch, ExchType, ScripCode } = booked;
  const { price, trigger } = pricesOf(type, change.price ?? String(booked.Rate), change.triggerprice ?? String(booked.SLTriggerRate));
  const body: Body = {
    ExchOrderID: booked.ExchOrderID,
    Price: Number(price ?? 0),
    Qty: Number(change.quantity ?? booked.Qty),
    StopLossPrice: Number(trigger ?? 0),
    DisQty: booked.DisClosedQty ?? 0,
  };
  const open = {
    side: booked.BuySell === 'BUY' ? 'BUY' : 'SELL',
    option: optionName.test(booked.ScripName),
    segment: Exch + ExchType,
    token: ScripCode ?? '',
    trigger,
  } as const;
  return { body, open: price === null ? open : null };
}

/** 5paisa trades by scrip code; its rows name the scrip. An order under another name would escape the position guard. */
function checkedToken({ tradingsymbol: symbol, exchange, token }: BrokerOrder): string {
  const code = numberToken(token);
  if (code === null || code.length > 9) throw new Refusal('token: 5paisa needs the ScripCode of its scrip master, a number');
  if (symbol.includes('_'))
    throw new Refusal(
      `symbol: use the Name of the scrip master, as in ITC or NIFTY 29 Dec 2026 CE 26000.00; its rows never show ${symbol}`,
    );
  if (contract.test(symbol) !== (exchange === 'NFO' || exchange === 'BFO'))
    throw new Refusal(`symbol: ${symbol} is not traded on ${exchange}`);
  return code;
}

import type { BrokerChange, BrokerOrder } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { Refusal, translate } from '../parse.ts';
import type { Body } from './api.ts';
import type { BookedOrder } from './rows.ts';
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

const withLimit = ['LIMIT', 'SL'];
const withStop = ['SL', 'SL-M'];
const orderTypes = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SL-M' };
/** Names of contracts carry a day: `NIFTY 29 Dec 2026`, `NIFTY 29 Dec 2026 CE 26000.00`. */
const contract = / \d{1,2} [A-Z]{3} \d{4}( |$)/i;
const optionName = / (CE|PE) [\d.]+$/;

/** The body of V1/PlaceOrderRequest. Throws Refusal for what must not reach 5paisa. */
export function placeBody(order: BrokerOrder, tag: string, algoId: string | undefined): Made {
  const segment = translate(segments, 'exchange', order.exchange);
  const OrderType = translate(sides, 'transaction_type', order.transactiontype);
  const type = translate(orderTypes, 'order_type', order.ordertype);
  const product = translate(products, 'product_type', order.producttype);
  const AHPlaced = translate(varieties, 'variety', order.variety);
  checkUnit(order.exchange);
  checkProduct(order);
  const token = checkedToken(order);
  if (order.variety === 'STOPLOSS' && !withStop.includes(type))
    throw new Refusal(`order_type: variety STOPLOSS needs SL or SL-M; ${type} would trade without waiting for the trigger`);
  if (order.variety === 'AMO' && !withLimit.includes(type))
    throw new Refusal(
      `order_type: ${type} needs a limit computed from a fresh price, and after hours there is none; use LIMIT or SL with AMO`,
    );
  const StopLossPrice = withStop.includes(type) ? positive('trigger_price', order.triggerprice, type) : 0;
  const body: Body = {
    Exchange: segment[0],
    ExchangeType: segment[1],
    ScripCode: Number(token),
    OrderType,
    Qty: Number(order.quantity),
    DisQty: 0,
    // A price of 0, or none, is an order at market.
    Price: withLimit.includes(type) ? positive('price', order.price, type) : 0,
    StopLossPrice,
    IsIntraday: product === products.INTRADAY,
    AHPlaced,
    iOrderValidity: 0,
    RemoteOrderID: tag,
    isMTF: false,
    AlgoID: algoId === undefined ? 0 : /^\d{1,15}$/.test(algoId) ? Number(algoId) : algoId,
  };
  const side = order.transactiontype === 'BUY' ? 'BUY' : 'SELL';
  const trigger = StopLossPrice > 0 ? order.triggerprice : null;
  const open = { side, option: optionName.test(order.tradingsymbol), segment, token, trigger } as const;
  return { body, open: withLimit.includes(type) ? null : open };
}

/** The body of V1/ModifyOrderRequest: all four values every time, those not given as they are booked. `follows`: the limit goes with the trigger. */
export function changeBody(change: BrokerChange, booked: BookedOrder, follows: boolean): Made {
  translate(varieties, 'variety', change.variety);
  const atMarket = booked.AtMarket === 'Y';
  const wasStop = booked.SLTriggerRate > 0;
  const bookedType = wasStop ? (atMarket || follows ? 'SL-M' : 'SL') : atMarket ? 'MARKET' : 'LIMIT';
  const type = change.ordertype === undefined ? bookedType : translate(orderTypes, 'order_type', change.ordertype);
  if (withStop.includes(type) !== wasStop)
    throw new Refusal(`order_type: 5paisa does not say that ${bookedType} becomes ${type} by a change; cancel it and place a new order`);
  if (change.price !== undefined && !withLimit.includes(type))
    throw new Refusal(`price: ${type} has no limit price; name order_type with it`);
  if (change.triggerprice !== undefined && !wasStop)
    throw new Refusal(`trigger_price: ${type} has no trigger; cancel it and place a new order`);
  if (booked.ExchOrderID === null)
    throw new Refusal(
      'order_id: the exchange has not acknowledged this order yet, and 5paisa changes it by its number there alone; nothing was sent',
    );
  const { Exch, ExchType, ScripCode } = booked;
  const trigger = change.triggerprice ?? String(booked.SLTriggerRate);
  const limited = withLimit.includes(type);
  const body: Body = {
    ExchOrderID: booked.ExchOrderID,
    Price: limited ? positive('price', change.price ?? String(booked.Rate), type) : 0,
    Qty: Number(change.quantity ?? booked.Qty),
    StopLossPrice: wasStop ? positive('trigger_price', trigger, type) : 0,
    DisQty: booked.DisClosedQty ?? 0,
  };
  const stop = wasStop ? trigger : null;
  const side = booked.BuySell === 'BUY' ? 'BUY' : 'SELL';
  const open = {
    side,
    option: optionName.test(booked.ScripName),
    segment: Exch + ExchType,
    token: ScripCode ?? '',
    trigger: stop,
  } as const;
  return { body, open: limited ? null : open };
}

/** For contracts with a multiplier 5paisa counts contracts, else units; for which, nobody says. */
function checkUnit(exchange: string): void {
  if (exchange === 'MCX' || exchange === 'CDS')
    throw new Refusal(
      `exchange: 5paisa does not document whether a quantity on ${exchange} means units or contracts, so nothing is sent there`,
    );
}

function checkProduct({ exchange, producttype }: BrokerOrder): void {
  const equity = exchange === 'NSE' || exchange === 'BSE';
  if (producttype === 'DELIVERY' && !equity)
    throw new Refusal(`product_type: DELIVERY is for NSE and BSE; use CARRYFORWARD on ${exchange}`);
  if (producttype === 'CARRYFORWARD' && equity) throw new Refusal(`product_type: CARRYFORWARD is not for ${exchange} equity; use DELIVERY`);
}

/** 5paisa trades by scrip code; its rows name the scrip. An order under another name would escape the position guard. */
function checkedToken({ tradingsymbol: symbol, exchange, token }: BrokerOrder): string {
  const code = numberToken(token);
  if (code === null || code.length > 9) throw new Refusal('token: 5paisa needs the ScripCode of its scrip master, a number');
  if (symbol.includes('_'))
    throw new Refusal(
      `symbol: use the Name of the scrip master, as in ITC or NIFTY 29 Dec 2026 CE 26000.00; its rows never show ${symbol}`,
    );
  if (contract.test(symbol) !== (exchange === 'NFO')) throw new Refusal(`symbol: ${symbol} is not traded on ${exchange}`);
  return code;
}

function positive(field: string, text: string, type: string): number {
  if (!(Number(text) > 0)) throw new Refusal(`${field}: ${type} needs a ${field} above 0`);
  return Number(text);
}

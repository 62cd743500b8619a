import { istText } from '../../clock.ts';
import { Big } from '../../money.ts';
import { averageOf } from '../matching.ts';
import type { Holding, Position } from '../positions.ts';
import type { Funds } from '../rules.ts';
import { type ExchangeOrder, type Instrument, type OrderState, type Quote, remaining, type Trade } from '../types.ts';
import { productWord } from './words.ts';

/** Kite Connect v3 rows: field names, types and times (IST, no zone) as the broker sends them. Prices in rupees, as JSON numbers. */

export const userId = 'PR0001';

const segmentCode = { NSE: 1, NFO: 2, CDS: 3, BSE: 4, MCX: 7 } as const;

const statusWord: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'PUT ORDER REQ RECEIVED',
  VALIDATION: 'VALIDATION PENDING',
  OPEN_PENDING: 'OPEN PENDING',
  AMO_RECEIVED: 'AMO REQ RECEIVED',
  OPEN: 'OPEN',
  TRIGGER_PENDING: 'TRIGGER PENDING',
  MODIFY_VALIDATION: 'MODIFY VALIDATION PENDING',
  MODIFY_PENDING: 'MODIFY PENDING',
  MODIFIED: 'MODIFIED',
  CANCEL_PENDING: 'CANCEL PENDING',
  FILLED: 'COMPLETE',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'CANCELLED',
};

/** The exchange token in the upper bytes, the segment in the lowest. */
export function instrumentToken(instrument: Pick<Instrument, 'exchange' | 'exchangeToken'>): number {
  return instrument.exchangeToken * 256 + segmentCode[instrument.exchange];
}

export const profile = {
  user_id: userId,
  user_type: 'individual',
  email: 'practice@example.com',
  user_name: 'Practice Account',
  user_shortname: 'Practice',
  broker: 'ZERODHA',
  exchanges: ['NSE', 'BSE', 'NFO', 'MCX', 'CDS'],
  products: ['CNC', 'NRML', 'MIS'],
  order_types: ['MARKET', 'LIMIT', 'SL', 'SL-M'],
  avatar_url: null,
  meta: { demat_consent: 'physical' },
};

/** One pool of money serves shares and derivatives; the commodity segment is shown empty. */
export function margins(funds: Funds) {
  return { equity: segment(funds), commodity: segment({ opening: '0', realised: '0', unrealised: '0', used: '0', available: '0' }) };
}

function segment(funds: Funds) {
  const utilised = {
    debits: Number(funds.used),
    exposure: Number(funds.used),
    m2m_realised: Number(funds.realised),
    m2m_unrealised: Number(funds.unrealised),
    option_premium: 0,
    payout: 0,
    span: 0,
    holding_sales: 0,
    turnover: 0,
    liquid_collateral: 0,
    stock_collateral: 0,
    delivery: 0,
  };
  const available = {
    adhoc_margin: 0,
    cash: Number(funds.opening),
    opening_balance: Number(funds.opening),
    live_balance: Number(funds.available),
  };
  return { enabled: true, net: Number(funds.available), available: { ...available, collateral: 0, intraday_payin: 0 }, utilised };
}

/** One order, or with `at` one line of its history. Whether our tag stays in `tag` on a protected market order is not known: both forms are shown in turn. */
export function orderRow(
  order: ExchangeOrder,
  token: number,
  messages: { status: string | null; raw: string | null },
  line?: ExchangeOrder['history'][number],
) {
  const { state, at, quantity, filled, price, triggerPrice } = line ?? { ...order, at: order.updatedAt };
  const acknowledged = line ? !['RECEIVED', 'VALIDATION', 'OPEN_PENDING', 'AMO_RECEIVED'].includes(state) : true;
  const marketTags = order.details.marketTags?.split(' ') ?? [];
  const moved = marketTags.length > 0 && order.tag !== null && BigInt(order.serial) % 2n === 1n;
  const tags = [...(order.tag === null || moved ? [] : [order.tag]), ...marketTags, ...(moved && order.tag !== null ? [order.tag] : [])];
  const cancelled = state === 'CANCELLED' || state === 'EXPIRED';
  return {
    account_id: userId,
    placed_by: userId,
    order_id: order.orderId,
    exchange_order_id: acknowledged ? order.exchangeOrderId : null,
    parent_order_id: null,
    status: statusWord[state],
    status_message: messages.status,
    status_message_raw: messages.raw,
    order_timestamp: istText(line ? at : order.receivedAt),
    exchange_update_timestamp: acknowledged ? istText(at) : null,
    exchange_timestamp: acknowledged && order.exchangeOrderId ? istText(at) : null,
    variety: order.variety === 'AMO' ? 'amo' : 'regular',
    modified: order.modifications > 0,
    exchange: order.exchange,
    tradingsymbol: order.symbol,
    instrument_token: token,
    order_type: order.orderType,
    transaction_type: order.side,
    validity: order.details.validity ?? order.validity,
    validity_ttl: Number(order.details.validityTtl ?? 0),
    product: productWord[order.product],
    quantity,
    disclosed_quantity: Number(order.details.disclosedQuantity ?? 0),
    price: Number(price),
    trigger_price: Number(triggerPrice),
    average_price: Number(line ? line.average : averageOf(order)),
    filled_quantity: filled,
    // As recorded: a cancelled row shows its rest as pending and as cancelled.
    pending_quantity: state === 'REJECTED' ? 0 : quantity - filled,
    cancelled_quantity: cancelled ? remaining(order) : 0,
    market_protection: 0,
    meta: {},
    tag: moved ? null : order.tag,
    ...(tags.length > 0 ? { tags } : {}),
    guid: null,
  };
}

export function tradeRow(trade: Trade, token: number, exchangeOrderId: string | null, placedAt: number) {
  return {
    trade_id: trade.tradeId,
    order_id: trade.orderId,
    exchange: trade.exchange,
    tradingsymbol: trade.symbol,
    instrument_token: token,
    product: productWord[trade.product],
    average_price: Number(trade.price),
    quantity: trade.quantity,
    exchange_order_id: exchangeOrderId,
    transaction_type: trade.side,
    fill_timestamp: istText(trade.at),
    order_timestamp: istText(placedAt).slice(11),
    exchange_timestamp: istText(trade.at),
  };
}

export function holdingRow(holding: Holding, instrument: Instrument, quote: Quote) {
  const change = new Big(quote.last).minus(quote.close);
  return {
    tradingsymbol: holding.symbol,
    exchange: holding.exchange,
    instrument_token: instrumentToken(instrument),
    isin: instrument.isin,
    product: 'CNC',
    price: 0,
    quantity: holding.quantity - holding.used,
    used_quantity: holding.used,
    t1_quantity: 0,
    realised_quantity: holding.quantity - holding.used,
    authorised_quantity: 0,
    authorised_date: '2026-01-01 00:00:00',
    authorisation: {},
    opening_quantity: holding.quantity,
    short_quantity: 0,
    collateral_quantity: 0,
    collateral_type: '',
    discrepancy: false,
    average_price: Number(holding.averagePrice),
    last_price: Number(quote.last),
    close_price: Number(quote.close),
    pnl: Number(new Big(quote.last).minus(holding.averagePrice).times(holding.quantity).toFixed()),
    day_change: Number(change.toFixed()),
    day_change_percentage: Number(change.div(quote.close).times(100).round(4).toFixed()),
    mtf: { quantity: 0, used_quantity: 0, average_price: 0, value: 0, initial_margin: 0 },
  };
}

/** A position in both of Kite's views: `net` is carried and today's together, `day` today's alone. */
export function positionRows(position: Position, token: number, quote: Quote) {
  const { net, overnight, buyQuantity, buyValue, sellQuantity, sellValue } = position;
  const { dayBuyQuantity, dayBuyValue, daySellQuantity, daySellValue } = position;
  const all = { quantity: net, overnight, buyQuantity, buyValue, sellQuantity, sellValue };
  const day = { quantity: dayBuyQuantity - daySellQuantity, overnight: 0, buyQuantity: dayBuyQuantity, buyValue: dayBuyValue };
  const today = { ...day, sellQuantity: daySellQuantity, sellValue: daySellValue };
  const traded = dayBuyQuantity + daySellQuantity > 0;
  return { net: positionRow(position, token, quote, all), day: traded ? positionRow(position, token, quote, today) : null };
}

interface Totals {
  quantity: number;
  overnight: number;
  buyQuantity: number;
  buyValue: string;
  sellQuantity: number;
  sellValue: string;
}

function positionRow(position: Position, token: number, quote: Quote, totals: Totals) {
  const { multiplier } = position;
  const money = (value: string) => Number(new Big(value).times(multiplier).toFixed());
  const each = (value: string, quantity: number) => (quantity === 0 ? 0 : Number(new Big(value).div(quantity).round(4).toFixed()));
  const value = new Big(totals.sellValue).minus(totals.buyValue).times(multiplier);
  const pnl = value.plus(new Big(quote.last).times(totals.quantity).times(multiplier));
  const buyPrice = each(totals.buyValue, totals.buyQuantity);
  const sellPrice = each(totals.sellValue, totals.sellQuantity);
  return {
    tradingsymbol: position.symbol,
    exchange: position.exchange,
    instrument_token: token,
    product: productWord[position.product],
    quantity: totals.quantity,
    overnight_quantity: totals.overnight,
    multiplier,
    average_price: totals.quantity === 0 ? 0 : totals.quantity > 0 ? buyPrice : sellPrice,
    close_price: totals.overnight === 0 ? 0 : Number(quote.close),
    last_price: Number(quote.last),
    value: Number(value.toFixed()),
    pnl: Number(pnl.toFixed()),
    m2m: Number(pnl.toFixed()),
    unrealised: Number(pnl.toFixed()),
    realised: 0,
    buy_quantity: totals.buyQuantity,
    buy_price: buyPrice,
    buy_value: money(totals.buyValue),
    buy_m2m: money(totals.buyValue),
    sell_quantity: totals.sellQuantity,
    sell_price: sellPrice,
    sell_value: money(totals.sellValue),
    sell_m2m: money(totals.sellValue),
    day_buy_quantity: position.dayBuyQuantity,
    day_buy_price: each(position.dayBuyValue, position.dayBuyQuantity),
    day_buy_value: money(position.dayBuyValue),
    day_sell_quantity: position.daySellQuantity,
    day_sell_price: each(position.daySellValue, position.daySellQuantity),
    day_sell_value: money(position.daySellValue),
  };
}

export function lastPriceRow(instrument: Instrument, quote: Quote) {
  return { instrument_token: instrumentToken(instrument), last_price: Number(quote.last) };
}

export function ohlcRow(instrument: Instrument, quote: Quote) {
  const ohlc = { open: Number(quote.open), high: Number(quote.high), low: Number(quote.low), close: Number(quote.close) };
  return { ...lastPriceRow(instrument, quote), ohlc };
}

export function quoteRow(instrument: Instrument, quote: Quote, now: number) {
  const depth = (price: string, sign: number) =>
    Array.from({ length: 5 }, (_, level) => ({
      price: Number(
        new Big(instrument.tick)
          .times(level * sign)
          .plus(price)
          .toFixed(),
      ),
      quantity: instrument.lotSize * 100 * (level + 1),
      orders: level + 1,
    }));
  const side = instrument.lotSize * 1_500;
  return {
    ...ohlcRow(instrument, quote),
    timestamp: istText(now),
    last_trade_time: istText(now),
    last_quantity: instrument.lotSize,
    buy_quantity: side,
    sell_quantity: side,
    volume: quote.volume,
    average_price: Number(new Big(quote.high).plus(quote.low).div(2).round(2).toFixed()),
    oi: 0,
    oi_day_high: 0,
    oi_day_low: 0,
    net_change: Number(new Big(quote.last).minus(quote.close).toFixed()),
    lower_circuit_limit: Number(instrument.lowerCircuit),
    upper_circuit_limit: Number(instrument.upperCircuit),
    depth: { buy: depth(quote.bid, -1), sell: depth(quote.ask, 1) },
  };
}

const csvHeader =
  'instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange';

/** The instrument master; contracts counted in lots show a lot size of 1, as the broker's file does on MCX. */
export function instrumentCsv(instruments: readonly Instrument[]): string {
  const lines = instruments.map((instrument) => {
    const { exchange, exchangeToken, symbol, name, expiry, strike, tick, lotSize, kind } = instrument;
    const segmentName = kind === 'EQ' ? exchange : `${exchange}-${kind === 'FUT' ? 'FUT' : 'OPT'}`;
    const words = [instrumentToken(instrument), exchangeToken, symbol, `"${name}"`, 0, expiry ?? '', strike ?? 0, tick, lotSize, kind];
    return [...words, segmentName, exchange].join(',');
  });
  return `${csvHeader}\n${lines.join('\n')}\n`;
}

/** One row of the margin calculator, rupees. */
export function marginRow(order: { exchange: string; symbol: string }, required: string) {
  const gst = { igst: 0, cgst: 0, sgst: 0, total: 0 };
  const charges = { transaction_tax: 0, transaction_tax_type: 'stt', exchange_turnover_charge: 0, sebi_turnover_charge: 0, brokerage: 0 };
  return {
    type: order.exchange === 'MCX' ? 'commodity' : 'equity',
    tradingsymbol: order.symbol,
    exchange: order.exchange,
    span: 0,
    exposure: 0,
    option_premium: 0,
    additional: 0,
    bo: 0,
    cash: 0,
    var: Number(required),
    pnl: { realised: 0, unrealised: 0 },
    leverage: 1,
    charges: { ...charges, stamp_duty: 0, gst, total: 0 },
    total: Number(required),
  };
}

import { istText } from '../../clock.ts';
import { Big } from '../../money.ts';
import { instruments } from '../instruments.ts';
import { averageOf } from '../matching.ts';
import type { Holding, Position } from '../positions.ts';
import type { Funds } from '../rules.ts';
import type { ExchangeOrder, Instrument, OrderState, Quote, Trade } from '../types.ts';
import { refusalText } from './words.ts';

/** Upstox rows: field names, types and times (IST, no zone) as the broker sends them. Prices in rupees, as JSON numbers. */

export const userId = 'PU0001';

const segmentOf = { NSE: 'NSE_EQ', BSE: 'BSE_EQ', NFO: 'NSE_FO', MCX: 'MCX_FO', CDS: 'NCD_FO' } as const;

const statusWord: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'put order req received',
  VALIDATION: 'validation pending',
  OPEN_PENDING: 'open pending',
  AMO_RECEIVED: 'after market order req received',
  OPEN: 'open',
  TRIGGER_PENDING: 'trigger pending',
  MODIFY_VALIDATION: 'modify validation pending',
  MODIFY_PENDING: 'modify pending',
  MODIFIED: 'modified',
  CANCEL_PENDING: 'cancel pending',
  FILLED: 'complete',
  REJECTED: 'rejected',
  CANCELLED: 'cancelled',
  EXPIRED: 'cancelled',
};

const unacknowledged: readonly OrderState[] = ['RECEIVED', 'VALIDATION', 'OPEN_PENDING', 'AMO_RECEIVED'];

/** Shares go by their ISIN, contracts by the exchange's token. */
export function instrumentKey({ exchange, isin, exchangeToken }: Instrument): string {
  return `${segmentOf[exchange]}|${isin ?? exchangeToken}`;
}

const byKey = new Map(instruments.map((instrument) => [instrumentKey(instrument), instrument]));

export function instrumentOfKey(key: string): Instrument | undefined {
  return byKey.get(key);
}

/** Units of this broker in one of the exchange's: currency contracts are counted in units here, commodities in lots. */
export function unitsOf({ exchange, multiplier }: Instrument): number {
  return exchange === 'CDS' ? multiplier : 1;
}

/** Order book, trades and positions write NSE shares with their series; holdings do not. */
function named(instrument: Instrument) {
  const name = instrument.exchange === 'NSE' ? `${instrument.symbol}-EQ` : instrument.symbol;
  return { exchange: instrument.exchange, instrument_token: instrumentKey(instrument), trading_symbol: name, tradingsymbol: name };
}

function productWord(product: ExchangeOrder['product']): string {
  return product === 'INTRADAY' ? 'I' : 'D';
}

export const profile = {
  email: 'practice@example.com',
  exchanges: ['NSE', 'BSE', 'NFO', 'CDS', 'MCX'],
  products: ['D', 'I'],
  broker: 'UPSTOX',
  user_id: userId,
  user_name: 'Practice Account',
  order_types: ['MARKET', 'LIMIT', 'SL', 'SL-M'],
  user_type: 'individual',
  poa: false,
  ddpi: false,
  is_active: true,
};

/** One order, or with `line` one line of its history. A market order keeps its word although the exchange holds a limit for it. */
export function orderRow(order: ExchangeOrder, instrument: Instrument, line?: ExchangeOrder['history'][number]) {
  const { state, quantity, filled, price, triggerPrice, at } = line ?? { ...order, at: order.receivedAt };
  const units = unitsOf(instrument);
  const acknowledged = order.exchangeOrderId !== null && !unacknowledged.includes(state);
  const message = order.refusal && state === 'REJECTED' ? refusalText(order.refusal) : null;
  const market = order.askedType === 'MARKET' && order.modifications === 0;
  const afterMarket = order.variety === 'AMO' && order.exchangeOrderId === null && statusWord[state] === 'cancelled';
  return {
    ...named(instrument),
    product: productWord(order.product),
    price: market ? 0 : Number(price),
    quantity: quantity * units,
    status: afterMarket ? 'cancelled after market order' : statusWord[state],
    guid: null,
    tag: order.tag,
    placed_by: userId,
    order_type: market ? 'MARKET' : order.orderType,
    validity: order.validity,
    trigger_price: Number(triggerPrice),
    disclosed_quantity: Number(order.details.disclosedQuantity ?? 0),
    transaction_type: order.side,
    average_price: Number(line ? line.average : averageOf(order)),
    filled_quantity: filled * units,
    pending_quantity: state === 'REJECTED' || statusWord[state] === 'cancelled' ? 0 : (quantity - filled) * units,
    status_message: message,
    status_message_raw: message,
    exchange_order_id: acknowledged ? order.exchangeOrderId : null,
    parent_order_id: null,
    order_id: order.orderId,
    variety: 'SIMPLE',
    order_timestamp: istText(at),
    exchange_timestamp: acknowledged ? istText(line?.at ?? order.updatedAt) : null,
    is_amo: order.variety === 'AMO',
    order_request_id: String(order.modifications + 1),
    order_ref_id: `udapi-${order.serial}`,
  };
}

export function tradeRow(trade: Trade, order: ExchangeOrder, instrument: Instrument) {
  return {
    ...named(instrument),
    product: productWord(trade.product),
    order_type: order.askedType,
    transaction_type: trade.side,
    quantity: trade.quantity * unitsOf(instrument),
    exchange_order_id: order.exchangeOrderId,
    order_id: trade.orderId,
    exchange_timestamp: istText(trade.at),
    average_price: Number(trade.price),
    trade_id: trade.tradeId,
    order_ref_id: `udapi-${order.serial}`,
    order_timestamp: istText(order.receivedAt),
  };
}

export function holdingRow(holding: Holding, instrument: Instrument, quote: Quote) {
  const change = new Big(quote.last).minus(quote.close);
  return {
    ...named(instrument),
    trading_symbol: instrument.symbol,
    tradingsymbol: instrument.symbol,
    isin: instrument.isin,
    cnc_used_quantity: holding.used,
    collateral_type: 'WC',
    company_name: instrument.name,
    haircut: 0.2,
    product: 'D',
    quantity: holding.quantity,
    last_price: Number(quote.last),
    close_price: Number(quote.close),
    pnl: Number(new Big(quote.last).minus(holding.averagePrice).times(holding.quantity).toFixed()),
    day_change: Number(change.toFixed()),
    day_change_percentage: Number(change.div(quote.close).times(100).round(4).toFixed()),
    average_price: Number(holding.averagePrice),
    collateral_quantity: 0,
    collateral_update_quantity: 0,
    t1_quantity: 0,
  };
}

/** Carried and today's together; the average of a closed position is null. */
export function positionRow(position: Position, instrument: Instrument, quote: Quote) {
  const units = unitsOf(instrument);
  const multiplier = position.multiplier / units;
  const money = (value: string) => Number(new Big(value).times(position.multiplier).toFixed());
  const each = (value: string, quantity: number) => (quantity === 0 ? 0 : Number(new Big(value).div(quantity).round(4).toFixed()));
  const { net, overnight, buyQuantity, buyValue, sellQuantity, sellValue } = position;
  const open = new Big(position.openValue).times(Math.sign(net));
  const unrealised = new Big(quote.last).times(net).minus(open).times(position.multiplier);
  const day = { buy: position.dayBuyQuantity, sell: position.daySellQuantity };
  const carried = { quantity: Math.abs(overnight) * units, amount: money(overnight > 0 ? buyValue : sellValue) };
  return {
    ...named(instrument),
    product: productWord(position.product),
    multiplier,
    quantity: net * units,
    average_price: net === 0 ? null : each(position.openValue, Math.abs(net)),
    last_price: Number(quote.last),
    close_price: Number(quote.close),
    value: Number(open.times(position.multiplier).toFixed()),
    pnl: Number(unrealised.plus(position.realised).toFixed()),
    unrealised: Number(unrealised.toFixed()),
    realised: Number(position.realised),
    buy_price: each(buyValue, buyQuantity),
    buy_value: money(buyValue),
    sell_price: each(sellValue, sellQuantity),
    sell_value: money(sellValue),
    overnight_quantity: overnight * units,
    overnight_buy_quantity: overnight > 0 ? carried.quantity : 0,
    overnight_buy_amount: overnight > 0 ? carried.amount : 0,
    overnight_sell_quantity: overnight < 0 ? carried.quantity : 0,
    overnight_sell_amount: overnight < 0 ? carried.amount : 0,
    day_buy_quantity: day.buy * units,
    day_buy_price: each(position.dayBuyValue, day.buy),
    day_buy_value: money(position.dayBuyValue),
    day_sell_quantity: day.sell * units,
    day_sell_price: each(position.daySellValue, day.sell),
    day_sell_value: money(position.daySellValue),
  };
}

/** One pool of money serves all segments: the commodity one is shown empty. */
export function funds(account: Funds) {
  const segment = (used: string, available: string) => ({
    used_margin: Number(used),
    payin_amount: 0,
    span_margin: 0,
    adhoc_margin: 0,
    notional_cash: 0,
    available_margin: Number(available),
    exposure_margin: 0,
  });
  return { equity: segment(account.used, account.available), commodity: segment('0', '0') };
}

/** The newer view of the same money. */
export function fundsV3(account: Funds) {
  const available = Number(account.available);
  const loss = { total: 0, realised: Math.min(0, Number(account.realised)), unrealised: Math.min(0, Number(account.unrealised)) };
  const held = { mtf: 0, span_exposure: 0, premium_present: 0, delivery_margin: { total: 0, equity: 0, fo_settlement: 0 } };
  const cash = { added_today: 0, withdrawn_today: 0, amount_from_stock_sale: 0, unpaid_charges: 0 };
  const pledge = { ...held, total: 0, cash_margin_var_elm: 0 };
  return {
    available_to_trade: {
      total: available,
      cash_available_to_trade: {
        total: available,
        cash: { opening_balance: Number(account.opening), ...cash },
        margin_used: { ...held, total: Number(account.used), loss, cash_margin_var_elm: Number(account.used) },
      },
      pledge_available_to_trade: { total: 0, margin_from_pledge: { total: 0, equity: 0, mutual_funds: 0 }, margin_used: pledge },
    },
    unavailable_to_trade: { cash_unavailable_to_trade: {}, pledge_unavailable_to_trade: {} },
  };
}

/** Named by segment and symbol, with the key beside it. */
export function lastPrice(instrument: Instrument, quote: Quote): [string, Record<string, unknown>] {
  const key = instrumentKey(instrument);
  const row = { last_price: Number(quote.last), instrument_token: key, ltq: 1, volume: quote.volume, cp: Number(quote.close) };
  return [`${key.split('|')[0]}:${instrument.symbol}`, row];
}

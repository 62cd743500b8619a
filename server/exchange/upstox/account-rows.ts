import { istText } from '../../clock.ts';
import type { Funds } from '../margin.ts';
import type { Instrument, Quote } from '../types.ts';
import { dayChange, depthOf, type HoldingView, type Leg, type Level, type PositionView, unitsIn } from '../views.ts';
import { number, rounded } from '../wire/numbers.ts';
import { instrumentKey, named, productWord, userId } from './rows.ts';

/** Upstox rows on the account, and last prices. Prices in rupees, as JSON numbers. */

export const profile = {
  email: 'practice@example.com',
  exchanges: ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'MCX'],
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

export function holdingRow(holding: HoldingView) {
  const { instrument, quote } = holding;
  const change = dayChange(quote);
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
    pnl: number(holding.profit),
    day_change: number(change.amount),
    day_change_percentage: rounded(change.percent),
    average_price: Number(holding.averagePrice),
    collateral_quantity: 0,
    collateral_update_quantity: 0,
    t1_quantity: 0,
  };
}

/** What was captured: a carried position has its average; of what was opened today it is null or 0, and of what is closed null. */
function averagePrice({ net, overnight, open, instrument }: PositionView): number | null {
  if (net !== 0 && overnight !== 0) return rounded(open.average);
  return net !== 0 && instrument.kind !== 'EQ' ? 0 : null;
}

/** Carried and today's together. */
export function positionRow(position: PositionView) {
  const { instrument, quote, net, overnight, open } = position;
  const { buy, sell } = position.total;
  const { day } = position;
  const price = (leg: Leg) => rounded(leg.average);
  const value = (leg: Leg) => number(leg.amount);
  // Of a carried position, all there is on its side.
  const carried = (leg: Leg, quantity: number) => (quantity > 0 ? [quantity, value(leg)] : [0, 0]);
  const [carriedBuy, carriedBuyValue] = carried(buy, overnight);
  const [carriedSell, carriedSellValue] = carried(sell, -overnight);
  return {
    ...named(instrument),
    product: productWord(position.product),
    multiplier: position.multiplier,
    quantity: net,
    average_price: averagePrice(position),
    last_price: Number(quote.last),
    close_price: Number(quote.close),
    value: number(open.amount.times(Math.sign(net))),
    pnl: number(position.profit),
    unrealised: number(position.unrealised),
    realised: Number(position.realised),
    buy_price: price(buy),
    buy_value: value(buy),
    sell_price: price(sell),
    sell_value: value(sell),
    overnight_quantity: overnight,
    overnight_buy_quantity: carriedBuy,
    overnight_buy_amount: carriedBuyValue,
    overnight_sell_quantity: carriedSell,
    overnight_sell_amount: carriedSellValue,
    day_buy_quantity: day.buy.quantity,
    day_buy_price: price(day.buy),
    day_buy_value: value(day.buy),
    day_sell_quantity: day.sell.quantity,
    day_sell_price: price(day.sell),
    day_sell_value: value(day.sell),
  };
}

/** One pool of money serves all segments: the commodity one is shown empty. */
export function fundSegments(account: Funds) {
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

/** The margin of one order, rupees; a contract's is called span margin. */
export function marginRow({ kind }: Instrument, required: string) {
  const [total, share] = [Number(required), kind === 'EQ'];
  const none = { exposure_margin: 0, net_buy_premium: 0, additional_margin: 0, tender_margin: 0 };
  return { ...none, span_margin: share ? 0 : total, equity_margin: share ? total : 0, total_margin: total };
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

/** A whole quote of API v2. While the market is open the `close` of its day is the last price; yesterday's lies `net_change` away. */
export function marketQuote(instrument: Instrument, quote: Quote, now: number): [string, Record<string, unknown>] {
  const [name, { instrument_token }] = lastPrice(instrument, quote);
  const { bids, asks } = depthOf(instrument, quote);
  const level = ({ price, lots, orders }: Level) => ({ quantity: instrument.lotSize * lots, price: Number(price.toFixed()), orders });
  const last_price = Number(quote.last);
  const row = {
    ohlc: { open: Number(quote.open), high: Number(quote.high), low: Number(quote.low), close: last_price },
    depth: { buy: bids.map(level), sell: asks.map(level) },
    timestamp: `${istText(now).replace(' ', 'T')}.000+05:30`,
    instrument_token,
    symbol: instrument.symbol,
    last_price,
    volume: quote.volume,
    average_price: last_price,
    oi: 0,
    net_change: Number(dayChange(quote).amount.toFixed()),
    total_buy_quantity: unitsIn(instrument, bids),
    total_sell_quantity: unitsIn(instrument, asks),
    lower_circuit_limit: Number(instrument.lowerCircuit),
    upper_circuit_limit: Number(instrument.upperCircuit),
    last_trade_time: String(now),
    oi_day_high: 0,
    oi_day_low: 0,
  };
  return [name, row];
}

/** Named by segment and symbol, with the key beside it. */
export function lastPrice(instrument: Instrument, quote: Quote): [string, Record<string, unknown>] {
  const key = instrumentKey(instrument);
  const row = { last_price: Number(quote.last), instrument_token: key, ltq: 1, volume: quote.volume, cp: Number(quote.close) };
  return [`${key.split('|')[0]}:${instrument.symbol}`, row];
}

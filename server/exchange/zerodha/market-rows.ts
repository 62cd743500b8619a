import { istText } from '../../clock.ts';
import { Big } from '../../money.ts';
import type { Instrument, Quote } from '../types.ts';
import { dayChange, depthOf, type Level } from '../views.ts';
import { number } from '../wire/numbers.ts';
import { instrumentToken } from './rows.ts';

/** Kite Connect v3 on the market: quotes. Prices in rupees, as JSON numbers. */

export function lastPriceRow(instrument: Instrument, quote: Quote) {
  return { instrument_token: instrumentToken(instrument), last_price: Number(quote.last) };
}

export function ohlcRow(instrument: Instrument, quote: Quote) {
  const ohlc = { open: Number(quote.open), high: Number(quote.high), low: Number(quote.low), close: Number(quote.close) };
  return { ...lastPriceRow(instrument, quote), ohlc };
}

/** What quote and ticker tell alike besides the prices: quantities in units, the average of the day in rupees, the depth. */
export function totalsOf(instrument: Instrument, quote: Quote) {
  const { bids, asks } = depthOf(instrument, quote);
  const level = ({ price, lots, orders }: Level) => ({ price: number(price), quantity: instrument.lotSize * lots, orders });
  const depth = { buy: bids.map(level), sell: asks.map(level) };
  const sum = (levels: readonly { quantity: number }[]) => levels.reduce((total, { quantity }) => total + quantity, 0);
  return {
    last_quantity: instrument.lotSize,
    buy_quantity: sum(depth.buy),
    sell_quantity: sum(depth.sell),
    volume: quote.volume,
    average_price: number(new Big(quote.high).plus(quote.low).div(2).round(2)),
    depth,
  };
}

/** An index has its prices and their time alone. */
export function quoteRow(instrument: Instrument, quote: Quote, now: number) {
  const told = { ...ohlcRow(instrument, quote), timestamp: istText(now) };
  if (instrument.kind === 'INDEX') return { ...told, net_change: number(dayChange(quote).amount) };
  return {
    ...told,
    last_trade_time: istText(now),
    ...totalsOf(instrument, quote),
    oi: 0,
    oi_day_high: 0,
    oi_day_low: 0,
    net_change: number(dayChange(quote).amount),
    lower_circuit_limit: Number(instrument.lowerCircuit),
    upper_circuit_limit: Number(instrument.upperCircuit),
  };
}

import { Big } from '../../money.ts';
import type { Instrument, Quote } from '../types.ts';
import { dayChange, depthOf, type Level } from '../views.ts';
import { number, rounded } from '../wire/numbers.ts';

/** Groww's rows on the market: quotes in rupees, as JSON numbers. */

export function ohlcRow(quote: Quote) {
  return { open: Number(quote.open), high: Number(quote.high), low: Number(quote.low), close: Number(quote.close) };
}

export function quoteRow(instrument: Instrument, quote: Quote, now: number) {
  const { bids, asks } = depthOf(instrument, quote);
  const level = ({ price, lots }: Level) => ({ price: number(price), quantity: instrument.lotSize * lots });
  const change = dayChange(quote);
  return {
    average_price: number(new Big(quote.high).plus(quote.low).div(2).round(2)),
    bid_quantity: instrument.lotSize * 100,
    bid_price: Number(quote.bid),
    day_change: number(change.amount),
    day_change_perc: rounded(change.percent),
    upper_circuit_limit: Number(instrument.upperCircuit),
    lower_circuit_limit: Number(instrument.lowerCircuit),
    ohlc: ohlcRow(quote),
    depth: { buy: bids.map(level), sell: asks.map(level) },
    last_price: Number(quote.last),
    last_trade_quantity: instrument.lotSize,
    last_trade_time: now,
    offer_price: Number(quote.ask),
    offer_quantity: instrument.lotSize * 100,
    open_interest: 0,
    total_buy_quantity: instrument.lotSize * 1_500,
    total_sell_quantity: instrument.lotSize * 1_500,
    volume: quote.volume,
  };
}

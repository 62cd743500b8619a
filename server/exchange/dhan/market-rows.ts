import { istText } from '../../clock.ts';
import type { Instrument, Quote } from '../types.ts';
import { dayChange, depthOf, type Level } from '../views.ts';
import { number } from '../wire/numbers.ts';

/** DhanHQ v2 on the market: quotes in rupees, as JSON numbers. */

export function lastPriceRow(_: Instrument, quote: Quote) {
  return { last_price: Number(quote.last) };
}

export function ohlcRow(_: Instrument, quote: Quote) {
  const ohlc = { open: Number(quote.open), close: Number(quote.close), high: Number(quote.high), low: Number(quote.low) };
  return { last_price: Number(quote.last), ohlc };
}

export function quoteRow(instrument: Instrument, quote: Quote, now: number) {
  const { bids, asks } = depthOf(instrument, quote);
  const level = ({ price, lots, orders }: Level) => ({ quantity: instrument.lotSize * lots, orders, price: number(price) });
  const [day, time] = istText(now).split(' ');
  return {
    ...ohlcRow(instrument, quote),
    last_trade_time: `${day?.split('-').reverse().join('/')} ${time}`,
    volume: quote.volume,
    net_change: number(dayChange(quote).amount),
    lower_circuit_limit: Number(instrument.lowerCircuit),
    upper_circuit_limit: Number(instrument.upperCircuit),
    depth: { buy: bids.map(level), sell: asks.map(level) },
  };
}

import { Big } from '../../money.ts';
import type { Instrument, Quote } from '../types.ts';
import { dayChange, depthOf, type Level } from '../views.ts';
import { number, rounded } from '../wire/numbers.ts';
import { venueOf } from './rows.ts';

/** Groww's rows on the market: quotes in rupees, as JSON numbers, and the instrument list. */

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

const csvHeader =
  'exchange,exchange_token,trading_symbol,groww_symbol,name,instrument_type,segment,series,isin,underlying_symbol,underlying_exchange_token,expiry_date,strike_price,lot_size,tick_size,freeze_quantity,is_reserved,buy_allowed,sell_allowed,internal_trading_symbol,is_intraday';

export function instrumentCsv(instruments: readonly Instrument[]): string {
  const lines = instruments.flatMap((one) => {
    const venue = venueOf[one.exchange];
    if (!venue) return [];
    const { exchange, segment } = venue;
    const contract = one.kind === 'EQ' ? [one.symbol] : [one.underlying, one.expiry, ...(one.strike ? [one.strike] : []), one.kind];
    const series = one.kind === 'EQ' && exchange === 'NSE' ? 'EQ' : '';
    const underlying = one.kind === 'EQ' ? '' : one.underlying;
    const named = [exchange, one.exchangeToken, one.symbol, [exchange, ...contract].join('-'), `"${one.name}"`, one.kind, segment, series];
    const facts = [one.isin ?? '', underlying, '', one.expiry ?? '', one.strike ?? '', one.lotSize, one.tick, one.lotSize * 1_000];
    return [[...named, ...facts, 0, 1, 1, one.symbol, 1].join(',')];
  });
  return `${csvHeader}\n${lines.join('\n')}\n`;
}

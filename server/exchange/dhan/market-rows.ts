import { Big } from '../../money.ts';
import type { Instrument, Quote } from '../types.ts';
import { dayChange, depthOf, type Level } from '../views.ts';
import { number } from '../wire/numbers.ts';
import { segmentLetters, tradingSymbol } from './words.ts';

/** DhanHQ v2 on the market: quotes in rupees, as JSON numbers, and the instrument list. */

export function lastPriceRow(_: Instrument, quote: Quote) {
  return { last_price: Number(quote.last) };
}

export function ohlcRow(_: Instrument, quote: Quote) {
  const ohlc = { open: Number(quote.open), close: Number(quote.close), high: Number(quote.high), low: Number(quote.low) };
  return { last_price: Number(quote.last), ohlc };
}

export function quoteRow(instrument: Instrument, quote: Quote) {
  const { bids, asks } = depthOf(instrument, quote);
  const level = ({ price, lots, orders }: Level) => ({ quantity: instrument.lotSize * lots, orders, price: number(price) });
  return {
    ...ohlcRow(instrument, quote),
    volume: quote.volume,
    net_change: number(dayChange(quote).amount),
    lower_circuit_limit: Number(instrument.lowerCircuit),
    upper_circuit_limit: Number(instrument.upperCircuit),
    depth: { buy: bids.map(level), sell: asks.map(level) },
  };
}

const csvHeader =
  'EXCH_ID,SEGMENT,SECURITY_ID,ISIN,INSTRUMENT,UNDERLYING_SYMBOL,SYMBOL_NAME,DISPLAY_NAME,LOT_SIZE,SM_EXPIRY_DATE,STRIKE_PRICE,OPTION_TYPE,TICK_SIZE';

/** The instrument list of one segment; tick sizes in paise. */
export function instrumentCsv(instruments: readonly Instrument[]): string {
  const lines = instruments.map((one) => {
    const derivative = one.kind === 'FUT' ? 'FUT' : 'OPT';
    const facts = [one.kind === 'EQ' ? 'EQUITY' : derivative, one.underlying, tradingSymbol(one), `"${one.name}"`, one.lotSize];
    const terms = [one.expiry ?? '', one.strike ?? '', one.kind === 'CE' || one.kind === 'PE' ? one.kind : ''];
    const tick = new Big(one.tick).times(100).toFixed();
    return [...segmentLetters[one.exchange], one.exchangeToken, one.isin ?? '', ...facts, ...terms, tick].join(',');
  });
  return `${csvHeader}\n${lines.join('\n')}\n`;
}

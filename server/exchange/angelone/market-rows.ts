import type { Instrument, Quote } from '../types.ts';
import { dayChange, depthOf, type Level, unitsIn } from '../views.ts';
import { number } from '../wire/numbers.ts';
import { monthTime } from '../wire/times.ts';
import { tokenOf, tradingSymbol } from './rows.ts';

/** SmartAPI rows on the market: last prices in rupees. */

export function ltpRow(instrument: Instrument, quote: Quote) {
  const { open, high, low, close, last } = quote;
  const prices = { open: Number(open), high: Number(high), low: Number(low), close: Number(close), ltp: Number(last) };
  return {
    exchange: instrument.exchange,
    tradingsymbol: tradingSymbol(instrument),
    symboltoken: tokenOf(instrument),
    ...prices,
  };
}

/** What a quote of mode FULL tells beside the prices of the day; the practice exchange remembers no earlier year. */
export function fullQuote(instrument: Instrument, quote: Quote, now: number) {
  const { bids, asks } = depthOf(instrument, quote);
  const { amount, percent } = dayChange(quote);
  const level = ({ price, lots, orders }: Level) => ({ price: number(price), quantity: lots * instrument.lotSize, orders });
  return {
    lastTradeQty: instrument.lotSize,
    exchFeedTime: monthTime(now),
    exchTradeTime: monthTime(now),
    netChange: number(amount),
    percentChange: number(percent.round(2)),
    avgPrice: Number(quote.last),
    tradeVolume: quote.volume,
    opnInterest: 0,
    lowerCircuit: Number(instrument.lowerCircuit),
    upperCircuit: Number(instrument.upperCircuit),
    totBuyQuan: unitsIn(instrument, bids),
    totSellQuan: unitsIn(instrument, asks),
    '52WeekLow': Number(quote.low),
    '52WeekHigh': Number(quote.high),
    depth: { buy: bids.map(level), sell: asks.map(level) },
  };
}

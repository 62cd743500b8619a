import { Big } from '../../money.ts';
import type { Instrument, Quote } from '../types.ts';
import { dayChange, depthOf, type Level } from '../views.ts';
import { rounded } from '../wire/numbers.ts';
import { fyToken, symbolOf } from './rows.ts';

/** FYERS v3 rows on the market. Prices in rupees, as JSON numbers. */

export function quoteRow(instrument: Instrument, quote: Quote, now: number) {
  const change = dayChange(quote);
  const symbol = symbolOf(instrument);
  const prices = { lp: quote.last, ask: quote.ask, bid: quote.bid, open_price: quote.open, high_price: quote.high, low_price: quote.low };
  const v = {
    ch: rounded(change.amount),
    chp: rounded(change.percent),
    spread: rounded(new Big(quote.ask).minus(quote.bid)),
    ...Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, Number(price)])),
    prev_close_price: Number(quote.close),
    atp: Number(quote.last),
    volume: quote.volume,
    short_name: symbol.slice(4),
    exchange: symbol.slice(0, 3),
    description: symbol,
    original_name: symbol,
    symbol,
    fyToken: fyToken(instrument),
    tt: String(Math.floor(now / 1000)),
  };
  return { n: symbol, s: 'ok', v };
}

export function depthRow(instrument: Instrument, quote: Quote, now: number) {
  const change = dayChange(quote);
  const { bids, asks } = depthOf(instrument, quote);
  const level = ({ price, lots, orders }: Level) => ({ price: rounded(price), volume: lots, ord: orders });
  return {
    totalbuyqty: 1500,
    totalsellqty: 1500,
    bids: bids.map(level),
    ask: asks.map(level),
    o: Number(quote.open),
    h: Number(quote.high),
    l: Number(quote.low),
    c: Number(quote.close),
    chp: rounded(change.percent),
    tick_Size: Number(instrument.tick),
    ch: rounded(change.amount),
    ltq: 1,
    ltt: Math.floor(now / 1000),
    ltp: Number(quote.last),
    v: quote.volume,
    atp: Number(quote.last),
    lower_ckt: Number(instrument.lowerCircuit),
    upper_ckt: Number(instrument.upperCircuit),
    expiry: '',
    oi: 0,
    oiflag: false,
    pdoi: 0,
    oipercent: 0,
  };
}

import type { Instrument, Quote } from '../types.ts';
import { dayChange } from '../views.ts';
import { rounded } from '../wire/numbers.ts';
import { dateText, letters, scripCode, scripName } from './words.ts';

const DAY_MS = 86_400_000;
const IST_MS = 19_800_000;

/** 5paisa's rows on the market: snapshots in rupees, as JSON numbers. */

/** As the official sample has it: no circuit limits. */
export function snapshotRow(instrument: Instrument, quote: Quote, now: number) {
  const [Exch, ExchType] = letters[instrument.exchange];
  const { amount, percent } = dayChange(quote);
  return {
    Chg: rounded(amount),
    ChgPcnt: rounded(percent),
    Exch,
    ExchType,
    High: Number(quote.high),
    LastRate: Number(quote.last),
    Low: Number(quote.low),
    PClose: Number(quote.close),
    Symbol: scripName(instrument),
    TickDt: dateText(now),
    Time: Math.floor(((now + IST_MS) % DAY_MS) / 1000),
    Token: scripCode(instrument),
    TotalQty: quote.volume,
  };
}

/** As others have seen it. */
export function fullSnapshotRow(instrument: Instrument, quote: Quote, now: number) {
  const [Exchange, ExchangeType] = letters[instrument.exchange];
  return {
    Exchange,
    ExchangeType,
    ScripCode: scripCode(instrument),
    LastTradedPrice: Number(quote.last),
    LastTradeTime: dateText(now),
    Open: Number(quote.open),
    High: Number(quote.high),
    Low: Number(quote.low),
    PClose: Number(quote.close),
    NetChange: rounded(dayChange(quote).amount),
    OpenInterest: 0,
    PrevOpenInterest: 0,
    Volume: quote.volume,
    UpperCircuitLimit: Number(instrument.upperCircuit),
    LowerCircuitLimit: Number(instrument.lowerCircuit),
  };
}

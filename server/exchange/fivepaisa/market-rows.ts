import type { Instrument, Quote } from '../types.ts';
import { dayChange } from '../views.ts';
import { rounded } from '../wire/numbers.ts';
import { dateText, letters, scripData, scripName } from './words.ts';

/** 5paisa's rows on the market: snapshots in rupees, as JSON numbers, and the scrip master. */

export function snapshotRow(instrument: Instrument, quote: Quote, now: number) {
  const [Exchange, ExchangeType] = letters[instrument.exchange];
  return {
    Exchange,
    ExchangeType,
    ScripCode: instrument.exchangeToken,
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

const csvHeader =
  'Exch,ExchType,ScripCode,Name,Expiry,ScripType,StrikeRate,FullName,TickSize,LotSize,QtyLimit,Multiplier,SymbolRoot,BOCOAllowed,ISIN,ScripData,Series';

/** The scrip master; tick sizes in rupees. */
export function masterCsv(instruments: readonly Instrument[]): string {
  const lines = instruments.map((one) => {
    const type = one.kind === 'FUT' ? 'XX' : one.kind;
    const named = [...letters[one.exchange], one.exchangeToken, scripName(one), one.expiry ?? '', type, one.strike ?? 0, one.name];
    return [...named, one.tick, one.lotSize, 0, one.multiplier, one.underlying, 'N', one.isin ?? '', scripData(one), type].join(',');
  });
  return [csvHeader, ...lines, ''].join('\n');
}

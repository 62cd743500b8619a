import type { Listed } from '../types.ts';
import { classOf, physicalLot } from '../wire/listing.ts';
import type { MasterFile } from '../wire/master-files.ts';
import { dateParts } from '../wire/times.ts';
import { tradingSymbol } from './words.ts';

/** Shoonya's symbol files: one zip an exchange, prices in rupees, a comma at the end of every line. */

const cash = 'Exchange,Token,LotSize,Symbol,TradingSymbol,Instrument,TickSize,';
const contract = 'Symbol,TradingSymbol,Expiry,Instrument,OptionType,StrikePrice,TickSize,';

const headers = {
  NSE: cash,
  BSE: cash,
  NFO: `Exchange,Token,LotSize,${contract}`,
  BFO: `Exchange,Token,LotSize,${contract}`,
  CDS: `Exchange,Token,LotSize,Precision,Multiplier,${contract}`,
  MCX: `Exchange,Token,LotSize,GNGD,${contract}`,
} as const;

/** What the broker's own filling looks like: rows with a token up to 100 that name no contract. */
const fillings: Readonly<Partial<Record<Listed['exchange'], string>>> = { CDS: 'CDS,1,1,4,1000,USDINR,USDINR,,UNDCUR,XX,0,0.0025,' };

export const masterFiles: readonly MasterFile[] = Object.entries(headers).map(([exchange, header]) => ({
  path: `/${exchange}_symbols.txt.zip`,
  type: 'application/zip',
  pack: 'zip',
  lines: (listed) => lines(listed, exchange, header),
}));

function* lines(listed: Iterable<Listed>, exchange: string, header: string): Generator<string> {
  yield `${header}\n`;
  const filling = Object.entries(fillings).find(([name]) => name === exchange)?.[1];
  if (filling) yield `${filling}\n`;
  for (const one of listed) {
    // The indices of BSE are not in its file.
    yield one.exchange === exchange && !(exchange === 'BSE' && one.kind === 'INDEX') ? `${line(one)}\n` : '';
  }
}

function line(one: Listed): string {
  const { exchange, exchangeToken, kind, name, symbol, series, multiplier, tick } = one;
  const { size, quoted } = physicalLot(one);
  const start = [exchange, exchangeToken, size];
  if (kind === 'INDEX') return [...start, name, tradingSymbol(one), 'INDEX', 0, ''].join(',');
  if (kind === 'EQ') return [...start, symbol, tradingSymbol(one), series, tick, ''].join(',');
  const extra = exchange === 'CDS' ? [4, multiplier] : exchange === 'MCX' ? [1 / quoted] : [];
  const future = kind === 'FUT';
  const type = `${future ? 'FUT' : 'OPT'}${exchange === 'MCX' && !future ? 'FUT' : classOf(one)}`;
  const terms = [expiryText(one), type, future ? 'XX' : kind, Number(one.strike ?? 0), tick, ''];
  return [...start, ...extra, productCode(one), tradingSymbol(one), ...terms].join(',');
}

/** BSE's codes of what its index contracts are on. */
const bseCodes: Readonly<Record<string, string>> = { SENSEX: 'BSX', BANKEX: 'BKX', SENSEX50: 'SX50' };

/** The underlying; for index contracts of BSE its code for them: BSXOPT. */
function productCode({ exchange, underlying, kind }: Listed): string {
  const code = exchange === 'BFO' ? bseCodes[underlying] : undefined;
  return code ? `${code}${kind === 'FUT' ? 'FUT' : 'OPT'}` : underlying;
}

/** 29-DEC-2026 */
function expiryText({ expiry }: Listed): string {
  const { year, monthName, day } = dateParts(expiry ?? '');
  return `${day}-${monthName.toUpperCase()}-${year}`;
}

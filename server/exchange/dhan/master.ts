import { Big } from '../../money.ts';
import { seriesOf } from '../listed.ts';
import type { Listed } from '../types.ts';
import { type Cell, csvLines } from '../wire/csv.ts';
import type { MasterFile } from '../wire/master-files.ts';
import { dateParts } from '../wire/times.ts';
import { securityId, segmentLetters, tradingSymbol } from './words.ts';

/** Dhan's instrument lists: a compact CSV, and a detailed one that is also there by segment. Strikes in rupees, ticks in paise; commodities count lots. */

const compactHeader =
  'SEM_EXM_EXCH_ID,SEM_SEGMENT,SEM_SMST_SECURITY_ID,SEM_INSTRUMENT_NAME,SEM_EXPIRY_CODE,SEM_TRADING_SYMBOL,SEM_LOT_UNITS,SEM_CUSTOM_SYMBOL,SEM_EXPIRY_DATE,SEM_STRIKE_PRICE,SEM_OPTION_TYPE,SEM_TICK_SIZE,SEM_EXPIRY_FLAG,SEM_EXCH_INSTRUMENT_TYPE,SEM_SERIES,SM_SYMBOL_NAME';
const detailedHeader =
  'EXCH_ID,SEGMENT,SECURITY_ID,ISIN,INSTRUMENT,UNDERLYING_SECURITY_ID,UNDERLYING_SYMBOL,SYMBOL_NAME,DISPLAY_NAME,INSTRUMENT_TYPE,SERIES,LOT_SIZE,SM_EXPIRY_DATE,STRIKE_PRICE,OPTION_TYPE,TICK_SIZE,EXPIRY_FLAG,BRACKET_FLAG,COVER_FLAG,ASM_GSM_FLAG,ASM_GSM_CATEGORY,BUY_SELL_INDICATOR,SM_FREEZE_QTY,MTF_LEVERAGE';

/** When the session ends in which a contract expires. */
const closeOf = { NSE: '', BSE: '', NFO: '14:30:00', BFO: '14:30:00', MCX: '23:30:00', CDS: '12:30:00' } as const;

/** A second row of an index, under a higher id: the lower is the one that is meant. */
const HIGHER_ID = 5_000;

export const masterFiles: readonly MasterFile[] = [
  { path: '/api-data/api-scrip-master.csv', type: 'text/csv', lines: (listed) => csvLines(compactHeader, each(listed, compactRow)) },
  { path: '/api-data/api-scrip-master-detailed.csv', type: 'text/csv', lines: detailedLines },
];

/** The detailed list, of all that is listed or of a part. */
export function detailedLines(listed: Iterable<Listed>): Iterable<string> {
  return csvLines(detailedHeader, each(listed, detailedRow));
}

function* each(listed: Iterable<Listed>, row: (one: Listed, id: number) => readonly Cell[]): Generator<readonly Cell[]> {
  for (const one of listed) {
    yield row(one, securityId(one));
    if (one.kind === 'INDEX' && one.symbol === 'NIFTY') yield row(one, securityId(one) + HIGHER_ID);
  }
}

function compactRow(one: Listed, id: number): readonly Cell[] {
  const { exchange, kind, name, lotSize, expiry, weekly } = one;
  const [place, segment] = segmentOf(one);
  const close = expiry === null ? null : `${expiry} ${closeOf[exchange]}`;
  const flag = expiry === null ? 'NA' : weekly ? 'W' : 'M';
  const type = kind === 'EQ' ? 'ES' : kind === 'INDEX' ? 'INDEX' : kind === 'FUT' ? 'FUT' : 'OP';
  const named: Cell[] = [place, segment, id, instrumentOf(one), 0, tradingSymbol(one), lotSize.toFixed(1), customName(one), close];
  return [...named, strikeText(one), optionType(one), tickText(one), flag, type, seriesOf(one) ?? (kind === 'INDEX' ? 'X' : 'NA'), name];
}

function detailedRow(one: Listed, id: number): readonly Cell[] {
  const { kind, name, isin, lotSize, expiry, weekly, base, underlying, freezeQuantity } = one;
  const title = kind === 'EQ' || kind === 'INDEX' ? name : tradingSymbol(one);
  const about: Cell[] = [
    isin,
    instrumentOf(one),
    base && securityId(base),
    underlying,
    title,
    customName(one),
    kind === 'EQ' ? 'ES' : 'OP',
  ];
  const terms: Cell[] = [seriesOf(one), lotSize.toFixed(1), expiry ?? (kind === 'INDEX' ? '0001-01-01' : null), strikeText(one)];
  const flags: Cell[] = [expiry === null ? 'NA' : weekly ? 'W' : 'M', 'N', 'N', 'N', 'NA', 'A', freezeQuantity, '1.0'];
  return [...segmentOf(one), id, ...about, ...terms, optionType(one), tickText(one), ...flags];
}

function segmentOf({ exchange, kind }: Listed): readonly [string, string] {
  return kind === 'INDEX' ? [exchange, 'I'] : segmentLetters[exchange];
}

function instrumentOf({ exchange, kind, base }: Listed): string {
  if (kind === 'EQ') return 'EQUITY';
  if (kind === 'INDEX') return 'INDEX';
  if (exchange === 'MCX') return kind === 'FUT' ? 'FUTCOM' : 'OPTFUT';
  const form = kind === 'FUT' ? 'FUT' : 'OPT';
  return `${form}${exchange === 'CDS' ? 'CUR' : base?.kind === 'EQ' ? 'STK' : 'IDX'}`;
}

/** What has none prints a blank, 0 or a little less than 0, by its segment. */
function strikeText({ exchange, kind, strike }: Listed): string | null {
  if (strike !== null) return new Big(strike).toFixed(5);
  if (kind !== 'FUT') return null;
  return exchange === 'MCX' ? '0.00000' : '-0.01000';
}

function optionType({ kind }: Listed): string | null {
  return kind === 'FUT' ? 'XX' : kind === 'CE' || kind === 'PE' ? kind : null;
}

function tickText({ tick }: Listed): string {
  return new Big(tick).times(100).toFixed(4);
}

/** NIFTY 29 DEC 26000 CALL. */
function customName({ name, expiry, underlying, strike, kind }: Listed): string {
  if (expiry === null) return name;
  const { day, monthName } = dateParts(expiry);
  return `${underlying} ${day} ${monthName.toUpperCase()} ${strike === null ? 'FUT' : `${strike} ${kind === 'CE' ? 'CALL' : 'PUT'}`}`;
}

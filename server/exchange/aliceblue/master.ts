import { seriesOf } from '../listed.ts';
import type { Listed } from '../types.ts';
import { type Cell, csvLines } from '../wire/csv.ts';
import type { MasterFile } from '../wire/master-files.ts';
import { dateParts } from '../wire/times.ts';
import { plainName, seriesName } from './rows.ts';

/** Alice Blue's contract master, version 2: a CSV for each exchange and one of indices. Strikes and ticks in rupees, lots of commodities and currencies 1. */

const PATH = '/restpy/static/contract_master/V2';
const header =
  'Exch,Exchange Segment,Group Name,Symbol,Token,Instrument Type,Option Type,Strike Price,Instrument Name,Formatted Ins Name,Trading Symbol,Expiry Date,Lot Size,Tick Size';
const segmentOf = { NSE: 'nse_cm', BSE: 'bse_cm', NFO: 'nse_fo', BFO: 'bse_fo', CDS: 'cde_fo', MCX: 'mcx_fo' } as const;

/** What a contract is called by what it is on: future, option. */
const contractTypes = {
  index: ['FUTIDX', 'OPTIDX'],
  stock: ['FUTSTK', 'OPTSTK'],
  BFO: ['IF', 'IO'],
  BFOstock: ['SF', 'SO'],
  MCX: ['FUTCOM', 'OPTFUT'],
  CDS: ['FUTCUR', 'OPTCUR'],
} as const;

/** An index of commodities stands among the contracts. */
const commodityIndex: readonly Cell[] = [
  'MCX',
  'mcx_idx',
  '',
  'MCXCOMPDEX',
  323,
  '',
  '',
  '',
  'MCXCOMPDEX',
  'MCXCOMPDEX',
  'MCXCOMPDEX',
  '',
  1,
  1,
];

export const masterFiles: readonly MasterFile[] = [
  ...(['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'MCX'] as const).map(
    (exchange): MasterFile => ({
      path: `${PATH}/${exchange}.csv`,
      type: 'text/csv',
      lines: (listed) => csvLines(header, rowsOf(exchange, listed)),
    }),
  ),
  // BSE's currencies have a file of their own, and nothing is in it.
  { path: `${PATH}/BCD.csv`, type: 'text/csv', lines: () => csvLines(header, []) },
  { path: `${PATH}/INDICES.csv`, type: 'text/csv', lines: (listed) => csvLines('symbol,exch,token', indexRows(listed)) },
];

function* rowsOf(exchange: keyof typeof segmentOf, listed: Iterable<Listed>): Generator<readonly Cell[] | null> {
  for (const one of listed) yield one.exchange === exchange && one.kind !== 'INDEX' ? row(one) : null;
  if (exchange === 'MCX') yield commodityIndex;
}

function* indexRows(listed: Iterable<Listed>): Generator<readonly Cell[] | null> {
  for (const one of listed) yield one.kind === 'INDEX' ? [one.name, one.exchange, one.exchangeToken] : null;
}

function row(one: Listed): readonly Cell[] {
  const { exchange, kind, underlying, exchangeToken, strike, name, expiry, lotSize, tick } = one;
  const option = kind === 'FUT' ? 'XX' : kind === 'EQ' ? '' : kind;
  const named = [underlying, exchangeToken, typeOf(one), option, strike, name, formatted(one), seriesName(one)];
  return [exchange, segmentOf[exchange], seriesOf(one), ...named, expiry, lotSize, tick];
}

function typeOf({ exchange, kind, base }: Listed): string {
  if (kind === 'EQ') return '';
  const stock = base?.kind === 'EQ';
  const types =
    exchange === 'NFO'
      ? contractTypes[stock ? 'stock' : 'index']
      : contractTypes[exchange === 'BFO' && stock ? 'BFOstock' : placeOf(exchange)];
  return types[kind === 'FUT' ? 0 : 1];
}

function placeOf(exchange: Listed['exchange']): 'BFO' | 'MCX' | 'CDS' {
  return exchange === 'MCX' || exchange === 'CDS' ? exchange : 'BFO';
}

/** NIFTY 29DEC26 26000 CE; a share by its name alone. */
function formatted(one: Listed): string {
  const { expiry, underlying, strike, kind } = one;
  if (expiry === null) return plainName(one);
  const { day, monthName, year } = dateParts(expiry);
  return `${underlying} ${day}${monthName.toUpperCase()}${year.slice(2)} ${strike === null ? 'FUT' : `${strike} ${kind}`}`;
}

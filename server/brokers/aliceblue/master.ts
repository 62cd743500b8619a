import type { Master, MasterExchange, MasterFields, MasterFile } from '../master.ts';
import { listed, type MasterRow } from '../master-row.ts';
import { calendarDay, contractKind, indexExchanges, tokenNumber } from '../master-values.ts';
import { plainSymbol } from './symbol.ts';

const INDICES = 'INDICES.csv';
const exchanges: ReadonlyMap<string, MasterExchange> = new Map(
  (['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'BCD', 'MCX'] as const).map((exchange) => [exchange, exchange]),
);

/**
 * Alice Blue's contract master, version 2: a CSV for each exchange, and one of the indices. Strikes and ticks in rupees; a lot of MCX is 1. It tells
 * neither freeze quantity nor ISIN.
 */
export const master: Master = {
  files: [...[...exchanges.keys()].map((exchange) => `${exchange}.csv`), INDICES].map(
    (path): MasterFile => ({ path, pack: 'plain', form: 'csv', optional: path === 'BCD.csv' }),
  ),
  read(row, file, today) {
    if (file.path === INDICES) return listed(index(row), today);
    // The files of the exchanges hold indices too, and INDICES holds all.
    if (/_idx$/i.test(row['Exchange Segment'] ?? '')) return { skipped: 'told elsewhere' };
    const exchange = exchanges.get(row.Exch ?? '');
    return listed(exchange === 'NSE' || exchange === 'BSE' ? share(row, exchange) : contract(row, exchange), today);
  },
};

function index({ symbol = '', exch = '', token = '' }: MasterFields): MasterRow {
  const named = { root: symbol, name: symbol, symbol, token: tokenNumber(token) };
  return { ...named, exchange: indexExchanges.get(exch), kind: 'INDEX', lot: '', tick: '' };
}

function share(row: MasterFields, exchange: MasterExchange): MasterRow {
  const symbol = row['Trading Symbol'] ?? '';
  const series = row['Group Name'] || (/-([A-Z][A-Z0-9])$/.exec(symbol)?.[1] ?? '');
  const name = row['Instrument Name'] || (row['Formatted Ins Name'] ?? '');
  // As the broker's rows are read: with the series in some lists and without it in others.
  return { ...terms(row), exchange, kind: 'EQ', root: symbol, series, name, symbol: plainSymbol(exchange, symbol) };
}

function contract(row: MasterFields, exchange: MasterExchange | undefined): MasterRow {
  return {
    ...terms(row),
    exchange,
    kind: contractKind(row['Instrument Type'] ?? '', row['Option Type'] ?? ''),
    root: row.Symbol ?? '',
    name: row['Formatted Ins Name'] || (row['Instrument Name'] ?? ''),
    expiry: calendarDay(row['Expiry Date']),
    strike: row['Strike Price'],
  };
}

function terms(row: MasterFields) {
  return {
    lot: row['Lot Size'],
    tick: row['Tick Size'],
    symbol: row['Trading Symbol'] ?? '',
    token: tokenNumber(row.Token),
  };
}

import { contractKind, countOf, dayOf, listed, priceOf, type Told } from '../listed-fields.ts';
import type { Master, MasterExchange, MasterFields, MasterFile } from '../master.ts';

const INDICES = 'INDICES.csv';
const exchanges: ReadonlyMap<string, MasterExchange> = new Map(
  (['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'BCD', 'MCX'] as const).map((exchange) => [exchange, exchange]),
);
const indexExchanges: ReadonlyMap<string, MasterExchange> = new Map([
  ['NSE', 'NSE_INDEX'],
  ['BSE', 'BSE_INDEX'],
  ['MCX', 'MCX_INDEX'],
]);

/**
 * Alice Blue's contract master, version 2: a CSV for each exchange, and one of the indices. Strikes and ticks in rupees; a lot of MCX is 1. It tells
 * neither freeze quantity nor ISIN.
 */
export const master: Master = {
  files: [...[...exchanges.keys()].map((exchange) => `${exchange}.csv`), INDICES].map(
    (path): MasterFile => ({ path, pack: 'plain', form: 'csv' }),
  ),
  read(row, file, today) {
    if (file.path === INDICES) return listed(index(row), today);
    // The files of the exchanges hold indices too, and INDICES holds all.
    if (/_idx$/i.test(row['Exchange Segment'] ?? '')) return { skipped: 'index told elsewhere' };
    const exchange = exchanges.get(row.Exch ?? '');
    return listed(exchange === 'NSE' || exchange === 'BSE' ? share(row, exchange) : contract(row, exchange), today);
  },
};

function index({ symbol = '', exch = '', token = '' }: MasterFields): Told {
  const named = { root: symbol, name: symbol, brokerSymbol: symbol, token };
  return { ...named, exchange: indexExchanges.get(exch), kind: 'INDEX', lotSize: 1, tickSize: null };
}

function share(row: MasterFields, exchange: MasterExchange): Told {
  const symbol = row['Trading Symbol'] ?? '';
  const series = row['Group Name'] || (/-([A-Z][A-Z0-9])$/.exec(symbol)?.[1] ?? '');
  const name = row['Instrument Name'] || (row['Formatted Ins Name'] ?? '');
  return { ...terms(row), exchange, kind: 'EQ', root: symbol, series, name };
}

function contract(row: MasterFields, exchange: MasterExchange | undefined): Told {
  return {
    ...terms(row),
    exchange,
    kind: contractKind(row['Instrument Type'] ?? '', row['Option Type'] ?? ''),
    root: row.Symbol ?? '',
    name: row['Formatted Ins Name'] || (row['Instrument Name'] ?? ''),
    expiry: dayOf(row['Expiry Date'] ?? ''),
    strike: priceOf(row['Strike Price'] ?? ''),
  };
}

function terms(row: MasterFields) {
  return {
    lotSize: countOf(row['Lot Size'] ?? ''),
    tickSize: priceOf(row['Tick Size'] ?? ''),
    brokerSymbol: row['Trading Symbol'] ?? '',
    token: row.Token ?? '',
  };
}

import { Big } from '../../money.ts';
import { isOption, type Listed } from '../types.ts';
import { classOf, physicalLot } from '../wire/listing.ts';
import type { MasterFile } from '../wire/master-files.ts';
import { dateParts } from '../wire/times.ts';
import { indexName, instrumentKey, segment } from './rows.ts';

/** Upstox's instrument files: gzipped JSON arrays, ticks in paise, strikes in rupees, expiries as the last second of their day in India (epoch ms). */

export const MASTER = '/market-quote/instruments/exchange';

const files: Readonly<Record<string, readonly Listed['exchange'][]>> = {
  complete: ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS'],
  NSE: ['NSE', 'NFO', 'CDS'],
  BSE: ['BSE', 'BFO'],
  MCX: ['MCX'],
};
const venue = { NSE: 'NSE', BSE: 'BSE', NFO: 'NSE', BFO: 'BSE', MCX: 'MCX', CDS: 'NSE' } as const;

export const masterFiles: readonly MasterFile[] = Object.entries(files).map(([name, exchanges]) => ({
  path: `${MASTER}/${name}.json.gz`,
  type: 'application/gzip',
  pack: 'gzip',
  lines: (listed) => lines(listed, exchanges),
}));

/** The text of the array, an object a line. */
function* lines(listed: Iterable<Listed>, exchanges: readonly Listed['exchange'][]): Generator<string> {
  let before = '[';
  for (const one of listed) {
    if (!exchanges.includes(one.exchange)) {
      yield '';
      continue;
    }
    const members = Object.entries(rowOf(one)).map(([name, value]) => `"${name}":${value}`);
    yield `${before}{${members.join(',')}}`;
    before = ',\n';
  }
  yield before === '[' ? '[]' : ']';
}

/** The members of a row as JSON texts. */
function rowOf(one: Listed): Record<string, string> {
  if (one.kind === 'INDEX') return { ...common(one, indexName(one), 'INDEX', one.symbol) };
  const tail = {
    lot_size: String(physicalLot(one).size),
    freeze_quantity: fraction(freezeOf(one)),
    tick_size: fraction(new Big(one.tick).times(100)),
    qty_multiplier: fraction(one.exchange === 'CDS' ? one.multiplier : 1),
  };
  if (one.kind !== 'EQ') return { ...common(one, nameOf(one), one.kind, tradingSymbol(one)), ...tail, ...contractOf(one) };
  const share = { isin: text(one.isin ?? ''), short_name: text(one.name), security_type: text('NORMAL') };
  return { ...common(one, one.name, one.series ?? '', one.symbol), ...tail, ...share };
}

function common(one: Listed, name: string, type: string, symbol: string): Record<string, string> {
  return {
    segment: text(segment(one)),
    name: text(name),
    exchange: text(venue[one.exchange]),
    instrument_type: text(type),
    instrument_key: text(instrumentKey(one)),
    exchange_token: text(String(one.exchangeToken)),
    trading_symbol: text(symbol),
  };
}

const underlyingTypes = { IDX: 'INDEX', STK: 'EQUITY', COM: 'COM', CUR: 'CUR' } as const;

function contractOf(one: Listed): Record<string, string> {
  return {
    weekly: String(one.weekly),
    expiry: String(Date.parse(`${one.expiry}T23:59:59+05:30`)),
    underlying_symbol: text(one.underlying),
    ...(one.base ? { underlying_key: text(instrumentKey(one.base)) } : {}),
    underlying_type: text(underlyingTypes[classOf(one)]),
    minimum_lot: String(physicalLot(one).size),
    strike_price: fraction(new Big(one.strike ?? 0)),
  };
}

/** Commodities whose name is more than their symbol. */
const commodityNames: Readonly<Record<string, string>> = {
  CRUDEOIL: 'CRUDE OIL',
  NATURALGAS: 'NATURAL GAS',
  GOLDM: 'GOLD MINI',
  SILVERM: 'SILVER MINI',
};

function nameOf({ exchange, name, underlying }: Listed): string {
  return exchange === 'MCX' ? (commodityNames[underlying] ?? name) : name;
}

/** NIFTY 26000 CE 29 DEC 26, CRUDEOIL FUT 18 DEC 26. */
function tradingSymbol(one: Listed): string {
  const { year, monthName, day } = dateParts(one.expiry ?? '');
  const terms = isOption(one) ? `${Number(one.strike)} ${one.kind}` : one.kind;
  return `${one.underlying} ${terms} ${day} ${monthName.toUpperCase()} ${year.slice(2)}`;
}

/** What one order may have at most, counted as lots are. */
function freezeOf(one: Listed): number {
  return ((one.freezeQuantity ?? NO_FREEZE) * physicalLot(one).size) / one.lotSize;
}
const NO_FREEZE = 100_000;

const text = (value: string) => JSON.stringify(value);

/** A number as the files print those that may have a fraction: 10.0, 0.25. */
function fraction(value: Big | number): string {
  const plain = new Big(value).toFixed();
  return plain.includes('.') ? plain : `${plain}.0`;
}

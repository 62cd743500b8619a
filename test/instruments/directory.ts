import type { Directory, InstrumentRow } from '../../server/instruments/instruments.ts';

/** An instrument as a file of the day lists it. */
export function listed(instrument: string, given: Partial<InstrumentRow> = {}): InstrumentRow {
  const [exchange = '', symbol = ''] = instrument.split(':');
  const nothing = { name: null, underlying: null, expiry: null, strike: null, freezeQuantity: null, isin: null };
  const facts = { kind: 'EQ', lotSize: 1, tickSize: '0.05', brokerSymbol: symbol, token: '1' } as const;
  return { instrument, exchange, symbol, ...nothing, ...facts, ...given };
}

/** A directory of these rows alone: what the table answers, without a database. */
export function directoryOf(rows: readonly InstrumentRow[], today = true): Directory {
  const by = (exchange: string, fits: (row: InstrumentRow) => boolean) => rows.filter((row) => row.exchange === exchange && fits(row));
  const named = (exchange: string, symbol: string) => {
    const ours = by(exchange, (row) => row.symbol === symbol);
    return ours.length > 0 ? ours : by(exchange, (row) => row.brokerSymbol === symbol);
  };
  return {
    asOf: '2026-11-23',
    message: null,
    isToday: () => today,
    named: async (exchange, symbol) => named(exchange, symbol),
    withToken: async (exchange, token) => by(exchange, (row) => row.token === token),
    rowsOf: async (names) => names.map(({ exchange, symbol }) => named(exchange, symbol)[0] ?? null),
    known: () => undefined,
    search: async () => ({ rows: [], next: null }),
  };
}

import type { Directory, InstrumentRow } from '../../server/instruments/instruments.ts';

export const sbin: InstrumentRow = {
  ...{
    exchange: 'NSE',
    symbol: 'SBIN',
    instrument: 'NSE:SBIN',
    name: 'STATE BANK',
    kind: 'EQ',
    underlying: null,
    expiry: null,
    strike: null,
  },
  ...{ lotSize: 5, tickSize: '0.05', freezeQuantity: 1000, isin: null, brokerSymbol: 'SBIN', token: '779521' },
};
/** A file of today that holds one share, and counts what it is asked for. */
export function fileOf(rows: readonly InstrumentRow[]): Directory & { asked: number } {
  const named = (symbol: string) => rows.filter((row) => row.symbol === symbol);
  return {
    ...{ asOf: '2026-11-20', message: null, asked: 0, isToday: () => true, known: () => undefined },
    named: async (_, symbol) => named(symbol),
    withToken: async () => [],
    search: () => Promise.reject(new Error('not asked here')),
    async rowsOf(names) {
      this.asked += 1;
      return names.map(({ symbol }) => named(symbol)[0] ?? null);
    },
  };
}

import type { BrokerId, Exchange } from '../../contract/words.ts';

/** What a quantity counts: units in multiples of the contract's lot, or lots, which upstox calls contracts: 1 is one of them, whatever its size. */
export type Unit = 'units' | 'lots' | 'contracts';

/** The unit of each exchange at each broker that takes orders on it; where there is none the broker is sent no order. */
export const unitsOf: Readonly<Record<BrokerId, Readonly<Partial<Record<Exchange, Unit>>>>> = {
  aliceblue: { NFO: 'units', BFO: 'units' },
  angelone: { NFO: 'units', BFO: 'units' },
  dhan: { NFO: 'units', BFO: 'units', MCX: 'lots' },
  fivepaisa: { NFO: 'units', BFO: 'units' },
  fyers: { NFO: 'units', BFO: 'units', MCX: 'lots', CDS: 'lots' },
  groww: { NFO: 'units', BFO: 'units' },
  kotak: { NFO: 'units', BFO: 'units', MCX: 'units' },
  shoonya: { NFO: 'units', BFO: 'units' },
  upstox: { NFO: 'units', BFO: 'units', CDS: 'contracts' },
  zerodha: { NFO: 'units', BFO: 'units', MCX: 'lots', CDS: 'lots' },
};

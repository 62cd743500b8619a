import type { BrokerId, InstrumentKind } from '../../contract/words.ts';

export interface InstrumentRow {
  exchange: string;
  symbol: string;
  instrument: string;
  name: string | null;
  kind: InstrumentKind;
  underlying: string | null;
  expiry: string | null;
  strike: string | null;
  lotSize: number;
  tickSize: string | null;
  freezeQuantity: number | null;
  isin: string | null;
  brokerSymbol: string;
  token: string;
}
export interface Directory {
  readonly asOf: string;
  isToday(): boolean;
  readonly message: string | null;
  named(exchange: string, symbol: string): Promise<readonly InstrumentRow[]>;
  withToken(exchange: string, token: string): Promise<readonly InstrumentRow[]>;
  rowsOf(names: readonly { exchange: string; symbol: string; token: string | null }[]): Promise<(InstrumentRow | null)[]>;
  known(exchange: string, symbol: string): InstrumentRow | undefined;
}
export interface Instruments {
  of(broker: BrokerId): Directory | null;
}

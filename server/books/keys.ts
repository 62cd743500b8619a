/** Whose books: one account at one broker, in the gateway's mode. */
export interface AccountKey {
  broker: string;
  account: string;
  mode: string;
}

/** What names a position, within one account: it has one open row at any moment. */
export interface PositionKey {
  exchange: string;
  symbol: string;
  /** Product word. */
  style: string;
}

export function keyText({ exchange, symbol, style }: PositionKey): string {
  return `${exchange}|${symbol}|${style}`;
}

/** Each key once, without what else the rows hold. */
export function distinct(keys: readonly PositionKey[]): PositionKey[] {
  return [
    ...new Map(keys.map(({ exchange, symbol, style }) => [keyText({ exchange, symbol, style }), { exchange, symbol, style }])).values(),
  ];
}

/** One transaction at a time changes the rows of a position, also while there is none to lock. The text that the lock is taken on. */
export function lockText(broker: string, key: PositionKey): string {
  return `${broker}|${keyText(key)}`;
}

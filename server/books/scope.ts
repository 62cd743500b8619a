/** Whose books: one account at one broker. */
export interface Held {
  broker: string;
  account: string;
  mode: string;
}

/** Where a position row lives, within one broker account. */
export interface Scope {
  exchange: string;
  symbol: string;
  style: string;
}

export function scopeKey({ exchange, symbol, style }: Scope): string {
  return `${exchange}|${symbol}|${style}`;
}

/** Each place once, by its names alone. */
export function distinct(scopes: readonly Scope[]): Scope[] {
  const named = scopes.map(({ exchange, symbol, style }): [string, Scope] => {
    const scope = { exchange, symbol, style };
    return [scopeKey(scope), scope];
  });
  return [...new Map(named).values()];
}

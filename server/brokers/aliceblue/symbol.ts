/** Shares of which a trading symbol may end in its series. */
const shares: readonly string[] = ['NSE', 'BSE'];

/** Trading symbols of shares end in their series in some lists and not in others. */
export function plainSymbol(exchange: string, symbol: string): string {
  return shares.includes(exchange) ? symbol.replace(/-(EQ|BE|BZ|SM|ST)$/, '') : symbol;
}

/** What a share or index is found by: its symbols and the words of its name, upper case, each once. */
export function wordsOf(symbol: string, brokerSymbol: string, name: string | null): string[] {
  const symbols = [symbol, brokerSymbol].map((text) => text.toUpperCase()).filter((text) => !/\s/.test(text));
  const words = (name ?? '')
    .toUpperCase()
    .split(/[^\p{L}\p{N}&]+/u)
    .filter((word) => word !== '');
  return [...new Set([...symbols, ...words])];
}

/**
 * A word of one load as a lexeme, quoted as tsvector and tsquery take it. The number of the load stands before it: the words of other loads are then never
 * looked at, how many there may be.
 */
export function lexeme(generation: number, word: string): string {
  return `'${generation}:${word.replace(/\\/g, '\\\\').replace(/'/g, "''")}'`;
}

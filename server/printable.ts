/** What a terminal would obey instead of showing: controls, marks of writing direction, invisible joints, line separators, private signs, halves of pairs. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}]/gu;

/** A text of callers or brokers (a key, an order id, a symbol, a message) for the first screen and the command lines: it stays on its line and shows what it is. */
export function printable(text: string): string {
  return text.replace(unseen, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}

/** The same of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

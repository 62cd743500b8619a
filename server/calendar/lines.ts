import { Tokenizer, TokenType } from '@streamparser/json';

/** Where the values of a JSON text stand: the line (from 1) of the value at a path, or of the nearest one around it. The text must be JSON. */
export function linesOf(text: string): (path: readonly PropertyKey[]) => number {
  const bytes = Buffer.from(text);
  const starts = new Map<string, number>();
  const stack: (string | number)[] = [];
  let isKey = false;
  const tokenizer = new Tokenizer();
  const value = (offset: number) => starts.set(JSON.stringify(stack), offset);
  tokenizer.onToken = ({ token, value: word, offset }) => {
    if (isKey && token === TokenType.STRING) stack[stack.length - 1] = String(word);
    else if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
      value(offset);
      stack.push(token === TokenType.LEFT_BRACE ? '' : 0);
      isKey = token === TokenType.LEFT_BRACE;
    } else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) stack.pop();
    else if (token === TokenType.COLON) isKey = false;
    else if (token === TokenType.COMMA) {
      const last = stack.at(-1);
      isKey = typeof last === 'string';
      if (typeof last === 'number') stack[stack.length - 1] = last + 1;
    } else value(offset);
  };
  tokenizer.write(bytes);
  return (path) => {
    for (let length = path.length; length >= 0; length -= 1) {
      const start = starts.get(JSON.stringify(path.slice(0, length)));
      if (start !== undefined) return bytes.subarray(0, start).filter((byte) => byte === 0x0a).length + 1;
    }
    return 1;
  };
}

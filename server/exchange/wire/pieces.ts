const PIECE_CHARS = 65_536;

/** A long text in pieces, made from its lines as they are first asked for and kept from then on: a second reader costs no more than the sending. The lines bring their own line ends. */
export function keptPieces(lines: Iterable<string>): Iterable<Buffer> {
  const kept: Buffer[] = [];
  const source = inPieces(lines);
  return {
    *[Symbol.iterator]() {
      for (let index = 0; ; index += 1) {
        const piece = kept[index] ?? source.next().value;
        if (!piece) return;
        kept[index] = piece;
        yield piece;
      }
    },
  };
}

function* inPieces(lines: Iterable<string>): Generator<Buffer, undefined> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < PIECE_CHARS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

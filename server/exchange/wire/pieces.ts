import { setImmediate } from 'node:timers/promises';

const PIECE_CHARS = 65_536;
/** A piece ends after so many lines too, however short: between pieces others have their turn. */
const PIECE_LINES = 500;

/** The text of lines in pieces. The lines bring their own line ends; one that is left out is an empty one, so that it counts. */
export function* inPieces(lines: Iterable<string>): Generator<Buffer, undefined> {
  let [text, count] = ['', 0];
  for (const line of lines) {
    text += line;
    count += 1;
    if (text.length < PIECE_CHARS && count < PIECE_LINES) continue;
    yield Buffer.from(text);
    [text, count] = ['', 0];
  }
  if (text !== '') yield Buffer.from(text);
}

/** Pieces made as they are first asked for and kept from then on: a second reader costs no more than the sending. */
export function keptPieces(source: Iterator<Buffer, undefined>): Iterable<Buffer> {
  const kept: Buffer[] = [];
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

/** The pieces one by one, between which the process does what else it has to do. */
export async function* withoutHaste(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    if (piece.length > 0) yield piece;
    await setImmediate();
  }
}

import { BackupError, END } from './format.ts';

const LINE_END = 0x0a;
const END_LINE = Buffer.from(`${END}\n`);

/** Reads lines out of pieces of any size. */
export class Lines {
  readonly #pieces: AsyncIterator<Buffer>;
  /** What is read and not given out yet. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The next line, without its end. Rejects where there is none. */
  async next(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(LINE_END);
      if (end >= 0) {
        const line = this.#rest.toString('utf8', 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      await this.#more();
    }
  }

  /** The lines before END, in pieces of whole lines; END is passed over. Rejects where there is none. */
  async *section(): AsyncGenerator<Buffer> {
    for (;;) {
      const end = this.#endOfSection();
      if (end >= 0) {
        if (end > 0) yield this.#rest.subarray(0, end);
        this.#rest = this.#rest.subarray(end + END_LINE.length);
        return;
      }
      // The last lines stay: one of them may become END.
      const whole = this.#rest.lastIndexOf(LINE_END) + 1;
      if (whole > 0) yield this.#rest.subarray(0, whole);
      this.#rest = this.#rest.subarray(whole);
      await this.#more();
    }
  }

  #endOfSection(): number {
    if (this.#rest.subarray(0, END_LINE.length).equals(END_LINE)) return 0;
    const at = this.#rest.indexOf(`\n${END}\n`);
    return at < 0 ? -1 : at + 1;
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#pieces.next();
    if (done) throw new BackupError('The backup ends before its end');
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
  }
}

/** How many lines a piece of whole lines holds. */
export function linesIn(piece: Buffer): number {
  let lines = 0;
  for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, at + 1)) lines += 1;
  return lines;
}

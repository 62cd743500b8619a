/** How deep messages may lie in one another. */
const MOST_DEPTH = 16;
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
const LARGEST_FIELD = 0x1fff_ffff;
const utf8 = new TextDecoder();

/**
 * Reads the fields of one protocol-buffers message in the order they came (https://protobuf.dev/programming-guides/encoding). Every length is held
 * against the bytes that are there: what does not fit ends the reading, and nothing throws. Fields nobody asks about cost nothing but their skipping.
 */
export class ProtoReader {
  /** Number of the current field. */
  field = 0;
  #wire = VARINT;
  #value = 0;
  #from = 0;
  #to = 0;
  #at: number;
  readonly #end: number;
  readonly #view: DataView;
  readonly #depth: number;

  private constructor(view: DataView, from: number, end: number, depth: number) {
    this.#view = view;
    this.#at = from;
    this.#end = end;
    this.#depth = depth;
  }

  static of(bytes: Uint8Array): ProtoReader {
    return new ProtoReader(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length, 0);
  }

  /** Goes to the next field; false at the end, or where the bytes are no field. */
  next(): boolean {
    const tag = this.#varint();
    this.#wire = tag % 8;
    this.field = Math.floor(tag / 8);
    if (!(this.field >= 1 && this.field <= LARGEST_FIELD)) return this.#stop();
    if (this.#wire === VARINT) {
      this.#value = this.#varint();
      return this.#at <= this.#end || this.#stop();
    }
    const size = this.#size();
    if (!(size >= 0 && size <= this.#end - this.#at)) return this.#stop();
    this.#from = this.#at;
    this.#to = this.#at + size;
    this.#at = this.#to;
    return true;
  }

  /** The current field as a double; null when it is none. */
  double(): number | null {
    return this.#wire === FIXED64 ? this.#view.getFloat64(this.#from, true) : null;
  }

  /** The current field as a whole number from 0 to 2^53 - 1; null when it is none. */
  integer(): number | null {
    return this.#wire === VARINT && Number.isSafeInteger(this.#value) ? this.#value : null;
  }

  /** The current field as text; null when it is none. */
  text(): string | null {
    if (this.#wire !== BYTES) return null;
    return utf8.decode(new Uint8Array(this.#view.buffer, this.#view.byteOffset + this.#from, this.#to - this.#from));
  }

  /** The current field as a message; null when it is none, or lies too deep. */
  message(): ProtoReader | null {
    if (this.#wire !== BYTES || this.#depth >= MOST_DEPTH) return null;
    return new ProtoReader(this.#view, this.#from, this.#to, this.#depth + 1);
  }

  /** Bytes of the value; NaN for the wire types this reader does not know, the old groups among them. */
  #size(): number {
    if (this.#wire === FIXED64) return 8;
    if (this.#wire === FIXED32) return 4;
    return this.#wire === BYTES ? this.#varint() : Number.NaN;
  }

  /** NaN, with the place beyond the end, when it is cut short or longer than ten bytes. Not exact above 2^53. */
  #varint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10 && this.#at < this.#end; count += 1) {
      const byte = this.#view.getUint8(this.#at);
      this.#at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    this.#at = this.#end + 1;
    return Number.NaN;
  }

  #stop(): false {
    this.field = 0;
    this.#at = this.#end;
    return false;
  }
}

/** Numbers as the packed fields of a binary packet; a packet is their concatenation. */

type Field = (value: number) => Buffer;
type Write = (bytes: Buffer, value: number) => void;

function field(size: number, write: Write): Field {
  return (value) => {
    const bytes = Buffer.allocUnsafe(size);
    write(bytes, value);
    return bytes;
  };
}

export const u8 = field(1, (bytes, value) => bytes.writeUInt8(value));

/** The byte at the low end first. */
export const little = {
  u16: field(2, (bytes, value) => bytes.writeUInt16LE(value)),
  i16: field(2, (bytes, value) => bytes.writeInt16LE(value)),
  u32: field(4, (bytes, value) => bytes.writeUInt32LE(value)),
  i32: field(4, (bytes, value) => bytes.writeInt32LE(value)),
  i64: field(8, (bytes, value) => bytes.writeBigInt64LE(BigInt(value))),
  f32: field(4, (bytes, value) => bytes.writeFloatLE(value)),
  f64: field(8, (bytes, value) => bytes.writeDoubleLE(value)),
};

/** The byte at the high end first. */
export const big = {
  u16: field(2, (bytes, value) => bytes.writeUInt16BE(value)),
  u32: field(4, (bytes, value) => bytes.writeUInt32BE(value)),
  i32: field(4, (bytes, value) => bytes.writeInt32BE(value)),
};

/** Bytes without meaning. */
export function zeros(size: number): Buffer {
  return Buffer.alloc(size);
}

/** A text in a field of fixed size, zeros behind it. */
export function padded(text: string, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.write(text, 'latin1');
  return bytes;
}

/** A list in runs of at most so many: as many as fit into one frame. */
export function runs<Item>(list: readonly Item[], most: number): Item[][] {
  return Array.from({ length: Math.ceil(list.length / most) }, (_, index) => list.slice(index * most, (index + 1) * most));
}

/** Writes protocol-buffers messages as a proto3 encoder does: fields that hold their default are left out. */

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/** A message of the fields given; absent ones are null. */
export function message(...fields: readonly (Buffer | null)[]): Buffer {
  return Buffer.concat(fields.filter((field) => field !== null));
}

export function double(field: number, value: number): Buffer | null {
  if (value === 0) return null;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([tag(field, FIXED64), bytes]);
}

/** An int32, int64, bool or enum of at least 0. */
export function whole(field: number, value: number): Buffer | null {
  return value === 0 ? null : Buffer.concat([tag(field, VARINT), varint(value)]);
}

export function text(field: number, value: string): Buffer | null {
  return value === '' ? null : nested(field, Buffer.from(value));
}

/** A message inside another; an empty one is written too. */
export function nested(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([tag(field, BYTES), varint(bytes.length), bytes]);
}

function tag(field: number, wire: number): Buffer {
  return varint(field * 8 + wire);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = BigInt(Math.round(value));
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return Buffer.from([...bytes, Number(left)]);
}

/** Room for four times what Groww lists. */
const SLOTS = 2 ** 19;
const MOST_NAMES = SLOTS * 0.8;

/**
 * Numbers by name, for some hundred thousand names in 6 MB that never move: a map of texts takes many times that, and stops everything while it
 * grows. Names are known by 53 bits of their hash alone: two of 150,000 are taken for one another in about one list of a million.
 */
export class NameTable {
  readonly #hashes = new Float64Array(SLOTS);
  readonly #values = new Uint32Array(SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(name: string): number | undefined {
    const slot = this.#slot(hashOf(name));
    return this.#hashes[slot] === 0 ? undefined : this.#values[slot];
  }

  /** Throws when the table is full. */
  set(name: string, value: number): void {
    const hash = hashOf(name);
    const slot = this.#slot(hash);
    if (this.#hashes[slot] === 0) {
      if (this.#size >= MOST_NAMES) throw new Error('it is too long');
      this.#size += 1;
    }
    this.#hashes[slot] = hash;
    this.#values[slot] = value;
  }

  /** Where a hash is, or would be. */
  #slot(hash: number): number {
    let slot = hash % SLOTS;
    while (this.#hashes[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) % SLOTS;
    return slot;
  }
}

/** From 1 to 2^53 - 1: FNV-1a, and beside it a second sum with another factor that takes in the first. */
function hashOf(name: string): number {
  let first = 0x811c9dc5;
  let second = 0;
  for (let at = 0; at < name.length; at += 1) {
    first = Math.imul(first ^ name.charCodeAt(at), 0x01000193);
    second = Math.imul(second ^ (first >>> 11) ^ first, 0x2c1b3c6d);
  }
  second ^= second >>> 15;
  return (second >>> 11) * 2 ** 32 + (first >>> 0) || 1;
}

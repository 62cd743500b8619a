/** An event as it stands on the wire. */
export interface Told {
  id: number;
  frame: string;
}

/** The newest events, without gaps, so that whoever follows them needs no database. */
export class Ring {
  readonly #most: number;
  #told: Told[] = [];
  /** Every event after this number, up to the newest here, is in the ring. */
  #floor: number;

  constructor(floor: number, most: number) {
    this.#floor = floor;
    this.#most = most;
  }

  /** The number of the newest event; the floor where there is none. */
  get head(): number {
    return this.#told.at(-1)?.id ?? this.#floor;
  }

  /** Adds events that follow the head, oldest first. */
  add(told: readonly Told[]): void {
    this.#told.push(...told);
    // Twice the size, so that the list is copied seldom.
    if (this.#told.length <= 2 * this.#most) return;
    const gone = this.#told.length - this.#most;
    this.#floor = this.#told[gone - 1]?.id ?? this.#floor;
    this.#told = this.#told.slice(gone);
  }

  /** Up to `most` events after a number; null where some of them are not here any more. */
  after(id: number, most: number): readonly Told[] | null {
    if (id < this.#floor) return null;
    let [low, high] = [0, this.#told.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#told[middle]?.id ?? id) <= id) low = middle + 1;
      else high = middle;
    }
    return this.#told.slice(low, low + most);
  }
}

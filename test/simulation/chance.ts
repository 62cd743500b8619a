import { type Random, seededRandom } from '../../server/clock.ts';

/** Seeded chance in the words of a simulation. */
export class Chance {
  readonly random: Random;

  constructor(seed: number) {
    this.random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ (seed >>> 3));
  }

  /** True with probability `share`. */
  hit(share: number): boolean {
    return this.random.next() < share;
  }

  /** A whole number from least to most, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.random.next() * (most - least + 1));
  }

  /** Milliseconds from least to most, the short ones far more often. */
  ms(least: number, most: number): number {
    return least + Math.floor(this.random.next() ** 3 * (most - least));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.random.next() * items.length)];
    if (item === undefined) throw new Error('Nothing to pick from');
    return item;
  }

  /** One of the names, as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][];
    let left = this.random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    throw new Error('No weight');
  }
}

import { Judge } from './judge/judge.ts';
import { Outside } from './outside.ts';

/** A day's world: everything outside the gateway, and who judges what the gateway makes of it. */
export class World extends Outside {
  readonly judge: Judge;

  constructor(seed: number, showsTags?: boolean) {
    super(seed, showsTags);
    this.judge = new Judge(this);
  }
}

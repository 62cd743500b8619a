import type { Listed } from './types.ts';

/** So many made-up instruments, the same for the same seed. */
export function* generatedInstruments(_count: number, _seed: number): Generator<Listed> {}

import { z } from 'zod';

/** The contracts on one underlying with one expiry on one exchange, and how many they are: what a search looks through first. */
export const Chain = z.tuple([z.string(), z.string(), z.string(), z.int()]);
/** `[exchange, underlying, expiry, contracts]`. */
export type Chain = z.infer<typeof Chain>;

/** Contracts that are over on `today` (`YYYY-MM-DD`): the file of the day lacks them rightly. */
export function expiredRows(chains: readonly Chain[], today: string): number {
  return chains.reduce((sum, [, , expiry, contracts]) => (expiry < today ? sum + contracts : sum), 0);
}

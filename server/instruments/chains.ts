import { z } from 'zod';

/**
 * The contracts on one underlying with one expiry on one exchange, how many they are, and what their strikes lie between: what a search looks
 * through first. A load of an earlier version has no strikes.
 */
export const Chain = z.tuple([z.string(), z.string(), z.string(), z.int(), z.string().optional(), z.string().optional()]);
/** `[exchange, underlying, expiry, contracts, lowest strike, highest strike]`, strikes in rupees, both -1 where there are no options. */
export type Chain = z.infer<typeof Chain>;

/** The chain with one more contract. */
export function withContract(chain: Chain, strike: string | null): Chain {
  const [exchange, underlying, expiry, contracts, lowest = '-1', highest = '-1'] = chain;
  const below = strike !== null && (lowest === '-1' || Number(strike) < Number(lowest));
  const above = strike !== null && Number(strike) > Number(highest);
  return [exchange, underlying, expiry, contracts + 1, below ? strike : lowest, above ? strike : highest];
}

/** Contracts that are over on `today` (`YYYY-MM-DD`): the file of the day lacks them rightly. */
export function expiredRows(chains: readonly Chain[], today: string): number {
  return chains.reduce((sum, [, , expiry, contracts]) => (expiry < today ? sum + contracts : sum), 0);
}

import { type BrokerId, brokerIds } from '../../contract/words.ts';

/** `npm run proofs`: everything on all ten brokers. */
export const everything = process.env.PROOFS === 'all';

/** Brokers the long proofs run on: with `npm test` three that differ in budget, tag and protocol. */
export const proven: readonly BrokerId[] = everything ? brokerIds : ['angelone', 'kotak', 'zerodha'];

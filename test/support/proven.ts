import { type BrokerId, brokerIds } from '../../contract/words.ts';

/** `npm run proofs`: everything on all ten brokers. */
export const everything = process.env.PROOFS === 'all';

/** How many trials of one kind: `few` with `npm test`, `all` with `npm run proofs`. */
export const trialsOf = (few: number, all: number) => (everything ? all : few);

/** Brokers the long proofs run on: with `npm test` three that differ in budget, tag and protocol. */
export const proven: readonly BrokerId[] = everything ? brokerIds : ['angelone', 'kotak', 'zerodha'];

/** Where nothing but the gateway's own code differs from case to case: with `npm test` one that shows our tag on a changed order, and one that does not. */
export const pair: readonly BrokerId[] = everything ? brokerIds : ['kotak', 'zerodha'];

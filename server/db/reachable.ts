import type { Address } from './address.ts';

/** A database as a worker can be told of it: a DATABASE_URL, or where the embedded one listens. */
export type Reachable = string | Address;

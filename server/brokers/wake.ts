/** Why it is time to read the broker, or our records, now instead of at the next moment. */
export type Reason =
  /** A session came up. */
  | 'session'
  /** The broker says that an order changed. */
  | 'news'
  /** We changed an order at the broker, or may have. */
  | 'change'
  /** The broker's order updates flow again; what they missed is to be read. */
  | 'live'
  /** They do not flow any more. */
  | 'quiet'
  /** Our records may hold other positions and open orders than before. */
  | 'records';

/** Tells everyone who reads or follows them; each knows which reasons are its own. `orderId` goes with news, null where the broker does not say which. */
export type Wake = (reason: Reason, orderId?: string | null) => void;

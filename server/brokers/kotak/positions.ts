import type { Clock } from '../../clock.ts';
import type { HoldingRow, Listing, PositionRow } from '../broker.ts';
import type { Answer } from '../dialect.ts';
import { pairs } from '../listing.ts';
import { isUnknownPath } from './answers.ts';
import type { Api } from './api.ts';
import { hasCarriedShares, withHolding } from './position-row.ts';

/** Where positions lie since Kotak's client 3.0.9, and where they lay before. */
const NEW_PATH = '/portfolio/v2/positions';
const OLD_PATH = '/quick/user/positions';

/** What was carried does not change its cost in a day, and what may be sold is read again by whoever sells. */
const HOLDINGS_FRESH_MS = 60_000;

/** Asks where this login has its positions. An answer that never came says nothing about that. */
export function positionReport(api: Api): () => Promise<Answer> {
  let oldFor: unknown = null;
  return async () => {
    const login = api.login();
    if (oldFor !== login) {
      const answer = await api.get(NEW_PATH);
      if (!isUnknownPath(answer)) return answer;
    }
    const answer = await api.get(OLD_PATH);
    if (answer.success || answer.empty) oldFor = login;
    else if (isUnknownPath(answer)) oldFor = null;
    return answer;
  };
}

export type Rows<Row> = Extract<Listing<Row>, { success: true }>;

export interface Held {
  /** Positions with what the holdings tell of carried shares: their cost, and that they are not to be counted twice. */
  within(list: Rows<PositionRow>): Promise<Rows<PositionRow>>;
  heard(list: Listing<HoldingRow>): void;
}

/** The holdings as positions need them; `read` is asked where shares were carried and nobody has read the holdings lately. */
export function createHeld(clock: Clock, read: () => Promise<Listing<HoldingRow>>): Held {
  let held: { at: number; rows: readonly HoldingRow[] } | null = null;

  function heard(list: Listing<HoldingRow>): void {
    if (list.success) held = { at: clock.mono(), rows: list.normalized };
  }

  return {
    heard,
    async within(list) {
      const rows = pairs(list);
      if (!rows.some(({ raw }) => hasCarriedShares(raw))) return list;
      if (!held || clock.mono() - held.at > HOLDINGS_FRESH_MS) heard(await read());
      const holdingOf = (row: PositionRow) => held?.rows.find((one) => isSame(one, row));
      return { ...list, normalized: rows.map(({ raw, row }) => withHolding(raw, holdingOf) ?? row) };
    },
  };
}

function isSame(one: HoldingRow, { exchange, token, symbol }: PositionRow): boolean {
  if (one.exchange !== exchange) return false;
  return one.token !== null && token !== null ? one.token === token : one.symbol === symbol;
}

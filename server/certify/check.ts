import type { BrokerTraits, HoldingRow, Listing, OrderRow, PositionRow, TradeRow } from '../brokers/broker.ts';
import { pairs } from '../brokers/listing.ts';
import { notTold, type Said } from './findings.ts';
import type { Round } from './reads.ts';

/** The rows of one round in our words. Those that cannot be read are missing, and a list that was not read is empty: `check` sees to both. */
export interface Lists {
  orders: OrderRow[];
  trades: TradeRow[];
  holdings: HoldingRow[];
  positions: { raw: unknown; row: PositionRow }[];
  funds: unknown;
}
type ListName = 'orders' | 'trades' | 'holdings' | 'positions' | 'funds';

/** What else the checks go by. */
export interface Facts {
  traits: BrokerTraits;
  /** Epoch ms. */
  now: number;
  /** Status words that the adapter's table lacks. */
  unknownWords: readonly string[];
}

/** One rule that the rows of a round keep, by themselves or with each other. */
export interface Check {
  name: string;
  needs: readonly ListName[];
  run(lists: Lists, facts: Facts): Said;
}

const called: Readonly<Record<ListName, string>> = {
  orders: 'the order book',
  trades: 'the trade book',
  holdings: 'the holdings',
  positions: 'the positions',
  funds: 'the funds',
};

const rank = { ok: 0, failed: 1, 'not told': 2 } as const;

/** The best of all rounds: a fill between two reads may make one round disagree, not three. */
export function bestOf(check: Check, rounds: readonly Round[], facts: Facts): Said {
  const told = rounds.map((round) => inRound(check, round, facts));
  return told.toSorted((a, b) => rank[a.result] - rank[b.result])[0] ?? notTold('nothing was read');
}

function inRound({ needs, run }: Check, round: Round, facts: Facts): Said {
  const missing = needs.find((name) => !round[name]?.success);
  if (missing) return notTold(`${called[missing]} could not be read`);
  const lists = {
    orders: rowsOf(round.orders),
    trades: round.trades ? rowsOf(round.trades) : [],
    holdings: rowsOf(round.holdings),
    positions: round.positions.success ? pairs(round.positions) : [],
    funds: round.funds.success ? round.funds.data : undefined,
  };
  const said = run(lists, facts);
  const torn = needs.find((name) => isTorn(round[name]));
  // The missing row may be the one that makes two lists agree.
  if (said.result === 'failed' && needs.length > 1 && torn) return notTold(`rows of ${called[torn]} cannot be read`);
  return said;
}

function rowsOf<Row>(list: Listing<Row>): Row[] {
  return list.success ? list.normalized : [];
}

function isTorn(list: Round[ListName]): boolean {
  return list?.success === true && 'unreadable' in list && (list.unreadable?.length ?? 0) > 0;
}

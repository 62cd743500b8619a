/** How long a broker's positions may show a state from before our own last fill, where its traits say nothing else. */
export const LAG_MS = 5000;
/** No read takes longer, so older fills explain nothing. */
const KEPT_MS = 60_000;
const NONE: Sides = { bought: 0, sold: 0 };

/** Net quantities, long positive: the worse end for sellers, and for buyers. `low` may lie above `high` where an order of ours may have filled. */
export interface Range {
  low: number;
  high: number;
}

/** Quantities by side. */
export interface Sides {
  bought: number;
  sold: number;
}

interface SeenFill extends Sides {
  /** Monotonic ms. */
  at: number;
}

/** Our orders that may still fill when a read is heard: what those of unknown fate or fill and what those at rest may have filled unseen, and their names. */
export interface Open {
  unknown: Sides;
  resting: Sides;
  names: ReadonlySet<string>;
}

/** What a read is held against: when it was heard, our fills that it may lack, those seen while it ran, and our open orders. */
interface Evidence {
  at: number;
  beganAt: number;
  /** What happened since this instant the read may lack. */
  youngSince: number;
  young: Sides;
  during: Sides;
  open: Open;
  /** Nothing but our records was known before it. */
  fromRecords: boolean;
  /** The same, also where they hold nothing. */
  first: boolean;
}

/**
 * What the net quantity of one product of one instrument must be: the newest read of the broker's positions, and our own fills since. A range, because
 * a read made while orders of ours were under way may or may not hold their fills already. `low` is what sellers go by, before what our unknown SELL
 * orders may still take; `high` what buyers go by, before what our unknown BUY orders may still add.
 */
export class Belief {
  readonly #lagMs: number;
  readonly #least: Least;
  /** With buying and selling exchanged, and so the sign. */
  readonly #most: Least;
  /** In the order they were seen. */
  readonly #fills: SeenFill[] = [];
  /** Our records of an earlier process are all that is known. */
  #fromRecords: boolean;
  #first: boolean;

  /** `recorded`: the net of our own records, 0 where there are none. `first`: no positions were read yet that tell of it. */
  constructor(recorded: number, lagMs: number, first = recorded !== 0) {
    this.#least = new Least(recorded);
    this.#most = new Least(-recorded);
    this.#fromRecords = recorded !== 0;
    this.#first = first;
    this.#lagMs = lagMs;
  }

  get range(): Range {
    return { low: this.#least.net, high: -this.#most.net };
  }

  /**
   * The most of what others filled on a side that the better end for it may still lack. `since`: what was heard of since an instant (monotonic ms).
   * A read without doubt holds all that happened longer before it than positions lag; what reads moved since then others did.
   */
  lacks(side: string, since: (instant: number) => number): number {
    const { sure, moved } = side === 'SELL' ? this.#least : this.#most;
    return Math.max(0, Math.min(...sure.map((one) => since(one.at - this.#lagMs) + moved - one.moved)));
  }

  /** Takes in a fill of one of our orders, by its name, seen at `at` (monotonic ms). */
  filled(name: string, side: string, quantity: number, at: number): void {
    const fill = sidesOf(side, quantity);
    this.#least.filled(name, fill);
    this.#most.filled(name, exchanged(fill));
    const kept = this.#fills.findIndex((one) => one.at > at - KEPT_MS);
    this.#fills.splice(0, kept < 0 ? this.#fills.length : kept);
    this.#fills.push({ ...fill, at });
  }

  /** Remembers a fill that the range holds already and positions may not show yet: after a restart. */
  remember(side: string, quantity: number, at: number): void {
    this.#fills.push({ ...sidesOf(side, quantity), at });
    this.#fills.sort((one, other) => one.at - other.at);
    this.#fromRecords = true;
  }

  /** Takes in what the broker's positions show in a read begun at `beganAt` and heard at `at` (monotonic ms). */
  read(net: number, { beganAt, at }: { beganAt: number; at: number }, open: Open): void {
    const youngSince = beganAt - this.#lagMs;
    const evidence = {
      at,
      beganAt,
      youngSince,
      young: this.#since(youngSince),
      during: this.#since(beganAt),
      open,
      fromRecords: this.#fromRecords,
      first: this.#first,
    };
    this.#least.read(net, evidence);
    this.#most.read(-net, mirrored(evidence));
    this.#fromRecords = this.#first = false;
  }

  #since(at: number): Sides {
    let [bought, sold] = [0, 0];
    // From the newest on: there may be many of a minute, and it is asked for seconds.
    for (let index = this.#fills.length - 1; index >= 0; index -= 1) {
      const one = this.#fills[index];
      if (!one || one.at <= at) break;
      bought += one.bought;
      sold += one.sold;
    }
    return { bought, sold };
  }
}

/** The least a net can be, before unknown SELL orders. */
class Least {
  net: number;
  /** How far reads have moved the net that our own orders do not explain. */
  moved = 0;
  /** When reads began that left no doubt, and how far the net had been moved by then; before the first one stands for all that was. */
  sure: { at: number; moved: number }[] = [{ at: Number.NEGATIVE_INFINITY, moved: 0 }];
  /** Names of orders that were open when the read was made that `net` began with: it may hold what they bought. */
  #inside: ReadonlySet<string> = new Set();
  /** Where a read that may lack young fills moved it: a later read may lack more of them. */
  #moves: { by: number; at: number }[] = [];
  /** What our own fills alone make of the net of before those moves: once an order's fill is seen whole, no doubt of its parts is left. */
  #byFills: number;
  /** Names of orders that were open when that net was read. */
  #insideBefore: ReadonlySet<string> = new Set();

  constructor(net: number) {
    this.net = net;
    this.#byFills = net;
  }

  filled(name: string, { bought, sold }: Sides): void {
    this.#byFills += (this.#insideBefore.has(name) ? 0 : bought) - sold;
    this.net = Math.max(this.#byFills, this.net + (this.#inside.has(name) ? 0 : bought) - sold);
  }

  /**
   * A read that young fills and unknown SELL orders explain changes nothing: the net believed before them still holds. Any other shows something
   * newer, and is where the next fills are counted from. It may lack young fills where our other orders explain it, or where nothing was read before.
   */
  read(net: number, { at, beganAt, youngSince, young, during, open: { unknown, resting, names }, fromRecords, first }: Evidence): void {
    this.#moves = this.#moves.filter((move) => move.at > youngSince);
    // Records know nothing of what others hold in the account: they are no read that young fills could be missing in.
    const late = fromRecords ? NONE : young;
    const [up, down] = [sumOf(this.#moves.map(({ by }) => by)), sumOf(this.#moves.map(({ by }) => -by))];
    const [lowest, highest] = [this.net - late.bought - up - unknown.sold, this.net + late.sold + down];
    if (net >= lowest && net <= highest) {
      // Anything between would have been taken for ours: it says nothing of what others did.
      if (lowest === highest) this.#isSure(beganAt);
      // Beside what records know it may hold what an order at rest filled long ago, and what others did.
      if (first && resting.bought > 0) this.#inside = this.#insideBefore = names;
      return;
    }
    const ours = net >= lowest - resting.sold && net <= highest + unknown.bought + resting.bought;
    const lacking = ours || fromRecords;
    const newer = net - (lacking ? young : during).sold;
    if (lacking) this.#moves.push({ by: newer - this.net, at });
    this.#byFills = ours ? Math.min(this.#byFills, newer) : newer;
    if (!ours) {
      this.moved += newer - this.net;
      this.#isSure(beganAt);
      this.#insideBefore = names;
    }
    this.net = newer;
    this.#inside = names;
  }

  /** The first such read tells what others did before us, too: nothing that is heard of later is in that. */
  #isSure(at: number): void {
    const before = this.sure.filter((one) => one.at > Number.NEGATIVE_INFINITY);
    const old = before.findLastIndex((one) => one.at < at - KEPT_MS);
    this.sure = [...before.slice(Math.max(0, old)), { at, moved: this.moved }];
  }
}

/** Of those above zero. */
function sumOf(quantities: readonly number[]): number {
  return quantities.reduce((sum, quantity) => sum + Math.max(0, quantity), 0);
}

function sidesOf(side: string, quantity: number): Sides {
  return side === 'SELL' ? { bought: 0, sold: quantity } : { bought: quantity, sold: 0 };
}

function exchanged({ bought, sold }: Sides): Sides {
  return { bought: sold, sold: bought };
}

function mirrored(evidence: Evidence): Evidence {
  const { unknown, resting, names } = evidence.open;
  const open = { unknown: exchanged(unknown), resting: exchanged(resting), names };
  return { ...evidence, young: exchanged(evidence.young), during: exchanged(evidence.during), open };
}

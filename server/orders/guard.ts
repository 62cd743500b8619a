import type { BrokerOrder, PositionRow } from '../brokers/broker.ts';
import type { Clock } from '../clock.ts';
import type { Account } from './account.ts';
import type { Attempt, Journal } from './attempt.ts';
import { Expectation, LAG_MS, type Range, type SeenFills } from './expectation.ts';

export type Verdict =
  /** `reduces`: the order closes or reduces what is held. `net`: net quantity it was judged on. */
  { kind: 'pass'; reduces: boolean; net: number } | { kind: 'blocked'; message: string; unreadable: boolean };

type Where = Parameters<Journal['exposure']>[0];

const COUNTED = 1000;

/** The one-symbol-one-position rule. Call `judge` while holding the symbol's mutex. */
export class Guard {
  readonly #clock: Clock;
  readonly #journal: Journal;
  readonly #expectations = new Map<string, Expectation>();
  readonly #recent = new Map<string, SeenFills>();
  /** Filled quantity told so far, by tag, of the newest orders. */
  readonly #counted = new Map<string, number>();

  constructor(clock: Clock, journal: Journal) {
    this.#clock = clock;
    this.#journal = journal;
  }

  /** Remembers that `total` of our own order has filled, as seen `agoMs` ago. What was told before counts once. */
  filled(attempt: Where & Pick<Attempt, 'tag' | 'side' | 'filledQuantity'>, total: number, agoMs = 0): void {
    const added = total - Math.max(attempt.filledQuantity, this.#counted.get(attempt.tag) ?? 0);
    if (added <= 0) return;
    this.#count(attempt.tag, total);
    const name = symbolName(attempt.broker, attempt.account, attempt.exchange, attempt.symbol);
    const at = this.#clock.mono() - agoMs;
    const fills = attempt.side === 'SELL' ? { bought: 0, sold: added, at } : { bought: added, sold: 0, at };
    const known = this.#expectations.get(name);
    if (known) {
      known.filled(attempt.tag, fills);
      return;
    }
    const { bought, sold } = this.#recent.get(name) ?? { bought: 0, sold: 0 };
    this.#recent.set(name, { bought: bought + fills.bought, sold: sold + fills.sold, at });
  }

  #count(tag: string, total: number): void {
    this.#counted.set(tag, total);
    const [oldest] = this.#counted.keys();
    if (this.#counted.size > COUNTED && oldest !== undefined) this.#counted.delete(oldest);
  }

  /** Rebuilds the memory of fills that positions may not show yet, after a restart. */
  async remember(): Promise<void> {
    const now = this.#clock.now();
    const recent = await this.#journal.changedSince(now - 2 * LAG_MS);
    for (const attempt of recent.sort((a, b) => a.updatedAt - b.updatedAt))
      this.filled({ ...attempt, filledQuantity: 0 }, attempt.filledQuantity, now - attempt.updatedAt);
  }

  /** `seen`: open attempts in the symbol, where they were read while its mutex was held. */
  async judge(account: Account, order: BrokerOrder, seen: readonly Attempt[] | null = null): Promise<Verdict> {
    const where = { broker: account.broker.id, account: account.id, exchange: order.exchange, symbol: order.symbol };
    const beganAt = this.#clock.mono();
    const [open, read] = await Promise.all([seen ?? this.#journal.exposure(where), this.#readNet(account, order)]);
    const sameSide = open.find((attempt) => attempt.side === order.transactiontype && exposed(attempt));
    if (sameSide) return { kind: 'blocked', message: unresolvedMessage(order, sameSide), unreadable: false };
    const known = read ?? (await this.#journal.recordedNet(where));
    const { low, high } = this.#believed(where, known, open, beganAt);
    // Where the truth is a range, the end that blocks counts.
    const verdict = judgeNet(order, order.transactiontype === 'BUY' ? high : low);
    return read === null ? unread(order, verdict) : verdict;
  }

  async #readNet(account: Account, order: BrokerOrder): Promise<number | null> {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const positions = await account.positions.next().catch(() => null);
      if (positions?.success) return netQuantity(positions.normalized, order, account.broker.traits.tradesByToken);
    }
    return null;
  }

  #believed(where: Where, read: number, open: readonly Attempt[], beganAt: number): Range {
    const name = symbolName(where.broker, where.account, where.exchange, where.symbol);
    const known = this.#expectations.get(name);
    if (known?.explains(read, beganAt, open)) return known.now;
    // The read shows something newer than our own fills explain: that is where the next fills are counted from.
    const recent = this.#recent.get(name);
    this.#recent.delete(name);
    const young = recent !== undefined && beganAt - recent.at < LAG_MS;
    const expectation = new Expectation(read, new Set(open.map((attempt) => attempt.tag)), young ? recent : undefined);
    this.#expectations.set(name, expectation);
    return expectation.now;
  }
}

/** Positions that could not be read are never taken as flat: only our own records can let an order through, and only one that reduces. */
function unread(order: BrokerOrder, verdict: Verdict): Verdict {
  if (verdict.kind === 'blocked') return verdict;
  if (verdict.reduces && Number(order.quantity) <= Math.abs(verdict.net)) return verdict;
  const known = verdict.net === 0 ? 'none is recorded here' : `only ${Math.abs(verdict.net)} recorded here`;
  const message = `${order.symbol}: the broker's positions could not be read and ${known}, so the order was not sent. Try again in a few seconds.`;
  return { kind: 'blocked', message, unreadable: true };
}

/** Sum of the net quantities of all products of one instrument: its symbol, and its token where the broker goes by that. */
export function netQuantity(
  rows: readonly PositionRow[],
  { exchange, symbol, token }: Pick<BrokerOrder, 'exchange' | 'symbol' | 'token'>,
  byToken = false,
): number {
  const same = (row: PositionRow) => row.exchange === exchange && (row.symbol === symbol || (byToken && row.token === token));
  return rows.filter(same).reduce((net, row) => net + row.net_quantity, 0);
}

export function symbolName(broker: string, account: string, exchange: string, symbol: string): string {
  return JSON.stringify([broker, account, exchange, symbol]);
}

/** An open attempt may hold its full quantity unless its order is known to rest. */
function exposed(attempt: Attempt): boolean {
  return attempt.state !== 'ACCEPTED' || attempt.fillStatus === null || attempt.fillStatus === 'UNKNOWN';
}

/** Long blocks BUY, short blocks SELL; the opposite side passes at any quantity. */
function judgeNet(order: BrokerOrder, net: number): Verdict {
  const blocked = (net > 0 && order.transactiontype === 'BUY') || (net < 0 && order.transactiontype === 'SELL');
  if (!blocked) return { kind: 'pass', reduces: net !== 0, net };
  const [direction, opposite] = net > 0 ? ['LONG', 'SELL'] : ['SHORT', 'BUY'];
  const message = `${order.symbol}: an open ${direction} position of ${Math.abs(net)} exists on ${order.exchange}. One position per symbol: place a ${opposite} order to reduce or close it first.`;
  return { kind: 'blocked', message, unreadable: false };
}

function unresolvedMessage(order: BrokerOrder, attempt: Attempt): string {
  const [direction, opposite] = attempt.side === 'BUY' ? ['LONG', 'SELL'] : ['SHORT', 'BUY'];
  const which = attempt.orderId ? `order ${attempt.orderId}` : `the order with tag ${attempt.tag}`;
  return `${order.symbol}: ${which} (${attempt.side} ${attempt.quantity}) is not resolved yet and counts as an open ${direction} position. Wait for it, or place a ${opposite} order.`;
}

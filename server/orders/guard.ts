import type { BrokerOrder, PositionRow } from '../brokers/broker.ts';
import type { Clock } from '../clock.ts';
import type { Account } from './account.ts';
import type { Attempt, Journal } from './attempt.ts';

/** How long a broker's positions may show a state from before our own last fill. */
const LAG_MS = 5000;

export type Verdict =
  /** `reduces`: the order closes or reduces what is held. `net`: net quantity it was judged on, null when unread. */
  { kind: 'pass'; reduces: boolean; net: number | null } | { kind: 'blocked'; message: string; unreadable: boolean };

/** What we expect the net quantity of one symbol to be, from a read before our own sends and our fills since. */
interface Expectation {
  /** Earlier expected values the broker may still be showing. */
  earlier: number[];
  expected: number;
  lastFillAt: number;
}

/** The one-symbol-one-position rule. Call `judge` while holding the symbol's mutex. */
export class Guard {
  readonly #clock: Clock;
  readonly #journal: Journal;
  readonly #expectations = new Map<string, Expectation>();

  constructor(clock: Clock, journal: Journal) {
    this.#clock = clock;
    this.#journal = journal;
  }

  /** Remembers that `added` more of our own order filled, as seen at `at` (epoch ms). */
  filled(attempt: Pick<Attempt, 'broker' | 'account' | 'exchange' | 'symbol' | 'side' | 'netBefore'>, added: number, at: number): void {
    if (added <= 0 || attempt.netBefore === null) return;
    const name = symbolName(attempt.broker, attempt.account, attempt.exchange, attempt.symbol);
    const known = this.#expectations.get(name) ?? { earlier: [], expected: attempt.netBefore, lastFillAt: at };
    known.earlier.push(known.expected);
    known.expected += attempt.side === 'SELL' ? -added : added;
    known.lastFillAt = at;
    this.#expectations.set(name, known);
  }

  /** Rebuilds the memory of fills that positions may not show yet, after a restart. */
  async remember(): Promise<void> {
    const recent = await this.#journal.changedSince(this.#clock.now() - 2 * LAG_MS);
    for (const attempt of recent.sort((a, b) => a.updatedAt - b.updatedAt)) this.filled(attempt, attempt.filledQuantity, attempt.updatedAt);
  }

  async judge(account: Account, order: BrokerOrder): Promise<Verdict> {
    const where = { broker: account.broker.id, account: account.id, exchange: order.exchange, symbol: order.symbol };
    const [open, read] = await Promise.all([this.#journal.exposure(where), this.#readNet(account, order)]);
    const sameSide = open.find((attempt) => attempt.side === order.transactiontype && exposed(attempt));
    if (sameSide) return { kind: 'blocked', message: unresolvedMessage(order, sameSide), unreadable: false };
    if (read === null) return this.#judgeUnread(where, order);
    return judgeNet(order, this.#believed(where, read));
  }

  async #readNet(account: Account, order: BrokerOrder): Promise<number | null> {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const positions = await account.positions.next().catch(() => null);
      if (positions?.success) return netQuantity(positions.normalized, order.exchange, order.symbol);
    }
    return null;
  }

  /** Unreadable positions are never taken as flat: only our own records can let an order through. */
  async #judgeUnread(where: Parameters<Journal['recordedNet']>[0], order: BrokerOrder): Promise<Verdict> {
    const net = await this.#journal.recordedNet(where);
    const verdict = judgeNet(order, net);
    if (verdict.kind === 'blocked') return verdict;
    if (verdict.reduces && Number(order.quantity) <= Math.abs(net)) return { ...verdict, net: null };
    const known = net === 0 ? 'none is recorded here' : `only ${Math.abs(net)} recorded here`;
    const message = `${order.symbol}: the broker's positions could not be read and ${known}, so the order was not sent. Try again in a few seconds.`;
    return { kind: 'blocked', message, unreadable: true };
  }

  #believed(where: { broker: string; account: string; exchange: string; symbol: string }, read: number): number {
    const name = symbolName(where.broker, where.account, where.exchange, where.symbol);
    const known = this.#expectations.get(name);
    const fresh = known !== undefined && this.#clock.now() - known.lastFillAt < LAG_MS;
    if (fresh && (read === known.expected || known.earlier.includes(read))) return known.expected;
    // The broker shows something newer than our own fills explain: that is where the next fills are counted from.
    this.#expectations.set(name, { earlier: [], expected: read, lastFillAt: Number.NEGATIVE_INFINITY });
    return read;
  }
}

/** Sum of the net quantities of all products of one symbol. */
export function netQuantity(rows: readonly PositionRow[], exchange: string, symbol: string): number {
  return rows.filter((row) => row.exchange === exchange && row.symbol === symbol).reduce((net, row) => net + row.net_quantity, 0);
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

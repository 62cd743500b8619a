import { describe, expect, it } from 'vitest';
import type { BrokerOrder, Listing, PositionRow } from '../../server/brokers/broker.ts';
import type { Account } from '../../server/orders/account.ts';
import type { Attempt } from '../../server/orders/attempt.ts';
import { Guard } from '../../server/orders/guard.ts';
import { Limiter, ReadBudget } from '../../server/orders/limiter.ts';
import { MemoryJournal } from '../../server/orders/memory-journal.ts';
import { brokerOrder } from '../../server/orders/send.ts';
import { SharedRead } from '../../server/orders/shared-read.ts';
import { Chance } from '../simulation/chance.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { attempt, request } from './parts.ts';

const LAG_MS = 5000;

/** One symbol at a venue whose positions are read with a lag of up to 5 s, and the guard's view of it. */
class History {
  readonly clock = new VirtualClock();
  readonly journal = new MemoryJournal();
  readonly chance: Chance;
  readonly log: string[] = [];
  guard = new Guard(this.clock, this.journal);
  readable = true;
  #fills: { at: number; signed: number }[] = [];
  #orders = 0;

  constructor(seed: number) {
    this.chance = new Chance(seed);
  }

  readonly account = this.#account();

  net(at: number): number {
    return this.#fills.filter((fill) => fill.at <= at).reduce((net, fill) => net + fill.signed, 0);
  }

  #account(): Account {
    const budget = new ReadBudget(this.clock, []);
    const positions = new SharedRead(() => this.#positions(), budget);
    const broker = { id: 'zerodha', traits: {} } as unknown as Account['broker'];
    const orderBook = new SharedRead<never>(() => Promise.reject(new Error('not read here')), budget);
    return { broker, id: 'AB1234', positions, orderBook, reads: budget, limiter: new Limiter(this.clock, []) };
  }

  async #positions(): Promise<Listing<PositionRow>> {
    const shownAt = this.clock.now() - (this.chance.hit(0.4) ? 0 : this.chance.whole(0, LAG_MS - 1));
    await this.clock.sleep(this.chance.ms(1, 3000));
    if (!this.readable) return { success: false, message: 'HTTP 503' };
    const money = { average_price: null, last_price: null, realized_pnl: null, unrealized_pnl: null, multiplier: 1 };
    const row = { symbol: 'SBIN', token: null, exchange: 'NSE', product_type: 'INTRADAY', net_quantity: this.net(shownAt), ...money };
    this.log.push(`${this.clock.now()} read ${row.net_quantity}`);
    return { success: true, data: [], normalized: [row] };
  }

  /** Judges an order as the desk does and, when it passes, sends it; false when it was blocked. */
  async order(side: string, quantity: number): Promise<boolean> {
    const order: BrokerOrder = brokerOrder(request({ transaction_type: side, quantity }));
    const verdict = await this.guard.judge(this.account, order);
    const held = this.net(this.clock.now());
    this.log.push(`${this.clock.now()} ${side} ${quantity}: ${verdict.kind}, ${held} held`);
    if (verdict.kind === 'blocked') return false;
    if ((side === 'BUY' && held > 0) || (side === 'SELL' && held < 0))
      throw new Error(`${side} passed while ${held} are held\n${this.log.join('\n')}`);
    this.#orders += 1;
    const claimed = attempt({ key: `k:${this.#orders}`, tag: `t${this.#orders}`, side, quantity, startedAt: this.clock.now() });
    await this.journal.claim(claimed, this.clock.now());
    const sent = await this.journal.move(claimed, 'SENDING', { netBefore: verdict.net }, { kind: 'order.sending' }, this.clock.now());
    void this.#follow(sent, this.#fill(side, quantity));
    return true;
  }

  /** Fills in parts, some of it perhaps never. Epoch ms of the last part. */
  #fill(side: string, quantity: number): { until: number; filled: number } {
    const { chance } = this;
    let left = chance.hit(0.8) ? quantity : chance.whole(0, quantity);
    let at = this.clock.now();
    let filled = 0;
    while (left > 0) {
      const part = chance.whole(1, left);
      at += chance.ms(0, 6000);
      this.#fills.push({ at, signed: side === 'BUY' ? part : -part });
      filled += part;
      left -= part;
    }
    return { until: at, filled };
  }

  /** The pursuit: learns the whole fill some time after it, at times a part of it before. */
  async #follow(sent: Attempt, { until, filled }: { until: number; filled: number }): Promise<void> {
    const { chance, clock, journal } = this;
    let current = await journal.move(sent, 'ACCEPTED', { orderId: `o${sent.key}` }, { kind: 'order.accepted' }, clock.now());
    await clock.sleep(until - clock.now() + chance.ms(0, 10_000));
    const status = filled === sent.quantity ? 'FILLED' : filled > 0 ? 'PARTIALLY_FILLED' : 'REJECTED';
    this.guard.filled(current, filled);
    // Told twice, it counts once.
    this.guard.filled(current, filled);
    const truth = { orderId: current.orderId, status: 'FILLED' as const, filledQuantity: filled, averagePrice: 100 };
    const change = { fillStatus: status, filledQuantity: filled } as const;
    current = await journal.move(current, 'DONE', change, { kind: 'order.done' }, clock.now(), truth);
    this.log.push(`${clock.now()} told of ${filled} of ${sent.key}`);
  }

  async restart(): Promise<void> {
    this.log.push(`${this.clock.now()} restart`);
    this.guard = new Guard(this.clock, this.journal);
    await this.guard.remember();
  }
}

async function play(seed: number): Promise<number> {
  const history = new History(seed);
  const { chance, clock } = history;
  let passed = 0;
  async function run(): Promise<void> {
    for (let count = chance.whole(4, 14); count > 0; count -= 1) {
      await clock.sleep(chance.ms(0, 7000));
      if (chance.hit(0.06)) await history.restart();
      if (chance.hit(0.1)) history.readable = !history.readable;
      if (await history.order(chance.pick(['BUY', 'SELL']), chance.whole(1, 9))) passed += 1;
    }
  }
  await clock.settle(run());
  return passed;
}

describe('positions that lag by up to 5 s', () => {
  it('never let a second entry or a flip through, in 10,000 histories', { timeout: 60_000 }, async () => {
    let passed = 0;
    for (let seed = 1; seed <= 10_000; seed += 1) {
      passed += await play(seed).catch((error: Error) => {
        throw new Error(`seed ${seed}: ${error.message}`);
      });
    }
    // The guard lets traders trade: it does not pass by blocking everything.
    expect(passed).toBeGreaterThan(20_000);
  });
});

describe('one symbol', () => {
  it('sums up all its products, of its exchange alone', async () => {
    const { netQuantity } = await import('../../server/orders/guard.ts');
    const row = (exchange: string, symbol: string, net_quantity: number) => ({ exchange, symbol, net_quantity }) as PositionRow;
    const rows = [row('NSE', 'SBIN', 10), row('NSE', 'SBIN', -4), row('BSE', 'SBIN', 7), row('NSE', 'INFY', 5)];
    expect(netQuantity(rows, { exchange: 'NSE', symbol: 'SBIN', token: '3045' })).toBe(6);
  });
  it('trusts our own records to let an exit out while positions cannot be read, up to what they hold, and nothing in', async () => {
    const history = new History(1);
    const { clock } = history;
    await clock.settle(history.order('BUY', 5));
    await clock.pass(60_000);
    history.readable = false;
    const held = history.net(clock.now());
    expect(held).toBeGreaterThan(0);
    const judge = (side: string, quantity: number) =>
      clock.settle(history.guard.judge(history.account, brokerOrder(request({ transaction_type: side, quantity }))));
    expect(await judge('BUY', 1)).toMatchObject({ kind: 'blocked' });
    expect(await judge('SELL', held + 1)).toMatchObject({ kind: 'blocked', unreadable: true });
    expect(await judge('SELL', held)).toMatchObject({ kind: 'pass', reduces: true });
  });
  it('is not flipped by a second exit on a positions read that still shows what the first one closed', async () => {
    const history = new History(2);
    const { clock, guard, account, journal } = history;
    const where = { broker: 'zerodha', account: 'AB1234', exchange: 'NSE', symbol: 'SBIN' };
    const bought = attempt({ key: 'k:in', side: 'BUY' });
    await journal.claim(bought, clock.now());
    const truth = { orderId: 'o1', status: 'FILLED' as const, filledQuantity: 10, averagePrice: 100 };
    await journal.move(bought, 'DONE', { orderId: 'o1', filledQuantity: 10 }, { kind: 'order.done' }, clock.now(), truth);
    history.readable = false;
    const exit = brokerOrder(request({ transaction_type: 'SELL', quantity: 10 }));
    expect(await clock.settle(guard.judge(account, exit))).toMatchObject({ kind: 'pass', reduces: true });
    guard.filled({ ...where, tag: 'out', side: 'SELL', filledQuantity: 0 }, 10);
    // The broker shows the 10 for another moment: the order is an entry now, and no longer passes as an exit.
    history.readable = true;
    history.net = () => 10;
    expect(await clock.settle(guard.judge(account, exit))).toMatchObject({ kind: 'pass', reduces: false, net: 0 });
  });
});

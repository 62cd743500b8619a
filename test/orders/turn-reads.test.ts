import { describe, expect, it } from 'vitest';
import { Core } from './core.ts';
import { orderRow, restingRecord } from './parts.ts';
import { forever, stalled } from './stalled.ts';

const busy = { success: false, message: 'Another order in SBIN is still being placed' };

/** Who asks for positions and for what is held, as they ask. */
function readers(core: Core): string[] {
  const asked: string[] = [];
  for (const list of ['positions', 'holdings'] as const) {
    const shared = core.account[list];
    const next = shared.next.bind(shared);
    Object.assign(shared, {
      next: (rank: 'orders' | 'exits') => {
        asked.push(`${list} for ${rank}`);
        return next(rank);
      },
    });
  }
  return asked;
}

describe('the turn of an instrument', () => {
  it('is not for one that left it to reduce and by newer positions does not: that one waits again, and leaves no more', async () => {
    const core = await stalled(0);
    const asked = core.ask({ transaction_type: 'SELL' });
    await core.clock.pass(3000);
    const { readPositions } = core.broker;
    let reads = 0;
    core.broker.readPositions = () => {
      reads += 1;
      core.broker.net = reads % 2 === 1 ? 10 : 0;
      return readPositions();
    };
    // The first read lets it leave, the second is its own, the third would let it leave again.
    await core.clock.settle(core.account.positions.next('books'));
    await core.clock.pass(100);
    await core.clock.settle(core.account.positions.next('books'));
    expect(reads).toBe(3);
    expect((await core.clock.settle(asked)).body).toEqual(busy);
    expect(core.broker.sends).toHaveLength(1);
  });
  it('is waited for where newer positions say that nothing is left to reduce', async () => {
    const core = await stalled(10);
    core.broker.net = 0;
    expect((await core.place({ transaction_type: 'SELL' })).body).toEqual(busy);
    expect(core.broker.sends).toHaveLength(1);
  });
  it('counts as an exit once it was left', async () => {
    const core = await stalled(0);
    const asked = readers(core);
    void core.ask({ transaction_type: 'SELL' });
    await core.clock.pass(100);
    core.broker.net = 10;
    await core.clock.settle(core.account.positions.next('orders'));
    await core.clock.pass(100);
    expect(asked).toEqual(['positions for orders', 'positions for exits']);
  });
  it('and the reads of positions are timed', async () => {
    const core = await stalled(0);
    const { readPositions } = core.broker;
    core.broker.readPositions = async () => {
      await core.clock.sleep(700);
      return await readPositions();
    };
    core.steps.length = 0;
    await core.place({ transaction_type: 'SELL' });
    await core.place({ symbol: 'INFY', idempotency_key: 'two' });
    expect(core.steps.filter(([step]) => step === 'turn' || step === 'positions')).toEqual([
      ['turn', 10_000],
      ['turn', 0],
      ['positions', 700],
    ]);
  });
});

describe('what is read for an order', () => {
  it.each([
    [{ transaction_type: 'BUY', product_type: 'INTRADAY' }, ['positions for orders']],
    [{ transaction_type: 'SELL', product_type: 'INTRADAY' }, ['positions for orders']],
    [{ transaction_type: 'BUY', product_type: 'DELIVERY' }, ['positions for orders']],
    // Whether it is an entry is known once what is held was read.
    [
      { transaction_type: 'SELL', product_type: 'DELIVERY' },
      ['holdings for exits', 'positions for exits', 'holdings for orders', 'positions for orders'],
    ],
  ] as const)('%o', async (order, reads) => {
    const core = new Core();
    const asked = readers(core);
    expect((await core.place(order)).body.success).toBe(true);
    expect(asked).toEqual(reads);
  });
  it('is for an exit where its own records say so', async () => {
    const core = await stalled(10);
    const asked = readers(core);
    expect((await core.place({ transaction_type: 'SELL' })).body.success).toBe(true);
    expect(asked).toEqual(['positions for exits']);
  });
});

describe('the order book before reduce_only is refused', () => {
  const ask = { transaction_type: 'SELL', reduce_only: true } as const;
  /** Ten are long, ten rest to be sold, and the order book hangs from now on. */
  async function hanging(): Promise<Core> {
    const core = new Core();
    core.broker.net = 10;
    core.journal.openRecords = async () => ({ orders: [restingRecord()], positions: [] });
    await core.clock.settle(core.orders.recover());
    core.broker.book = [orderRow({ order_id: '77', tag: null, transaction_type: 'SELL' })];
    await core.clock.settle(core.account.positions.next('orders'));
    core.broker.readBook = forever;
    core.broker.reads = 0;
    return core;
  }
  it.each([
    [0, 2000],
    [1500, 2000],
    [1900, 2200],
  ])('has what positions of %d ms left of two seconds, and 300 ms at least: %d ms', async (took, over) => {
    const core = await hanging();
    const { readPositions } = core.broker;
    core.broker.readPositions = async () => {
      await core.clock.sleep(took);
      return await readPositions();
    };
    const began = core.clock.mono();
    expect((await core.place(ask)).body).toMatchObject({ status: 'BLOCKED' });
    expect([core.clock.mono() - began, core.broker.reads]).toEqual([over, 1]);
  });
  it('is read for what the kill switch lets through alike, and for nothing else', async () => {
    const core = await hanging();
    core.killSwitch.on = true;
    expect((await core.place({ transaction_type: 'SELL' })).body).toMatchObject({ success: false });
    expect(core.broker.reads).toBe(1);
    const other = await hanging();
    void other.ask({ transaction_type: 'SELL' });
    await other.clock.pass(0);
    expect([other.broker.sends.length, other.broker.reads]).toEqual([1, 1]);
  });
  it('is not read where nothing rests', async () => {
    const core = new Core();
    expect((await core.place(ask)).body).toMatchObject({ status: 'BLOCKED' });
    expect(core.broker.reads).toBe(0);
  });
});

import { expect, it } from 'vitest';
import type { OrderRow } from '../../contract/rows.ts';
import { systemRandom } from '../../server/clock.ts';
import { silentLog } from '../../server/log.ts';
import type { Account } from '../../server/orders/account.ts';
import { Guard } from '../../server/orders/guard.ts';
import { Limiter, ReadBudget } from '../../server/orders/limiter.ts';
import { MemoryJournal } from '../../server/orders/memory-journal.ts';
import { Pursuit } from '../../server/orders/pursuit.ts';
import { Settler } from '../../server/orders/settle.ts';
import { SharedRead } from '../../server/orders/shared-read.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { attempt, orderRow } from './parts.ts';

/** Follows an order that was answered UNKNOWN; `row` is what the order book shows so many ms later. */
async function followed(row: (ms: number) => OrderRow) {
  const clock = new VirtualClock();
  const journal = new MemoryJournal();
  const claimed = attempt({ startedAt: clock.now() });
  await journal.claim(claimed, clock.now());
  const sending = await journal.move(claimed, 'SENDING', {}, { kind: 'order.sending' }, clock.now());
  const unknown = { response: '{"success":false}', orderId: '1001' };
  const open = await journal.move(sending, 'ACCEPTED', unknown, { kind: 'order.accepted' }, clock.now());
  const reads = new ReadBudget(clock, []);
  const began = clock.mono();
  const book = async () => ({ success: true as const, data: [], normalized: [row(clock.mono() - began)] });
  const account: Account = {
    broker: standInBroker(),
    id: open.account,
    reads,
    limiter: new Limiter(clock, [], []),
    positions: new SharedRead(async () => ({ success: true, data: [], normalized: [] }), reads),
    orderBook: new SharedRead(book, reads),
  };
  const accounts = { active: () => account, activeName: () => 'zerodha', settled: async () => undefined, of: () => account };
  const parts = { clock, random: systemRandom, log: silentLog(), journal, accounts, stop: new AbortController().signal };
  const pursuit = new Pursuit({ ...parts, settler: new Settler(parts), guard: new Guard(clock, journal) }, open);
  await clock.settle(pursuit.continue());
  return { fillStatus: pursuit.attempt.fillStatus, tookMs: clock.mono() - began };
}

it('an order seen open once is not said to rest: it may be about to fill', async () => {
  const filled = { filled_quantity: 10, average_price: 800, status: 'FILLED', state: 'FILLED' } as const;
  expect(await followed((ms) => orderRow(ms < 2500 ? {} : filled))).toMatchObject({ fillStatus: 'FILLED' });
});

it('an order seen open twice rests', async () => {
  const { fillStatus, tookMs } = await followed(() => orderRow());
  expect(fillStatus).toBe('PENDING');
  expect(tookMs).toBeLessThan(4000);
});

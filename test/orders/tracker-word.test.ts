import { expect, it } from 'vitest';
import { seededRandom } from '../../server/clock.ts';
import { silentLog } from '../../server/log.ts';
import { Entry } from '../../server/orders/entry.ts';
import { LiveBook } from '../../server/orders/live-book.ts';
import { OrderTracker } from '../../server/orders/order-tracker.ts';
import type { Settled } from '../../server/orders/outcome.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { attempt } from './parts.ts';

const filled: Settled = { kind: 'filled', quantity: 10, price: 99.5, orderId: '77', by: 'me@here', reason: 'contract note' };

/** An order of unknown fate of which four were seen filled, and what its book hears of fills. */
async function open() {
  const [clock, journal, stop, log] = [new VirtualClock(), new MemoryJournal(), new AbortController().signal, silentLog()];
  const standing = attempt({ state: 'AMBIGUOUS', filledQuantity: 4 });
  await journal.begin(standing, { kind: 'left' }, clock.now());
  const entry = new Entry('k:one', 'hash', null);
  entry.hold(standing);
  const heard: number[] = [];
  entry.home = { settle: () => undefined, filled: (_, quantity) => void heard.push(quantity) };
  const accounts = { active: () => null, activeName: () => null, settled: async () => undefined, of: () => null };
  const book = new LiveBook({ clock, log, journal, stop });
  const parts = { clock, random: seededRandom(1), log, journal, accounts, book, opensAt: () => 0, stop };
  const tracker = new OrderTracker(parts, entry, standing);
  return { clock, journal, entry, heard, tracker };
}

it('a person’s word adds what was not seen filled yet', async () => {
  const { clock, entry, heard, tracker } = await open();
  tracker.resolve(filled);
  expect([entry.filled, entry.orderId, entry.stage, heard]).toEqual([10, '77', 'over', [6]]);
  expect(await clock.settle(tracker.settled())).toBe(true);
});

it('a person’s word changes nothing of an order that ended just before', async () => {
  const { clock, journal, entry, heard, tracker } = await open();
  tracker.take({ to: 'DONE', change: { orderId: '1001', response: '{}' }, event: { kind: 'order.resolved' } }, true);
  tracker.resolve(filled);
  expect(await clock.settle(tracker.settled())).toBe(true);
  expect([entry.filled, entry.orderId, entry.stage, heard]).toEqual([4, '1001', 'resting', []]);
  expect(journal.events.map(({ kind }) => kind)).toEqual(['left', 'order.resolved']);
});

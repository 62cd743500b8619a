import { expect, it } from 'vitest';
import { Watch } from '../../server/books/watch.ts';
import type { Reason } from '../../server/brokers/wake.ts';
import type { Handle } from '../../server/db/handle.ts';
import { silentLog } from '../../server/log.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

/** A watch without a session, in simulated time: `looks` are the moments (ms) at which it would read. */
function watching() {
  const clock = new VirtualClock();
  const looks: number[] = [];
  const active = () => {
    looks.push(clock.mono());
    return null;
  };
  const accounts = { active, activeName: () => null, settled: async () => undefined, of: () => null };
  const watch = new Watch({ clock, accounts, mode: 'practice', log: silentLog(), db: {} as Handle, wake() {} });
  watch.start();
  return { clock, looks, watch };
}

it.each<[reason: Reason, looks: number[]]>([
  ['session', [4000, 14_000, 24_000]],
  ['change', [4000, 4300, 5500, 9000, 19_000]],
  ['news', [4000, 4300, 14_300, 24_300]],
  ['live', [4000, 64_000]],
  ['quiet', [4000, 14_000, 24_000]],
  ['records', [10_000, 20_000]],
])('%s: the watch reads at %j ms', async (reason, expected) => {
  const { clock, looks, watch } = watching();
  await clock.pass(4000);
  watch.wake(reason);
  await clock.pass(21_000);
  expect(looks).toEqual(expected.filter((at) => at <= 25_000));
  await clock.pass(40_000);
  expect(looks).toEqual(expect.arrayContaining(expected));
  const stopped = watch.stop();
  await clock.settle(stopped);
});

it('goes on at the quicker pace when order updates stop', async () => {
  const { clock, looks, watch } = watching();
  watch.wake('live');
  await clock.pass(1000);
  watch.wake('quiet');
  await clock.pass(12_000);
  expect(looks).toEqual([0, 1000, 11_000]);
  await clock.settle(watch.stop());
});

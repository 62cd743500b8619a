import { expect, it } from 'vitest';
import { brokerIds } from '../../contract/words.ts';
import { everything } from '../support/proven.ts';
import { marketOrder, startFast } from './fast.ts';

/** Answers a broker gave to a call too many, by its own log line. */
function refusals(lines: readonly string[]): string[] {
  return lines.filter((line) => line.includes('"exchange request"') && JSON.parse(line).status === 429);
}

/** With `npm test` those with the fewest reads a second. */
const tested = everything ? brokerIds : brokerIds.filter((id) => id === 'fyers' || id === 'kotak');

it.concurrent.each(tested)(
  'an order right after the self-tests of %s is not blocked, and nothing is too fast for the broker',
  async (id) => {
    const lines: string[] = [];
    const fast = await startFast(id, { factor: 1, env: { PRACTICE_LIMITS: 'on' }, logTo: (line) => lines.push(line) });
    const { gateway } = fast;
    try {
      const own = await gateway.call('POST', '/broker/test');
      expect(own.body, own.text).toMatchObject({ status: 'PASSED', passed: 5 });
      const first = await gateway.place({ ...marketOrder(fast, 'SBIN'), idempotency_key: 'after the session test' });
      const named = await gateway.call('POST', `/broker/test/${id}`);
      expect(named.body, named.text).toMatchObject({ status: 'PASSED', passed: 6 });
      const second = await gateway.place({ ...marketOrder(fast, 'INFY'), idempotency_key: 'after the named test' });
      expect([first.body.fill_status, second.body.fill_status], first.text + second.text).toEqual(['FILLED', 'FILLED']);
      // Everything at once: the tests wait, the exit does not.
      const tests = Promise.all([gateway.call('POST', '/broker/test'), gateway.call('POST', `/broker/test/${id}`)]);
      const exit = await gateway.place({ ...marketOrder(fast, 'SBIN'), transaction_type: 'SELL', idempotency_key: 'beside' });
      expect(exit.body, exit.text).toMatchObject({ success: true, fill_status: 'FILLED' });
      for (const { body, text } of await tests) expect(body.status, text).toBe('PASSED');
      expect(refusals(lines)).toEqual([]);
      expect(lines.some((line) => line.includes('"exchange request"'))).toBe(true);
    } finally {
      await gateway.stop();
    }
  },
  120_000,
);

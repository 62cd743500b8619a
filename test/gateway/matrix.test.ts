import { expect, it } from 'vitest';
import { proven } from '../support/proven.ts';
import { startFast } from './fast.ts';
import { judgeTrial, startTrials, trials } from './matrix.ts';

/** Every way an answer can be lost, on every broker, in time that runs eight times as fast: right verdicts, one send each. */
it.concurrent.each(proven)(
  'the fault matrix on %s',
  async (id) => {
    const fast = await startFast(id);
    try {
      const running = await startTrials(fast);
      await Promise.all(running.map((one) => judgeTrial(fast, one)));
      expect(fast.gateway.context.exchange?.exchange.ledger().requests).toHaveLength(trials.length);
    } finally {
      await fast.gateway.stop();
    }
  },
  120_000,
);

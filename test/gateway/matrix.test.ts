import { expect, it } from 'vitest';
import { faces } from '../../server/sim/faces.ts';
import { judgeTrial, startFast, startTrials, trials } from './matrix.ts';

/** Every way an answer can be lost, on every broker, in time that runs eight times as fast: right verdicts, one send each. */
it.concurrent.each(faces.map((face) => face.id))(
  'the fault matrix on %s',
  async (id) => {
    const gateway = await startFast(id);
    try {
      const running = await startTrials(gateway, id);
      await Promise.all(running.map((one) => judgeTrial(gateway, one)));
      expect(gateway.context.exchange?.exchange.ledger().requests).toHaveLength(trials.length);
    } finally {
      await gateway.stop();
    }
  },
  120_000,
);

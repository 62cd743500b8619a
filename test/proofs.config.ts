import { defineConfig } from 'vitest/config';
import { run } from './vitest.config.ts';

/** `npm run proofs`: the long proofs, of which `npm test` runs a part, on all ten brokers. */
export default defineConfig({
  test: {
    ...run,
    root: new URL('..', import.meta.url).pathname,
    env: { ...run.env, PROOFS: 'all' },
    include: [
      'test/gateway/{matrix,matrix-restart,twins,burst,database-stop,leaving,selftest,exits,pieces,units,switch}.test.ts',
      'test/feed/*.test.ts',
      'test/books/{books,replay-window}.test.ts',
      'test/simulation/simulation.test.ts',
      'test/instruments/round-trip.test.ts',
      'test/examples/*.test.ts',
      'test/orders/fill.test.ts',
      'test/brokers/row-cache.test.ts',
      'test/certify/ten.test.ts',
      'test/chaos/chaos.test.ts',
    ],
  },
});

import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/** `npm run proofs`: the long proofs, of which `npm test` runs a part, on all ten brokers. */
export default defineConfig({
  test: {
    ...tests.test,
    root: new URL('..', import.meta.url).pathname,
    env: { PROOFS: 'all' },
    include: [
      'test/gateway/{matrix,matrix-restart,twins,burst,database-stop,leaving,selftest,exits,pieces,units}.test.ts',
      'test/feed/*.test.ts',
      'test/chaos/chaos.test.ts',
    ],
  },
});

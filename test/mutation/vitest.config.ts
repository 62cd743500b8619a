import { defineConfig } from 'vitest/config';

/** The tests of the order core that need no database: what a mutant of it must not survive. Every run draws the same random cases. */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/orders/**/*.test.ts', 'test/simulation/*.test.ts'],
    // The promises of the journals need PostgreSQL.
    exclude: ['test/orders/journal*.test.ts'],
    setupFiles: ['test/mutation/seed.ts'],
    testTimeout: 60_000,
    retry: 0,
  },
});

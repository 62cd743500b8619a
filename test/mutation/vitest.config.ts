import { defineConfig } from 'vitest/config';
import { QuickestFirst } from './order.ts';

/** The tests of the order core and of its journal: what a mutant of them must not survive. Every run draws the same random cases. */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/orders/**/*.test.ts', 'test/journal/**/*.test.ts', 'test/simulation/*.test.ts', 'test/guard-model/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/mutation/seed.ts'],
    sequence: { sequencer: QuickestFirst },
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Twice two cores: most files mostly wait.
    maxWorkers: 4,
    // A shared machine may stall for seconds; a test that fails twice there means it.
    retry: process.env.CI ? 1 : 0,
    pool: 'forks',
    execArgv: ['--import', new URL('../server/fast-imports.js', import.meta.url).href],
  },
});

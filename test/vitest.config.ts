import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // One more than two cores: several files mostly wait.
    maxWorkers: 3,
    pool: 'forks',
    execArgv: ['--import', new URL('../server/fast-imports.ts', import.meta.url).href],
  },
});

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that wait longest, by name. Begun first, they do not stand alone at the end: on a fresh checkout nobody knows yet how long a file takes. */
const longest =
  /\/(settle\/(process|requests)|chaos\/chaos|db\/(embedded|hung|places)|feed\/(aliceblue|kotak|zerodha)|gateway\/(ten|exits|faults|twins|stand-in|pieces|burst|selftest|matrix|database-stop|units)|certify\/(cli|order|faults)|books\/replay-window|streams\/history|console\/(trading|care|recovery|charts-events|login|administration))\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => Number(longest.test(b.moduleId)) - Number(longest.test(a.moduleId)));
  }
}

/** Files that hold the gateway to a second or less of the wall clock. They run behind all others, where nothing of ours takes the processor from them. */
const timed = [
  'test/process.test.ts',
  'test/auth/users.test.ts',
  'test/books/scale.test.ts',
  'test/console/{shell,care,trading}.test.ts',
  'test/db/{embedded,lease}.test.ts',
  'test/gateway/{burst,exits-killed,pieces}.test.ts',
  'test/http/{crowd,tls-crowd}.test.ts',
];

const every = {
  // Gateways that tests start beside one another would all want the one port for figures.
  env: { OPS_PORT: '0' },
  testTimeout: 30_000,
  // Who waits for a state waits as long as it takes on a busy machine.
  expect: { poll: { timeout: 20_000 } },
  hookTimeout: 60_000,
  // A shared machine may stall for seconds; a test that fails twice there means it.
  retry: process.env.CI ? 1 : 0,
  pool: 'forks' as const,
  // A worker keeps what it has imported: half of the CPU time of a short file was imports.
  isolate: false,
  execArgv: ['--import', new URL('../server/fast-imports.js', import.meta.url).href],
};

/** What `npm run proofs` shares with `npm test`: one database for the run, and how each file is run. */
export const run = { ...every, globalSetup: ['test/support/global-setup.ts'], sequence: { sequencer: LongestFirst }, maxWorkers: 6 };

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    globalSetup: run.globalSetup,
    sequence: run.sequence,
    projects: [
      // Three times two cores: most files mostly wait.
      {
        test: {
          ...every,
          name: 'rest',
          include: ['test/**/*.test.ts'],
          exclude: timed,
          maxWorkers: run.maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...every, name: 'timed', include: timed, maxWorkers: 2, sequence: { groupOrder: 1 } } },
    ],
  },
});

import { z } from 'zod';
import { Failure } from './common.ts';
import { route } from './route.ts';

export const TestResult = z
  .object({
    status: z.enum(['PASS', 'FAIL']).meta({ description: 'Outcome of this test.', examples: ['PASS'] }),
    latency_ms: z.number().meta({ description: 'Time taken in milliseconds, one decimal.', examples: [41.3] }),
    data: z.unknown().optional().meta({ description: 'What the broker answered; present on PASS.' }),
    error: z.string().optional().meta({ description: 'Why it failed; present on FAIL.' }),
  })
  .meta({ id: 'TestResult', description: 'One test of a broker.' });
export type TestResult = z.infer<typeof TestResult>;

const testLabels = ['connect', 'profile', 'funds', 'holdings', 'positions', 'orders'];

export const TestReport = z
  .object({
    broker: z.string().meta({ description: 'Broker tested.', examples: ['zerodha'] }),
    tests: z.record(z.string(), TestResult).meta({
      description: 'Results by test label: connect, profile, funds, holdings, positions, orders.',
      examples: [Object.fromEntries(testLabels.map((label) => [label, { status: 'PASS', latency_ms: 41.3 }]))],
    }),
    passed: z
      .int()
      .min(0)
      .max(100)
      .meta({ description: 'Tests that passed.', examples: [6] }),
    failed: z
      .int()
      .min(0)
      .max(100)
      .meta({ description: 'Tests that failed.', examples: [0] }),
    total: z
      .int()
      .min(0)
      .max(100)
      .meta({ description: 'Tests run.', examples: [6] }),
    status: z
      .enum(['UNKNOWN', 'PASSED', 'FAILED', 'PARTIAL'])
      .meta({ description: 'PASSED: none failed. FAILED: none passed. PARTIAL: some of each.', examples: ['PASSED'] }),
    timestamp: z.string().meta({ description: 'When the report was made, UTC, to the second.', examples: ['2026-11-20T04:12:33Z'] }),
    error: z.string().optional().meta({ description: 'Why the broker could not be instantiated.' }),
    hint: z.string().optional().meta({ description: 'What to do about a failure to instantiate or connect.' }),
  })
  .meta({ id: 'TestReport', description: 'A self-test of broker connectivity.' });
export type TestReport = z.infer<typeof TestReport>;

export const selftestRoutes = {
  testBroker: route({
    method: 'POST',
    path: '/broker/test/{broker_name}',
    summary: 'Test a broker by name',
    description:
      'Connects a broker instance of its own, beside the active session, and reads profile, funds, holdings, positions and orders.',
    input: z.strictObject({
      broker_name: z
        .string()
        .min(1)
        .max(100)
        .meta({ description: 'One of the supported identifiers.', examples: ['zerodha'] }),
    }),
    output: TestReport,
  }),
  testSession: route({
    method: 'POST',
    path: '/broker/test',
    summary: 'Test the active session',
    description: 'Reads profile, funds, holdings, positions and orders of the active session.',
    input: z.strictObject({}),
    output: z.union([TestReport, Failure]),
  }),
};

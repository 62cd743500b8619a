import type { TestReport, TestResult } from '../../contract/selftest.ts';
import type { Account, Accounts } from '../brokers/account.ts';
import type { Broker, Failure } from '../brokers/broker.ts';
import type { ReadBudget } from '../brokers/read-budget.ts';
import type { Clock } from '../clock.ts';
import { type BrokerParts, newBroker, supportedHint, textOf } from '../session/brokers.ts';
import type { Budgets } from '../session/budgets.ts';
import type { Logins } from '../session/logins.ts';

type Work = () => Promise<unknown>;
type Works = Record<(typeof labels)[number], Work>;

const labels = ['profile', 'funds', 'holdings', 'positions', 'orders'] as const;

/**
 * The two connectivity tests. The one by name uses an instance of its own, with the day's stored login where there is one, and never logs out.
 * Both spend from the broker's read budgets, behind everyone else.
 */
export function createSelftest(parts: BrokerParts & { accounts: Accounts; budgets: Budgets; logins: Logins }) {
  const { accounts, budgets, clock, logins } = parts;
  return {
    async testBroker(name: string): Promise<TestReport> {
      const report = newReport(name, clock);
      let broker: Broker;
      try {
        broker = newBroker(parts, name, () => undefined);
      } catch (error) {
        return { ...report, status: 'FAILED', error: textOf(error), hint: supportedHint };
      }
      try {
        const stored = await logins.read(name).catch(() => null);
        const connect = async () => withoutLogin(await broker.connect(stored));
        await run(report, clock, 'connect', () => afterTurn(budgets.reads(broker).others, connect));
        if (report.failed > 0)
          return { ...report, status: 'FAILED', hint: `Check the ${name} credentials in the environment configuration` };
        await runReads(report, clock, ownReads(broker, budgets));
        return conclude(report);
      } finally {
        await broker.close().catch(() => undefined);
      }
    },
    async testSession(): Promise<TestReport | Failure> {
      const account = accounts.active();
      if (!account) return { success: false, message: 'No broker connected. Use POST /broker/connect first.' };
      const report = newReport(account.broker.id, clock);
      await runReads(report, clock, sessionReads(account));
      return conclude(report);
    },
  };
}

function newReport(broker: string, clock: Clock): TestReport {
  const timestamp = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  return { broker, tests: {}, passed: 0, failed: 0, total: 0, status: 'UNKNOWN', timestamp };
}

async function afterTurn(budget: ReadBudget, work: Work): Promise<unknown> {
  return (await budget.take('selftest')) ?? (await work());
}

/** The reads of the active session, shared with whoever else asks for them. */
function sessionReads({ broker, reads, holdings, positions, orderBook }: Account): Works {
  return {
    profile: () => afterTurn(reads, () => broker.profile()),
    funds: () => afterTurn(reads, () => broker.funds()),
    holdings: () => holdings.next('selftest'),
    positions: () => positions.next('selftest'),
    orders: () => orderBook.next('selftest'),
  };
}

/** The reads of an instance of its own. */
function ownReads(broker: Broker, budgets: Budgets): Works {
  const { others, holdings, positions, orderBook } = budgets.reads(broker);
  return {
    profile: () => afterTurn(others, () => broker.profile()),
    funds: () => afterTurn(others, () => broker.funds()),
    holdings: () => afterTurn(holdings, () => broker.holdings()),
    positions: () => afterTurn(positions, () => broker.positions()),
    orders: () => afterTurn(orderBook, () => broker.orders()),
  };
}

async function runReads(report: TestReport, clock: Clock, works: Works): Promise<void> {
  for (const label of labels) await run(report, clock, label, works[label]);
}

/** FAIL when the work throws or answers `success: false`; the latency is in ms with one decimal. */
async function run(report: TestReport, clock: Clock, label: string, work: Work): Promise<void> {
  const began = clock.mono();
  const outcome = await work().then(judge, (error: unknown) => ({ status: 'FAIL' as const, error: textOf(error) }));
  report.tests[label] = { ...outcome, latency_ms: Math.round((clock.mono() - began) * 10) / 10 };
  report.total += 1;
  report[outcome.status === 'PASS' ? 'passed' : 'failed'] += 1;
}

function judge(data: unknown): Omit<TestResult, 'latency_ms'> {
  if (typeof data !== 'object' || data === null || !('success' in data) || data.success !== false) return { status: 'PASS', data };
  const message = 'message' in data && data.message ? String(data.message) : 'Returned success=False';
  return { status: 'FAIL', error: message };
}

/** What connect tells, without the tokens it brings. */
function withoutLogin(connected: Awaited<ReturnType<Broker['connect']>>): unknown {
  if (!connected.success) return connected;
  const { success, message, account } = connected;
  return { success, message, account };
}

function conclude(report: TestReport): TestReport {
  return { ...report, status: report.failed === 0 ? 'PASSED' : report.passed === 0 ? 'FAILED' : 'PARTIAL' };
}

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Meters } from '../meters.ts';
import type { Figures } from './figures.ts';
import { buckets, counters, gauges, histograms, type Label, labelValues, processMetrics, states, totals } from './tables.ts';

/** How closely the event loop is looked at: a finer look wakes the process more often. */
const LOOP_PRECISION_MS = 20;

/** What one process has counted, as Prometheus reads it. */
export interface Metrics {
  meters: Meters;
  contentType: string;
  /** The page of /metrics; `figures` are null before there is a gateway, and what is read from one is left out then. */
  page(figures: Figures | null): Promise<string>;
  /** Every metric there is. */
  list(): Described[];
}

export interface Described {
  name: string;
  type: string;
  help: string;
  labels: readonly Label[];
}

const withLabels: Readonly<Record<string, readonly [help: string, labels: readonly Label[]]>> = {
  ...counters,
  ...histograms,
  ...processMetrics,
};
const withOne: Readonly<Record<string, readonly [help: string, label: Label, read: unknown]>> = states;

/** The type stands in a field that prom-client's types leave out. */
function described({ name, help, type }: { name: string; help: string; type?: unknown }): Described {
  const [told, labels] = withLabels[name] ?? [help, withOne[name] ? [withOne[name][1]] : []];
  return { name, type: String(type), help: told, labels };
}

/** A registry of its own. `process`: with what Node and the operating system say of this process. */
export function createMetrics({ process }: { process: boolean }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (process) countProcess(registry);
  const counter = (name: keyof typeof counters) => {
    const [help, labelNames] = counters[name];
    return new Counter({ name, help, labelNames, registers });
  };
  const histogram = (name: keyof typeof histograms) => {
    const [help, labelNames] = histograms[name];
    return new Histogram({ name, help, labelNames, buckets, registers });
  };
  const changes = counter('gateway_order_changes_total');
  const storeFailures = counter('gateway_store_failures_total');
  const cuts = counter('gateway_records_cut_total');
  const orders = histogram('gateway_order_seconds');
  const changing = histogram('gateway_order_change_seconds');
  const steps = histogram('gateway_order_step_seconds');
  const budgets = histogram('gateway_budget_wait_seconds');
  const calls = histogram('gateway_broker_call_seconds');
  for (const fate of labelValues.fate) orders.zero({ fate });
  for (const step of labelValues.step) steps.zero({ step });
  for (const budget of labelValues.budget) budgets.zero({ budget });
  for (const step of labelValues.step) storeFailures.inc({ step }, 0);
  for (const records of labelValues.records) cuts.inc({ records }, 0);
  const readers = readersOf(registry);
  return {
    contentType: registry.contentType,
    meters: {
      step: (step, ms) => steps.observe({ step }, ms / 1000),
      budget: (budget, ms) => budgets.observe({ budget }, ms / 1000),
      placed: (fate, ms) => orders.observe({ fate }, ms / 1000),
      changed(change, outcome, ms) {
        changes.inc({ change, outcome });
        changing.observe({ change }, ms / 1000);
      },
      called: (broker, call, outcome, ms) => calls.observe({ broker, call, outcome }, ms / 1000),
      storeFailed: (step) => storeFailures.inc({ step }),
      cut: (records, rows) => cuts.inc({ records }, rows),
    },
    page(figures) {
      for (const { reset, read } of readers) {
        reset();
        if (figures) read(figures);
      }
      return registry.metrics();
    },
    list: () => registry.getMetricsAsArray().map(described),
  };
}

function countProcess(register: Registry): void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: LOOP_PRECISION_MS });
  for (const { name } of register.getMetricsAsArray()) if (!Object.hasOwn(processMetrics, name)) register.removeSingleMetric(name);
}

interface Reader {
  /** Forgets what was read. */
  reset(): void;
  read(figures: Figures): void;
}

/** The metrics that are read from the gateway when somebody asks. Without labels prom-client would tell 0 where nothing is known. */
function readersOf(registry: Registry): Reader[] {
  const registers = [registry];
  const gauged = Object.entries(gauges).map(([name, [help, read]]): Reader => {
    const gauge = new Gauge({ name, help, registers });
    return { reset: () => gauge.remove(), read: (figures) => gauge.set(read(figures)) };
  });
  const counted = Object.entries(totals).map(([name, [help, read]]): Reader => {
    const total = new Counter({ name, help, registers });
    return { reset: () => total.remove(), read: (figures) => total.inc(read(figures)) };
  });
  const stated = Object.entries(states).map(([name, [help, label, read]]): Reader => {
    const gauge = new Gauge({ name, help, labelNames: [label], registers });
    return {
      reset: () => gauge.reset(),
      read(figures) {
        const now = read(figures);
        for (const value of labelValues[label]) gauge.set({ [label]: value }, Number(value === now));
      },
    };
  });
  return [...gauged, ...counted, ...stated];
}

import { createMetrics, type Described } from './metrics.ts';
import { buckets, labelValues } from './tables.ts';

/** docs/operations/metrics.md: every metric that /metrics tells, from the registry itself. */
export function metricsPage(): string {
  const metrics = createMetrics({ process: true }).list();
  const ours = metrics.filter(({ name }) => name.startsWith('gateway_'));
  const process = metrics.filter(({ name }) => !name.startsWith('gateway_'));
  const labels = [...new Set(metrics.flatMap((metric) => metric.labels))];
  return `# Metrics

Made by \`npm run generate\` from server/ops/tables.ts; do not edit. \`http://OPS_HOST:OPS_PORT/metrics\` tells them as Prometheus reads them.
Times are seconds. Those of the process are the gateway's own: PostgreSQL is another process.

## The gateway

${table(ours)}

Histograms have the bounds ${buckets.join(', ')} s. How many orders there were, by fate: \`gateway_order_seconds_count\`; how many calls of the broker: \`gateway_broker_call_seconds_count\`.

## The process

${table(process)}

## Labels

No symbol, key, token, account, user, strategy or broker's text is ever the value of one.

| label | values |
|---|---|
${labels.map((label) => `| ${label} | ${labelValues[label].join(', ')} |`).join('\n')}
`;
}

function table(metrics: readonly Described[]): string {
  const rows = metrics.map(({ name, type, labels, help }) => `| ${name} | ${type} | ${labels.join(', ')} | ${help} |`);
  return ['| metric | type | labels | what |', '|---|---|---|---|', ...rows].join('\n');
}

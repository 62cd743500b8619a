import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../server/ops/metrics.ts';
import { labelValues } from '../../server/ops/tables.ts';

const folder = fileURLToPath(new URL('../../docs/operations/', import.meta.url));
const files = ['prometheus-rules.yml', 'prometheus-rules.test.yml', 'grafana-board.json'];
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool) console.log('promtool is not installed: that the rules do what they say is not checked here');

/** Series that Prometheus can have: a histogram has three. */
const series = new Set(
  createMetrics({ process: true })
    .list()
    .flatMap(({ name, type }) => (type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name])),
);
const allowed: Readonly<Record<string, readonly string[]>> = labelValues;

/** What a file names that is no series of ours, and label values that none has. */
function strange(text: string): string[] {
  const names = [...text.matchAll(/\b(?:gateway|process|nodejs)_\w+/g)].map(([name]) => name);
  const values = [...text.replaceAll('\\"', '"').matchAll(/(?<=[{,]\s*)(\w+)=~?"([\w|]+)"/g)].flatMap(([, label = '', told = '']) =>
    // A gateway of this version need not know the states of the next.
    told
      .split('|')
      .flatMap((value) => (!allowed[label] || label === 'status' || allowed[label].includes(value) ? [] : `${label}=${value}`)),
  );
  return [...names.filter((name) => !series.has(name)), ...values];
}

describe('what docs/operations offers to load', () => {
  it.each(files)('names metrics and labels in %s that there are', (file) => {
    const text = readFileSync(folder + file, 'utf8');
    expect(strange(text)).toEqual([]);
    expect([...text.matchAll(/\bgateway_\w+/g)].length).toBeGreaterThan(5);
  });

  it('would notice one that there is not', () => {
    expect(strange('gateway_orders_total{fate="filled"} gateway_order_seconds')).toEqual(['gateway_orders_total', 'gateway_order_seconds']);
    expect(strange('gateway_order_seconds_count{fate=~"filled|eaten"}')).toEqual(['fate=eaten']);
  });

  it('shows every metric on the board', () => {
    const board = readFileSync(`${folder}grafana-board.json`, 'utf8');
    const shown = (name: string) => new RegExp(`\\b${name}(_bucket|_count)?\\b`).test(board);
    const names = createMetrics({ process: false })
      .list()
      .map(({ name }) => name);
    expect(names.filter((name) => !shown(name))).toEqual([]);
  });

  it.skipIf(!hasPromtool)('holds before promtool', () => {
    const run = (...args: string[]) => execFileSync('promtool', args, { cwd: folder, encoding: 'utf8' });
    expect(run('check', 'rules', 'prometheus-rules.yml')).toContain('SUCCESS');
    expect(run('test', 'rules', 'prometheus-rules.test.yml')).toContain('SUCCESS');
  });
});

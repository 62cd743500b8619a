import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMetrics, type Metrics } from '../../server/ops/metrics.ts';
import { metricsPage } from '../../server/ops/metrics-page.ts';
import { gauges, labelValues, states, totals } from '../../server/ops/tables.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let metrics: Metrics;
beforeAll(async () => {
  metrics = createMetrics({ process: true });
  gateway = await startGateway({ overrides: { meters: metrics.meters } });
});
afterAll(() => gateway?.stop());

const page = () => metrics.page(gateway.context.figures());

/** The lines of a page that are no comments: name, labels, value. */
function samples(text: string): { name: string; labels: Record<string, string>; value: number }[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', told = '']) => [label, told] as const);
    return [{ name, labels: Object.fromEntries(pairs), value: value === 'Nan' ? Number.NaN : Number(value) }];
  });
}

async function told(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const found = samples(await page()).find(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  );
  return found?.value;
}

it('counts orders by what became of them, and times every step', async () => {
  const key = 'counted';
  const { body } = await gateway.place({ ...sbin, idempotency_key: key });
  expect(body.fill_status).toBe('FILLED');
  await gateway.place({ ...sbin, idempotency_key: key });
  await gateway.place({ ...sbin, idempotency_key: 'blocked', quantity: 5 });
  await gateway.place({ ...sbin, idempotency_key: 'refused', order_type: 'WHATEVER', transaction_type: 'SELL' });
  await gateway.call('POST', '/broker/orders/cancel', { order_id: body.order_id });
  const count = (fate: string) => told('gateway_order_seconds_count', { fate });
  expect([await count('filled'), await count('replayed'), await count('blocked')]).toEqual([1, 1, 1]);
  expect(
    samples(await page())
      .filter(({ name }) => name === 'gateway_order_seconds_count')
      .reduce((sum, { value }) => sum + value, 0),
  ).toBe(4);
  expect(await told('gateway_order_changes_total', { change: 'cancel', outcome: 'failed' })).toBe(1);
  expect(await told('gateway_broker_call_seconds_count', { broker: 'zerodha', call: 'place_order', outcome: 'accepted' })).toBe(1);
  for (const step of labelValues.step) expect(await told('gateway_order_step_seconds_count', { step }), step).toBeGreaterThan(0);
  for (const budget of labelValues.budget) expect(await told('gateway_budget_wait_seconds_count', { budget }), budget).toBeGreaterThan(0);
});

it('reads how the gateway stands when somebody asks', async () => {
  expect(await told('gateway_status', { status: 'ready' })).toBe(1);
  expect(await told('gateway_session', { broker: 'zerodha' })).toBe(1);
  expect(await told('gateway_session', { broker: 'dhan' })).toBe(0);
  expect(await told('gateway_database_up')).toBe(1);
  expect(await told('gateway_kill_switch')).toBe(0);
  await gateway.call('POST', '/broker/kill-switch', { on: true });
  expect(await told('gateway_kill_switch')).toBe(1);
  await gateway.call('POST', '/broker/kill-switch', { on: false });
  await expect.poll(() => told('gateway_reconciliation_age_seconds')).toBeGreaterThanOrEqual(0);
  await expect.poll(() => told('gateway_database_size_bytes')).toBeGreaterThan(1_000_000);
  expect(await told('gateway_disk_free_bytes')).toBeGreaterThan(0);
  expect(await told('gateway_feed_sockets_live')).toBeGreaterThan(0);
});

it('tells nothing of the gateway before there is one', async () => {
  const apart = createMetrics({ process: false });
  const names = new Set(samples(await apart.page(null)).map(({ name }) => name));
  for (const name of Object.keys({ ...gauges, ...totals, ...states })) expect(names).not.toContain(name);
  expect(names).toContain('gateway_order_seconds_count');
});

it('gives every label values of its table alone, whatever is asked for', async () => {
  const mark = 'ODD7';
  const odd = [`${mark}"} 1\n# HELP x`, `${mark}\\`, `${mark}\u202e\u0000`, `${mark}={a="b"}`, `${mark}${'x'.repeat(150)}`];
  for (const [n, text] of odd.entries()) {
    const order = {
      ...sbin,
      symbol: text,
      token: text,
      exchange: text,
      order_type: text,
      product_type: text,
      strategy: text,
      idempotency_key: `${text}${n}`,
    };
    await gateway.place({ ...sbin, strategy: text, idempotency_key: text, symbol: text });
    await gateway.place(order);
    await gateway.place({ ...sbin, variety: text, idempotency_key: `${n}${text}`, transaction_type: 'SELL' });
    await gateway.call('POST', '/broker/orders/cancel', { order_id: text });
    await gateway.call('POST', '/broker/orders/modify', { order_id: text, quantity: 1 });
    await gateway.call('POST', `/broker/connect?broker=${encodeURIComponent(text)}`);
    await gateway.call('GET', `/broker/orders/${encodeURIComponent(text)}`);
  }
  const text = await page();
  expect(text).not.toContain(mark);
  expect(text).not.toContain(gateway.token);
  const allowed: Readonly<Record<string, readonly string[]>> = labelValues;
  for (const { name, labels } of samples(text)) {
    for (const [label, value] of Object.entries(labels)) {
      if (label === 'le') expect(name).toMatch(/_bucket$/);
      else expect(allowed[label], `${name}{${label}="${value}"}`).toContain(value);
    }
  }
});

it('gives every metric a value, and documents it', async () => {
  const have = new Set(samples(await page()).map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')));
  const metricNames = metrics.list().map(({ name }) => name);
  expect(metricNames.filter((name) => !have.has(name))).toEqual([]);
  expect(readFileSync(new URL('../../docs/operations/metrics.md', import.meta.url), 'utf8')).toBe(metricsPage());
});

import { useSignal } from '@preact/signals';
import type { TestReport } from '../../../../../contract/selftest.ts';
import { html } from '../html.ts';
import { Notice, Pill } from '../parts/parts.ts';
import { type Column, Table } from '../parts/table.ts';
import { post, sentence } from '../state/api.ts';
import { plain, wait } from '../state/format.ts';

interface Row {
  name: string;
  status: string;
  latency_ms: number;
  error?: string | undefined;
}

/** Six reads, each after the other, of a broker that may be slow. */
const TEST_MS = 90_000;
const words = { PASSED: 'All well', PARTIAL: 'Some failed', FAILED: 'Failed', UNKNOWN: 'Nothing was tested' } as const;

/** Tries the session's reads, and shows what each said. */
export function SelfTest({ active }: { active: boolean }) {
  const report = useSignal<TestReport | null>(null);
  const fault = useSignal<string | null>(null);
  const busy = useSignal(false);
  async function run(): Promise<void> {
    if (busy.value || !active) return;
    busy.value = true;
    fault.value = null;
    try {
      report.value = await post<TestReport>('/broker/test', undefined, TEST_MS);
    } catch (error) {
      fault.value = sentence(error);
    }
    busy.value = false;
  }
  return html`<section class="panel stack" aria-labelledby="s-test">
    <h2 id="s-test">Self-test</h2>
    <p>Reads profile, funds, holdings, positions and orders of the session, and changes nothing.</p>
    <div class="actions"><button type="button" aria-disabled=${busy.value || !active} onClick=${run}>${busy.value ? 'Testing\u2026' : 'Run the self-test'}</button></div>
    ${!active && html`<p class="soft">Connect a broker first.</p>`}
    <div role="status">
      ${fault.value !== null && html`<${Notice} tone="bad">${fault.value}<//>`}
      ${report.value !== null && html`<${Report} of=${report.value} />`}
    </div>
  </section>`;
}

function Report({ of }: { of: TestReport }) {
  const rows = Object.entries(of.tests).map(([name, { status, latency_ms, error }]): Row => ({ name, status, latency_ms, error }));
  const tone = of.status === 'PASSED' ? 'good' : of.status === 'FAILED' ? 'bad' : 'warn';
  return html`<${Notice} tone=${tone} title="${words[of.status]}: ${of.passed} of ${of.total}">${of.error ?? ''} ${of.hint ?? ''}<//>
    <${Table} label="Self-test of ${of.broker}" columns=${columns} rows=${rows} keyOf=${({ name }: Row) => name} />`;
}

const columns: readonly Column<Row>[] = [
  { id: 'name', title: 'Read', card: 'head', cell: ({ name }) => html`<b>${plain(name)}</b>` },
  { id: 'status', title: 'Outcome', cell: ({ status }) => html`<${Pill} tone=${status === 'PASS' ? 'good' : 'bad'}>${plain(status)}<//>` },
  { id: 'took', title: 'Took', number: true, cell: ({ latency_ms }) => wait(latency_ms) },
  { id: 'error', title: 'Why', card: 'foot', cell: ({ error }) => error ?? '' },
];

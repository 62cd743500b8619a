import type { RecordedOrder } from '../../../../contract/records.ts';
import { html } from './html.ts';
import { openDialog } from './parts/dialog.ts';
import { Notice } from './parts/parts.ts';
import { clockTime, nameOf, plain, price, quantity, wait } from './state/format.ts';
import { orders } from './state/gateway.ts';

/** What a row has room for: the way to the exchange and what became of it. */
const main = new Set(['sent', 'accepted', 'first_fill', 'filled', 'rejected', 'cancelled', 'refused', 'not_sent', 'unknown', 'resolved']);

/** An order's way in one line: sent 3 ms, accepted 41 ms, filled 95 ms. Opens the whole timeline. */
export function Steps({ row }: { row: RecordedOrder }) {
  const filled = row.steps.some(({ step }) => step === 'filled');
  const last = new Map(row.steps.map((step) => [step.step, step]));
  const told = [...last.values()].filter(({ step }) => main.has(step) && !(step === 'first_fill' && filled));
  return html`<button type="button" class="steps" onClick=${() => showSteps(row)}>
    <span class="sr">Timeline of ${row.transaction_type} ${nameOf(row)}:</span>
    ${told.length === 0 ? 'Timeline' : told.map((step) => html`<span key=${step.step} class="step ${step.step}"><i></i>${plain(step.step)} <b>${Math.round(step.after_ms)}</b></span>`)}
  </button>`;
}

/** Opens the timeline of an order; it goes on while the dialog is open. */
export function showSteps(row: RecordedOrder): void {
  const title = `${row.transaction_type ?? ''} ${quantity(row.quantity)} ${nameOf(row)}`.trim();
  openDialog({ title, body: () => html`<${Timeline} first=${row} />` });
}

function Timeline({ first }: { first: RecordedOrder }) {
  const row = orders.value.value?.orders.find((one) => same(one, first)) ?? first;
  const longest = Math.max(1, ...row.steps.map(({ after_ms }) => after_ms));
  return html`<dl class="ledger">
      <dt>Order</dt><dd>${row.order_id ?? 'none'}</dd>
      <dt>Type</dt><dd>${row.order_type ?? ''} ${plain(row.product_type)}</dd>
      <dt>Filled</dt><dd>${quantity(row.filled_quantity)} of ${quantity(row.quantity)}${row.average_price === null ? '' : ` at ${price(row.average_price)}`}</dd>
    </dl>
    ${row.advice !== null && html`<${Notice} title="What to do.">${row.advice}<//>`}
    ${row.reason !== null && html`<${Notice} tone="quiet" title="Why.">${row.reason}<//>`}
    <ol class="timeline">
      ${row.steps.map(
        ({ step, at, after_ms, message }, index) => html`<li key=${index} class=${step}>
          <span class="what">${plain(step)}</span><span class="when">${clockTime(at)}</span><span class="after">${index === 0 ? '' : `+${wait(after_ms)}`}</span>
          <progress max=${longest} value=${after_ms} aria-hidden="true"></progress>
          ${message !== null && html`<span class="said">${message}</span>`}
        </li>`,
      )}
    </ol>`;
}

function same(one: RecordedOrder, other: RecordedOrder): boolean {
  return one.placed_at === other.placed_at && one.symbol === other.symbol && (one.order_id === other.order_id || other.order_id === null);
}

import { useEffect } from 'preact/hooks';
import type { ExitOutcome, ExitReport } from '../../../../contract/exits.ts';
import { html } from './html.ts';
import { Notice, Pill, type PillTone, takeFocus } from './parts/parts.ts';
import { nameOf, price, quantity } from './state/format.ts';
import { positions } from './state/gateway.ts';
import { forget, type Intent, sendAgain } from './state/intents.ts';

const outcomes: Readonly<Record<ExitOutcome, readonly [PillTone, string]>> = {
  FLAT: ['good', 'Flat'],
  SENT: ['info', 'Sent, not filled yet'],
  PARTLY: ['warn', 'Partly closed'],
  REFUSED: ['bad', 'Refused'],
  UNKNOWN: ['warn', 'Not known'],
  NOTHING_TO_DO: ['quiet', 'Nothing to do'],
};

type Told = ExitReport | { success: false; message: string } | null;

/** What becomes of an exit, from the click to the report; one that is not settled keeps its key, to be asked for again. */
export function ExitProgress({ intent, close }: { intent: Intent; close: () => void }) {
  const state = intent.state.value;
  const done = state.is === 'answered';
  const told = done ? (state.answer.body as Told) : null;
  const open = isOpen(told);
  useEffect(() => {
    if (!done) return;
    if (!open) forget(intent);
    void positions.refresh();
  }, [done, open]);
  function leave(): void {
    if (done) forget(intent);
    close();
  }
  return html`<div role="status">
      ${state.is === 'sending' && html`<p class="loading">Leaving${'\u2026'} This may take until every order is settled.</p>`}
      ${state.is === 'asking' && html`<${Notice} title="The answer was lost.">Asking again with the same key: nothing is sent twice.<//>`}
      ${state.is === 'silent' && html`<${Notice} tone="bad" title="No answer.">The exit may or may not have left. Look at positions and orders.<//>`}
      ${done && html`<${Reported} body=${told} />`}
    </div>
    <footer class="actions">
      ${(state.is === 'silent' || open) && html`<button type="button" class="danger" onClick=${() => sendAgain(intent)}>Ask again, same key</button>`}
      <button key=${`${done} ${open}`} type="button" class=${done ? 'primary' : ''} onClick=${leave} ref=${takeFocus}>${done ? 'Done' : 'Close; it goes on'}</button>
    </footer>`;
}

/** The same request may tell more, or go on. */
function isOpen(told: Told): boolean {
  return told?.success === true && (!told.finished || told.positions.some(({ outcome }) => outcome === 'UNKNOWN'));
}

function Reported({ body }: { body: Told }) {
  if (body?.success !== true)
    return html`<${Notice} tone="bad" title="The exit was refused.">${body?.message ?? 'The answer cannot be read.'}<//>`;
  return html`<${Notice} tone=${body.flat ? 'good' : 'warn'} title=${body.flat ? 'Flat: nothing of it is left open.' : 'Not everything is closed.'}>
      ${isOpen(body) ? 'It is not settled: ask again for the rest, nothing is sent twice. ' : ''}${body.warnings.join(' ')}
    <//>
    <ul class="plan">${body.positions.map((one) => html`<${ReportedRow} key=${`${one.exchange}:${one.symbol}:${one.product_type}`} one=${one} />`)}</ul>`;
}

function ReportedRow({ one }: { one: ExitReport['positions'][number] }) {
  const [tone, word] = outcomes[one.outcome];
  return html`<li>
    <div class="line">
      <${Pill} tone=${tone}>${word}<//> <b>${nameOf(one)}</b>
      <span class="end soft">closed ${quantity(one.filled_quantity)}, left ${one.left_quantity === null ? 'not known' : quantity(one.left_quantity)}</span>
    </div>
    <p>${one.message}</p>
    ${one.cancels.map((order) => html`<p key=${order.order_id} class="tiny">${cancelled(order)}</p>`)}
    ${one.orders.map(({ answer, quantity: asked }, index) => html`<p key=${index} class="tiny">${one.side} ${quantity(asked)}: ${answerText(answer)}</p>`)}
  </li>`;
}

function cancelled({ order_type, quantity: left, success, message }: ExitReport['positions'][number]['cancels'][number]): string {
  const word = success === true ? 'is gone' : success === false ? 'rests on' : 'may still rest';
  return `${order_type} ${quantity(left)} ${word}${message === '' ? '' : `: ${message}`}`;
}

function answerText(answer: ExitReport['positions'][number]['orders'][number]['answer']): string {
  const filled = answer.filled_quantity === undefined ? '' : `, ${quantity(answer.filled_quantity)} at ${price(answer.avg_fill_price)}`;
  return `${answer.fill_status ?? (answer.success ? 'accepted' : 'refused')}${filled}${answer.order_id ? `, order ${answer.order_id}` : ''}${answer.message ? `. ${answer.message}` : ''}`;
}

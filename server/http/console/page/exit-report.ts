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

/** What becomes of an exit, from the click to the report. */
export function ExitProgress({ intent, close }: { intent: Intent; close: () => void }) {
  const state = intent.state.value;
  const done = state.is === 'answered';
  useEffect(() => {
    if (!done) return;
    forget(intent);
    void positions.refresh();
  }, [done]);
  return html`<div role="status">
      ${state.is === 'sending' && html`<p class="loading">Leaving${'\u2026'} This may take until every order is settled.</p>`}
      ${state.is === 'asking' && html`<${Notice} title="The answer was lost.">Asking again with the same key: nothing is sent twice.<//>`}
      ${state.is === 'silent' && html`<${Notice} tone="bad" title="No answer.">The exit may or may not have left. Look at positions and orders.<//>`}
      ${state.is === 'answered' && html`<${Reported} body=${state.answer.body as ExitReport | { success: false; message: string } | null} />`}
    </div>
    <footer class="actions">
      ${state.is === 'silent' && html`<button type="button" class="danger" onClick=${() => sendAgain(intent)}>Ask again, same key</button>`}
      <button type="button" class=${done ? 'primary' : ''} onClick=${close} ref=${takeFocus}>${done ? 'Done' : 'Close; it goes on'}</button>
    </footer>`;
}

function Reported({ body }: { body: ExitReport | { success: false; message: string } | null }) {
  if (body?.success !== true)
    return html`<${Notice} tone="bad" title="The exit was refused.">${body?.message ?? 'The answer cannot be read.'}<//>`;
  return html`<${Notice} tone=${body.flat ? 'good' : 'warn'} title=${body.flat ? 'Flat: nothing of it is left open.' : 'Not everything is closed.'}>
      ${body.finished ? '' : 'The time for an answer was over before the exit was. '}${body.warnings.join(' ')}
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

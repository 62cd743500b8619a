import { useEffect } from 'preact/hooks';
import type { PlaceOrderResult } from '../../../../contract/orders.ts';
import { html } from './html.ts';
import { Notice, type PillTone, takeFocus } from './parts/parts.ts';
import type { Answer } from './state/api.ts';
import { price, quantity } from './state/format.ts';
import { orders, positions } from './state/gateway.ts';
import { forget, type Intent, sendAgain } from './state/intents.ts';

/** What becomes of an order, from the click to the answer; the answer stands below, as the gateway gave it. */
export function PlaceProgress({ intent, close }: { intent: Intent; close: () => void }) {
  const state = intent.state.value;
  const done = state.is === 'answered';
  useEffect(() => {
    if (!done) return;
    forget(intent);
    void orders.refresh();
    void positions.refresh();
  }, [done]);
  function drop(): void {
    forget(intent);
    close();
  }
  return html`<div role="status" aria-live="polite">
      ${state.is === 'sending' && html`<p class="loading">Sent. Waiting for the fill${'\u2026'}</p>`}
      ${state.is === 'asking' && html`<${Notice} title="The answer was lost.">Asking what became of it, by its key. Nothing is sent again.<//>`}
      ${state.is === 'unsent' && html`<${Notice} tone="bad" title="Nothing was placed.">The gateway never got this order.<//>`}
      ${state.is === 'answered' && html`<${Answered} answer=${state.answer} />`}
    </div>
    <footer class="actions">
      ${state.is === 'unsent' && html`<button type="button" onClick=${drop}>Leave it</button><button type="button" class="primary" onClick=${() => sendAgain(intent)}>Send it now</button>`}
      ${state.is !== 'unsent' && html`<button type="button" class=${done ? 'primary' : ''} onClick=${close} ref=${takeFocus}>${done ? 'Done' : 'Close; it goes on'}</button>`}
    </footer>`;
}

const tones: Readonly<Record<string, readonly [PillTone, string]>> = {
  FILLED: ['good', 'Filled'],
  PARTIALLY_FILLED: ['warn', 'Partly filled'],
  PENDING: ['info', 'Resting at the exchange'],
  REJECTED: ['bad', 'Rejected: no order lives'],
  UNKNOWN: ['warn', 'Not known yet: look at the order before acting'],
};

function Answered({ answer }: { answer: Answer }) {
  const body = answer.body as (Partial<PlaceOrderResult> & { status?: string }) | null;
  const [tone, word] =
    tones[body?.fill_status ?? ''] ??
    (['bad', body?.status === 'BLOCKED' ? 'Blocked: nothing was sent' : 'Refused: nothing was sent'] as const);
  const filled = body?.filled_quantity ? `${quantity(body.filled_quantity)} at ${price(body.avg_fill_price)}. ` : '';
  return html`<${Notice} tone=${tone} title="${word}.">${filled}${body?.message ?? ''}${body?.order_id ? html` <span class="nowrap">Order ${body.order_id}</span>` : ''}<//>
    <details class="raw" open><summary>The answer${answer.status === 200 ? '' : `, HTTP ${answer.status}`}</summary><pre>${pretty(answer)}</pre></details>`;
}

/** As it came, with line breaks. */
function pretty({ body, text }: Answer): string {
  return body === null ? text : JSON.stringify(body, null, 2);
}

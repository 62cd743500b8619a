import { useEffect, useState } from 'preact/hooks';
import type { ExitPlan } from '../../../../contract/exits.ts';
import type { RecordedPosition } from '../../../../contract/records.ts';
import { ExitProgress } from './exit-report.ts';
import { html } from './html.ts';
import { openDialog } from './parts/dialog.ts';
import { Notice, Side, takeFocus } from './parts/parts.ts';
import { sentence } from './state/api.ts';
import { nameOf, plain, price, quantity } from './state/format.ts';
import { exitPlan } from './state/gateway.ts';
import { begin, type Intent } from './state/intents.ts';
import { followQuotes, quoteOf } from './state/stream.ts';

type Planned = ExitPlan['positions'][number];

/** Asks before every open position is left, with what that does; then reports each. */
export function exitAll(): void {
  openDialog({ title: 'Exit all positions', wide: true, body: (close) => html`<${Exit} close=${close} pick=${() => true} all />` });
}

/** Asks before one position is left. */
export function exitOne(row: RecordedPosition): void {
  const same = (one: Planned) =>
    one.exchange === row.exchange &&
    one.product_type === row.product_type &&
    !one.holding &&
    (one.symbol === row.symbol || (row.token !== null && one.token === row.token));
  openDialog({ title: `Exit ${nameOf(row)}`, wide: true, body: (close) => html`<${Exit} close=${close} pick=${same} />` });
}

interface ExitProps {
  close: () => void;
  pick: (one: Planned) => boolean;
  all?: boolean;
}

/** The plan, read from the broker when the dialog opens; the question; and what became of it. */
function Exit({ close, pick, all = false }: ExitProps) {
  const [plan, setPlan] = useState<ExitPlan | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [intent, setIntent] = useState<Intent | null>(null);
  function read(): void {
    setFault(null);
    exitPlan().then(setPlan, (error: unknown) => setFault(sentence(error)));
  }
  useEffect(read, []);
  if (intent) return html`<${ExitProgress} intent=${intent} close=${close} />`;
  if (fault !== null)
    return html`<${Notice} tone="bad" title="The broker's positions cannot be read right now.">${fault}<//>
      <footer class="actions"><button type="button" onClick=${close}>Close</button><button type="button" class="primary" onClick=${read}>Try again</button></footer>`;
  if (!plan) return html`<p class="loading" role="status">Reading what the broker holds${'\u2026'}</p>`;
  const chosen = plan.positions.filter((one) => pick(one) && !(all && one.holding));
  if (chosen.length === 0)
    return html`${plan.warnings.map((text) => html`<${Notice} key=${text}>${text}<//>`)}
      <p>${plan.warnings.length > 0 ? 'No such position is known to be open.' : 'The broker shows no such open position.'}</p><footer class="actions"><button type="button" onClick=${close} ref=${takeFocus}>Close</button></footer>`;
  const send = () =>
    setIntent(
      (before) =>
        before ?? begin('exit', all ? 'Exit all positions' : titleOf(chosen[0]), all ? { all: true } : { positions: chosen.map(keyOf) }),
    );
  return html`<${Asked} plan=${plan} chosen=${chosen} />
    <footer class="actions">
      <button type="button" ref=${takeFocus} onClick=${close}>Keep ${chosen.length === 1 ? 'it' : 'them'}</button>
      <button type="button" class="danger" onClick=${send}>${all ? `Exit all ${chosen.length}` : titleOf(chosen[0])}</button>
    </footer>`;
}

function titleOf(one: Planned | undefined): string {
  return one ? `${one.side ?? 'Exit'} ${quantity(one.quantity)} ${nameOf(one)}` : 'Exit';
}

function keyOf({ exchange, symbol, token, product_type, holding }: Planned): object {
  return { exchange, symbol, token, product_type, holding };
}

function Asked({ plan, chosen }: { plan: ExitPlan; chosen: readonly Planned[] }) {
  const names = chosen.flatMap(({ instrument }) => instrument ?? []);
  useEffect(() => followQuotes(names), [names.join()]);
  return html`<div>
    <p>Each leaves with a MARKET order that can only reduce it. Resting orders of that side are cancelled first.</p>
    ${plan.warnings.map((text) => html`<${Notice} key=${text}>${text}<//>`)}
    <ul class="plan">${chosen.map((one) => html`<${PlannedRow} key=${`${one.exchange}:${one.symbol}:${one.product_type}`} one=${one} />`)}</ul>
  </div>`;
}

function PlannedRow({ one }: { one: Planned }) {
  return html`<li>
    <div class="line">
      <${Side} of=${one.side ?? 'NONE'} /> <b>${quantity(one.quantity)} ${nameOf(one)}</b>
      <span class="soft">${one.exchange} ${'\u00b7'} ${plain(one.product_type)}</span>
      <span class="end">last <${PlannedPrice} one=${one} /></span>
    </div>
    ${
      one.cancels.length > 0 &&
      html`<p class="tiny">Cancelled first: ${one.cancels.map((order) => `${order.order_type} ${quantity(order.quantity)} at ${price(order.trigger_price || order.price)}`).join(', ')}.</p>`
    }
    ${one.warnings.map((text) => html`<p key=${text} class="warned">${text}</p>`)}
  </li>`;
}

function PlannedPrice({ one }: { one: Planned }) {
  const quote = one.instrument === null ? null : quoteOf(one.instrument).value;
  return html`<b>${price(quote?.last_price ?? one.last_price)}</b>`;
}

import { useState } from 'preact/hooks';
import { html } from '../html.ts';
import { openDialog } from '../parts/dialog.ts';
import { Notice, Side } from '../parts/parts.ts';
import { PlaceProgress } from '../place-progress.ts';
import { NONE, price, quantity, rupees } from '../state/format.ts';
import { overview } from '../state/gateway.ts';
import { begin, type Intent } from '../state/intents.ts';
import { quoteOf } from '../state/stream.ts';
import { type Draft, orderOf, orderTypes, products } from './draft.ts';
import { Margin } from './margin.ts';
import { worth } from './market.ts';

/** Shows the order once more; what is confirmed here leaves once. */
export function reviewOrder(draft: Draft): void {
  openDialog({ title: 'Your order', body: (close) => html`<${Review} draft=${draft} close=${close} />` });
}

function Review({ draft, close }: { draft: Draft; close: () => void }) {
  const [intent, setIntent] = useState<Intent | null>(null);
  const order = orderOf(draft);
  const { instrument, side } = draft;
  if (intent) return html`<${PlaceProgress} intent=${intent} close=${close} />`;
  if (!order || !instrument) return null;
  const quote = quoteOf(instrument.instrument).value;
  const live = overview.value.value?.mode !== 'practice';
  const title = `${side} ${quantity(draft.quantity)} ${instrument.symbol}`;
  // The key is made here, once: a second click finds the first one's intent.
  const send = () => setIntent((before) => before ?? begin('place', title, order));
  const value = worth(draft, quote);
  return html`<dl class="ledger">
      <dt>Order</dt><dd><${Side} of=${side} /> <b>${quantity(draft.quantity)} ${instrument.symbol}</b></dd>
      <dt>Exchange</dt><dd>${instrument.exchange}</dd>
      <dt>Product</dt><dd>${products[draft.product]}</dd>
      <dt>Type</dt><dd>${orderTypes[draft.type]}${order.price ? ` at ${price(order.price as number)}` : ''}</dd>
      ${order.trigger_price ? html`<dt>Trigger</dt><dd>${price(order.trigger_price as number)}</dd>` : ''}
      <dt>Last price</dt><dd>${price(quote?.last_price)}</dd>
      <dt>Order value</dt><dd>${value === null ? NONE : `about ${rupees(value)}`}</dd>
      <${Margin} draft=${draft} />
    </dl>
    ${draft.reduceOnly && html`<p>It leaves only if it cannot open or flip a position.</p>`}
    <${Notice} tone=${live ? 'bad' : 'info'}>${live ? 'A real order, with real money.' : 'Practice: the simulated exchange.'}<//>
    <footer class="actions">
      <button type="button" onClick=${close}>Back</button>
      <button type="button" class=${side === 'BUY' ? 'buy' : 'sell'} autofocus onClick=${send}>${title}</button>
    </footer>`;
}

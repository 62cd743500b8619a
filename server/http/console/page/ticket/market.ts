import type { Quote } from '../../../../../contract/quotes.ts';
import { html } from '../html.ts';
import { ageOf } from '../parts/parts.ts';
import { get } from '../state/api.ts';
import { ticking } from '../state/clock.ts';
import { NONE, numberOf, plain, price, quantity, rupees } from '../state/format.ts';
import { Resource, useResource } from '../state/resource.ts';
import { quoteOf } from '../state/stream.ts';
import type { Draft } from './draft.ts';
import { Margin, MarginFault, requiredOf, useMargin } from './margin.ts';

const FRESH_MS = 5000;

/** What the account has free for new orders, where the broker tells it. */
const funds = new Resource(() => get<{ normalized?: { available: number | null } }>('/broker/funds'), {
  everyMs: 15_000,
  topics: ['position', 'session'],
});

/** What the chosen instrument trades at, and what the order comes to. A price that is pressed goes into the ticket. */
export function Market({ draft, onPrice }: { draft: Draft; onPrice: (price: string) => void }) {
  const available = useResource(funds).value.value?.normalized?.available ?? null;
  useMargin(draft);
  const { instrument } = draft;
  const quote = instrument ? quoteOf(instrument.instrument).value : null;
  const value = worth(draft, quote);
  const paid = draft.product === 'DELIVERY' && draft.side === 'BUY' ? value : null;
  const needed = requiredOf(draft) ?? paid;
  return html`<aside class="panel market" aria-label="Market and funds">
    ${instrument ? html`<h2>${instrument.symbol} <span class="soft">${instrument.exchange} ${'\u00b7'} ${instrument.name ?? plain(instrument.kind)}</span></h2><${Touch} quote=${quote} onPrice=${onPrice} />` : html`<p class="soft">Choose an instrument to see what it trades at.</p>`}
    <dl class="ledger">
      <dt>Order value</dt><dd>${value === null ? NONE : rupees(value)}</dd>
      <${Margin} draft=${draft} />
      <dt>Free funds</dt><dd>${available === null ? 'not told' : rupees(available)}</dd>
    </dl>
    <${MarginFault} draft=${draft} />
    ${needed !== null && available !== null && needed > available && html`<p class="warned">More than the free funds: unless it reduces a position, the broker will refuse it.</p>`}
  </aside>`;
}

function Touch({ quote, onPrice }: { quote: Quote | null; onPrice: (price: string) => void }) {
  if (!quote) return html`<p class="soft" role="status">Waiting for a price${'\u2026'}</p>`;
  const now = ticking();
  const old = quote.at === null || now - Date.parse(quote.at) > FRESH_MS;
  const button = (
    name: string,
    figure: number | null,
  ) => html`<button type="button" class="touch" aria-disabled=${figure === null} onClick=${() => figure !== null && onPrice(String(figure))}>
    <span class="name">${name}</span><b>${price(figure)}</b>
  </button>`;
  return html`<div class="touches quote ${old ? 'stale' : ''}">${button('Bid', quote.bid)}${button('Last', quote.last_price)}${button('Ask', quote.ask)}</div>
    <p class="tiny soft">Open ${price(quote.open)}, high ${price(quote.high)}, low ${price(quote.low)}, close before ${price(quote.close)}, volume ${quantity(quote.volume)}${old ? `, ${ageOf(quote.at, now)} old` : ''}</p>`;
}

/** What the order comes to at its own price, else at the touch; null where that is not known, and for contracts counted in lots. */
export function worth(draft: Draft, quote: Quote | null): number | null {
  const { instrument, type, side } = draft;
  if (!instrument || !['NSE', 'BSE', 'NFO', 'BFO'].includes(instrument.exchange)) return null;
  const touch = side === 'BUY' ? quote?.ask : quote?.bid;
  const at = type === 'LIMIT' || type === 'SL' ? numberOf(draft.price) : (touch ?? quote?.last_price ?? null);
  const amount = numberOf(draft.quantity);
  return at === null || amount === null ? null : at * amount;
}

import { useEffect, useState } from 'preact/hooks';
import { html } from '../html.ts';
import { Choice } from '../parts/choice.ts';
import { InstrumentSearch } from '../parts/instrument-search.ts';
import { Field, Notice, ViewHead } from '../parts/parts.ts';
import { killSwitch } from '../state/gateway.ts';
import { followQuotes } from '../state/stream.ts';
import { type Draft, emptyDraft, faultsOf, fieldsOf, orderTypes, products, sides } from '../ticket/draft.ts';
import { Market } from '../ticket/market.ts';
import { reviewOrder } from '../ticket/review.ts';

/** What was typed stays while another view is looked at. */
let kept: Draft = emptyDraft();

/** An order by hand: found by name, held to lot and tick, asked for once more before it leaves. */
export function View() {
  const [draft, setDraft] = useState(kept);
  const [tried, setTried] = useState(false);
  kept = draft;
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const name = draft.instrument?.instrument;
  useEffect(() => (name === undefined ? undefined : followQuotes([name])), [name]);
  const faults = faultsOf(draft);
  const shown = (field: keyof typeof faults) => (tried || touched(draft, field) ? faults[field] : undefined);
  function submit(event: Event): void {
    event.preventDefault();
    setTried(true);
    const [first] = Object.keys(faults);
    if (first === undefined) reviewOrder(draft);
    else document.getElementById(`ticket-${first}`)?.focus();
  }
  const buy = draft.side === 'BUY';
  return html`<${ViewHead} title="Ticket" />
    ${killSwitch.value.value?.on && html`<${Notice} tone="bad" title="The kill switch is on.">Only an order that reduces a position leaves.<//>`}
    <div class="ticket">
      <form class="panel stack" novalidate onSubmit=${submit}>
        <${Field} id="ticket-instrument" label="Instrument" fault=${shown('instrument')}>
          <${InstrumentSearch} id="ticket-instrument" text=${name ?? ''} faulty=${shown('instrument') !== undefined} onChoose=${(instrument: Draft['instrument']) => set({ instrument, quantity: String(instrument?.lot_size ?? '') })} />
        <//>
        <${Choice} name="side" legend="Side" options=${sides} value=${draft.side} onChange=${(side: Draft['side']) => set({ side })} />
        <${Choice} name="product" legend="Product" options=${products} value=${draft.product} onChange=${(product: Draft['product']) => set({ product })} />
        <${Choice} name="type" legend="Type" options=${orderTypes} value=${draft.type} onChange=${(type: Draft['type']) => set({ type })} />
        <div class="pair">
          ${fieldsOf(draft).map(
            ({ id, label, hint }) => html`<${Field} key=${id} id="ticket-${id}" label=${label} hint=${hint} fault=${shown(id)}>
              <input id="ticket-${id}" type="text" inputmode="decimal" autocomplete="off" value=${draft[id]} aria-invalid=${shown(id) !== undefined}
                aria-describedby="ticket-${id}-hint ticket-${id}-fault" onInput=${(event: InputEvent) => set({ [id]: (event.target as HTMLInputElement).value.trim() })} />
            <//>`,
          )}
        </div>
        <label class="check"><input type="checkbox" checked=${draft.reduceOnly} onChange=${(event: Event) => set({ reduceOnly: (event.target as HTMLInputElement).checked })} /> Only reduce a position</label>
        <button type="submit" class=${buy ? 'buy' : 'sell'}>${buy ? 'Buy' : 'Sell'}${'\u2026'}</button>
      </form>
      <${Market} draft=${draft} onPrice=${(price: string) => set({ price })} />
    </div>`;
}

/** A field is complained of once it was filled in, or the form was sent. */
function touched(draft: Draft, field: string): boolean {
  return field !== 'instrument' && draft[field as 'quantity'] !== '';
}

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { OrderMargin, OrderMarginRequest } from '../../../../../contract/margin.ts';
import { html } from '../html.ts';
import { NoAnswer, post, sentence } from '../state/api.ts';
import { NONE, rupees } from '../state/format.ts';
import { type Draft, orderOf } from './draft.ts';

/** Typing is over by then: each question is one read of the broker. */
const REST_MS = 400;

/** What the broker said of the order as it stands; null while it is asked, or is none yet. */
interface Told {
  order: string;
  needs: OrderMargin | null;
  fault: string | null;
}
const told = signal<Told>({ order: '', needs: null, fault: null });

/** Asks what the broker would hold for the order, as soon as it could be sent. */
export function useMargin(draft: Draft): void {
  const order = marginOf(draft);
  useEffect(() => {
    const { needs, fault } = told.value;
    if (order === null || (told.value.order === order && (needs ?? fault) !== null)) return;
    told.value = { order, needs: null, fault: null };
    const timer = setTimeout(() => void ask(order), REST_MS);
    return () => clearTimeout(timer);
  }, [order]);
}

/** The line of a ledger that says it. */
export function Margin({ draft }: { draft: Draft }) {
  const order = marginOf(draft);
  const { needs, fault } = told.value;
  const known = order !== null && told.value.order === order;
  const text = !known ? NONE : needs ? rupees(needs.required) : fault === null ? '\u2026' : 'not told';
  return html`<dt>Margin</dt><dd>${text}</dd>`;
}

/** Why it is not told: in the end often what the broker would refuse. */
export function MarginFault({ draft }: { draft: Draft }) {
  const { order, fault } = told.value;
  return fault !== null && order === marginOf(draft) && html`<p class="tiny soft">No margin told: ${fault}.</p>`;
}

/** Rupees the order needs; null where that is not known. */
export function requiredOf(draft: Draft): number | null {
  return told.value.order === marginOf(draft) ? (told.value.needs?.required ?? null) : null;
}

async function ask(order: string): Promise<void> {
  const answer = await post<OrderMargin>('/broker/margin', JSON.parse(order)).then(
    (needs) => ({ order, needs, fault: null }),
    (error: unknown) => ({ order: error instanceof NoAnswer ? '' : order, needs: null, fault: sentence(error) }),
  );
  if (told.value.order === order) told.value = answer;
}

/** The order as the broker's calculator is asked for it, as text; null while a field is wrong. */
function marginOf(draft: Draft): string | null {
  const order = orderOf(draft);
  if (order === null) return null;
  const { reduce_only: _, strategy: __, ...members } = order;
  return JSON.stringify(members satisfies Partial<Record<keyof OrderMarginRequest, unknown>>);
}

import { type Children, html } from '../html.ts';
import { gatewayNow } from '../state/clock.ts';
import { direction, NONE, numberOf, signedRupees, span } from '../state/format.ts';
import type { Resource } from '../state/resource.ts';

/** The small pieces every view is made of. */

const arrows = { '-1': '\u25be', '0': '', '1': '\u25b4' } as const;
const tones = { '-1': 'down', '0': '', '1': 'up' } as const;

/** A gain or a loss: sign, arrow and colour, never colour alone. */
export function Gain({ of, big = false }: { of: number | string | null | undefined; big?: boolean }) {
  if (numberOf(of) === null) return html`<span class="gain unknown" title="Not known">${NONE}</span>`;
  const way = direction(of);
  return html`<span class="gain ${tones[way]} ${big ? 'big' : ''}"
    ><span aria-hidden="true" class="arrow">${arrows[way]}</span>${signedRupees(of)}</span
  >`;
}

export type PillTone = 'good' | 'bad' | 'warn' | 'info' | 'quiet';

/** A state in a word, with a mark of its own shape beside the colour. */
export function Pill({ tone, children }: { tone: PillTone; children?: Children }) {
  return html`<span class="pill ${tone}">${children}</span>`;
}

/** BUY or SELL, told apart by word, arrow and colour. */
export function Side({ of }: { of: string }) {
  const buy = of === 'BUY' || of === 'LONG';
  return html`<span class="side ${buy ? 'buy' : 'sell'}">${of}</span>`;
}

/** What a view says while it has nothing to show. */
export function Empty({ title, children }: { title: string; children?: Children }) {
  return html`<div class="empty"><h2>${title}</h2>${children && html`<p>${children}</p>`}</div>`;
}

/** Something that has to be read before what stands below it. */
export function Notice({ tone = 'warn', title, children }: { tone?: PillTone; title?: string; children?: Children }) {
  return html`<div class="notice ${tone}" role=${tone === 'bad' ? 'alert' : 'status'}>
    ${title && html`<b>${title}</b>`}<div>${children}</div>
  </div>`;
}

/** A view's head: its title, what sums it up, and what can be done. */
export function ViewHead({ title, children, actions }: { title: string; children?: Children; actions?: Children }) {
  return html`<header class="view-head">
    <h1 tabindex="-1">${title}</h1>
    <div class="sums">${children}</div>
    ${actions && html`<div class="actions">${actions}</div>`}
  </header>`;
}

/** A figure with its name: Profit today  +1,234.00. */
export function Figure({ name, children }: { name: string; children?: Children }) {
  return html`<div class="figure"><span class="name">${name}</span><span class="value">${children}</span></div>`;
}

/** Draws what a resource holds: a line while it comes, the reason where it does not, and both where the last answer is old. */
export function Loaded<Value>({ of, show }: { of: Resource<Value>; show: (value: Value) => Children }) {
  const value = of.value.value;
  const error = of.error.value;
  if (value === null && error === null) return html`<p class="loading" role="status">Loading${'\u2026'}</p>`;
  return html`${error !== null && html`<${Notice} tone="bad" title="This cannot be read right now.">${error}<//>`}${value !== null && show(value)}`;
}

/** How old a time is, in words; drawn anew by whoever reads the ticking clock. */
export function ageOf(at: string | null | undefined, now = gatewayNow()): string {
  return at ? span(now - Date.parse(at)) : NONE;
}

/** A label with its field; hint and fault are read with the field. */
export function Field({ id, label, hint, fault, children }: FieldProps) {
  return html`<div class="field ${fault ? 'faulty' : ''}">
    <label for=${id}>${label}</label>
    ${children}
    ${hint && html`<small id="${id}-hint">${hint}</small>`}
    ${fault && html`<small id="${id}-fault" class="fault" role="alert">${fault}</small>`}
  </div>`;
}
interface FieldProps {
  id: string;
  label: string;
  hint?: Children;
  fault?: string | null | undefined;
  children?: Children;
}

/** As a `ref`: what it stands on has the focus as soon as it is there. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}
